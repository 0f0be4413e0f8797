/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PEER_APPLICATION_H
#define DLEARN_PEER_APPLICATION_H

#include "dlearn-compute-model.h"
#include "dlearn-round-tracker.h"
#include "dlearn-schedule.h"
#include "dlearn-training-application.h"

#include "ns3/dlearn-message-exchange.h"
#include "ns3/dlearn-update-rule.h"

#include <functional>
#include <optional>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Says at which times a peer that has sent asks whether its round closes: when the deadline of its
 * RoundPolicy has passed, when its response timeout is over, and, where its messages waited for a
 * turn on a medium as the round was to close, when they leave.
 */
class RoundTimer
{
  public:
    /** @param ask called at each of these times, with whether the round closes in any case */
    explicit RoundTimer(std::function<void(bool timedOut)> ask);

    /**
     * Call once, before anything else.
     *
     * @param clock of the learner, which outlives the timer
     * @param policy has the deadline
     * @param exchange sends the learner's messages
     */
    void Setup(const LearnerClock& clock,
               Ptr<const RoundPolicy> policy,
               Ptr<MessageExchange> exchange);

    /**
     * The learner has sent what it sends in its round.
     * @param timeout by the learner's clock: the longest wait for others
     */
    void Start(Time timeout);

    /** @return time since Start(), by the learner's clock */
    Time GetWaited() const;

    /**
     * A round that would close waits until its messages have begun to leave, as the others need
     * them, but not beyond its deadline.
     *
     * @param round the open one
     * @return whether it waits
     */
    bool AwaitsTurn(uint32_t round);

    /** The round closes, or is given up. */
    void Stop();

  private:
    /** Ask again if the round waited for this. */
    void HandleMessageTx(const EncodedMessage& message, const std::vector<LearnerId>& recipients);

    /** The deadline has come, unless the policy has a later one by now. */
    void PassDeadline();

    /** @return whether the deadline has passed */
    bool IsDue() const;

    std::function<void(bool timedOut)> m_ask;
    const LearnerClock* m_clock{nullptr};
    Ptr<const RoundPolicy> m_policy;
    Ptr<MessageExchange> m_exchange;
    Time m_started;           //!< when the messages were sent
    bool m_awaitsTurn{false}; //!< whether the round waits for a turn
    Alarm m_deadline;         //!< of the policy
    Alarm m_timeout;
    Alarm m_turn; //!< after the messages have begun to leave
};

/**
 * @ingroup dlearn
 * One learner of a network without a server, round after round:
 *
 *  1. OpenRound(): the update rule fetches the round's data; messages that came early are
 *     there at once. State TRAINING for as long as the ComputeModel says.
 *     Meanwhile the rule evaluates its gradient, maybe on another thread (ComputePool).
 *  2. FinishCompute(): the rule says what to send; the
 *     MessageExchange sends it. State EXCHANGING.
 *  3. TryClose(), on every arrival and when a deadline passes: the RoundPolicy says whether
 *     the round closes, the MissingPolicy what a missing message means.
 *  4. CloseRound(): the rule gets what arrived and moves on.
 *
 * Waiting is bounded. A round closes at the latest ResponseTimeout after sending. A neighbour for
 * which the learner has waited SuspicionTimeout in all since its last new usable message is
 * suspected to have failed, and not waited for until there is another (MessageTable). So a
 * learner that crashes, leaves or sends unusable messages costs the others a bounded time, whatever
 * their policies. A neighbour whose messages show that it is in a later round already is not waited
 * for either: what it sent for this one is lost.
 *
 * A learner that is behind by more rounds than its waiting room holds skips to the round that its
 * neighbours are in, as BelievedRound estimates it: the attribute Byzantine says how many of them
 * may claim a false round. After Restart() the learner listens for at most ResponseTimeout,
 * joins that round, and sends nothing for the rounds that it missed.
 *
 * With an AsynchronousPolicy every learner has its own pace instead: no round waits for messages,
 * and each uses the newest ones that have arrived. A learner that restarts continues where it was.
 *
 * The rounds of a Byzantine learner (SetBehavior()) stay open until its behaviour has finished, or
 * ResponseTimeout is over; then it sends no more in that round.
 *
 * Life cycle: create, SetContext(), then ns-3's start time, stop time and Simulator::Run.
 */
class PeerApplication : public TrainingApplication
{
  public:
    static TypeId GetTypeId();

    /**
     * Give the learner its surroundings, and set its parts up: from now on it takes no others. Call
     * after the application was added to its node.
     *
     * @param context id, task, data and neighbours
     * @param addresses of every in- and out-neighbour, as this node sees them
     * @throw std::invalid_argument naming the attribute that is wrong
     */
    void SetContext(const LearnerContext& context, const Transport::Peers& addresses);

    /** @return peer or byzantine */
    std::string GetRole() const override { return IsByzantine() ? "byzantine" : "peer"; }

    uint32_t GetRounds() const override { return m_rounds; }

    Ptr<LearnerRule> GetLearnerRule() override { return m_rule; }

    const std::vector<RoundRecord>& GetRecords() const override { return GetTable().GetRecords(); }

    void CheckConservation() const override { GetTable().CheckConservation(); }

    void Finish(std::map<std::string, uint64_t>& totals) override;
    Time GetTrainingTime() const override;

    /** @return the learner's algorithm; what differs between learners is set on it before
     *          SetContext() */
    Ptr<UpdateRule> GetRule() const { return m_rule; }

    /**
     * Give the forecast for the response timeout, see ResponseTimeouts; nothing is learned from
     * messages.
     * @param forecast of the time from sending to the last message of a neighbour
     */
    void SetForecast(const ResponseTimeouts::Forecast& forecast) { m_forecast = forecast; }

    /** @return longest wait for neighbours: chosen, or as the forecast says */
    Time GetResponseTimeout() const { return GetTimeouts().GetResponse(); }

    /** @return when a round closes */
    Ptr<RoundPolicy> GetRoundPolicy() const { return m_roundPolicy; }

    /** @return the learner's surroundings, as given to SetContext() */
    const LearnerContext& GetContext() const { return m_context; }

    /** @return the messages and records of the rounds; throws before SetContext() */
    const RoundTable& GetTable() const;

  protected:
    void DoDispose() override;

    void DoStart() override { OpenRound(); }

    void DoRestart() override;
    void DropRound() override;
    RoundRecord* GetLastRecord() override;
    void FinishCompute() override;

    void OnPublished() override { TryClose(false); }

    MessageDisposition Classify(const MessageSource& source, uint32_t round) override
    {
        return GetTable().Classify(source, round);
    }

    void Offer(const MessageSource& source,
               uint32_t round,
               std::optional<Arrival>& arrival) override;

  private:
    /** @return how long it waits for others */
    ResponseTimeouts GetTimeouts() const;

    /** After a restart, begin a round and use the messages that were held for it. */
    void Join();

    /** Begin the next round: the rule computes what will be sent. */
    void OpenRound();

    /** Close the round, if it waits for others, and the policies say so.
     *  @param timedOut whether it closes in any case */
    void TryClose(bool timedOut);

    /** Give the rule the messages that arrived, record the round, and continue. */
    void CloseRound();

    /** Begin the next round, or end when all are done or the learner leaves. */
    void GoOn();

    Ptr<UpdateRule> m_rule;
    Ptr<RoundPolicy> m_roundPolicy;
    Ptr<MissingPolicy> m_missingPolicy;
    uint32_t m_rounds{0};
    Time m_responseTimeout;
    Time m_suspicionTimeout;
    ResponseTimeouts::Forecast m_forecast;
    uint32_t m_ahead{0};
    bool m_usePartial{false};
    uint32_t m_byzantine{0};

    LearnerContext m_context;
    std::optional<RoundTracker> m_tracker; //!< nothing before SetContext()

    RoundTimer m_timer{[this](bool timedOut) { TryClose(timedOut); }}; //!< of the open round
    Alarm m_joining{[this] { Join(); }}; //!< end of listening after a restart
    UnrecordedExposure m_exposure;       //!< by a round that was not closed
};

} // namespace ns3::dlearn

#endif // DLEARN_PEER_APPLICATION_H
