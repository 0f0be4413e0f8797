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
 * Asks whether the round of a peer that has sent closes: when the deadline of its RoundPolicy has
 * passed, when its response timeout is over, and, if its messages wait for a turn on a medium when
 * the round would close, when they leave.
 */
class RoundTimer
{
  public:
    /** @param ask called at each of these times; the round closes in any case if timedOut */
    explicit RoundTimer(std::function<void(bool timedOut)> ask)
        : m_ask(std::move(ask))
    {
    }

    RoundTimer(const RoundTimer&) = delete;
    RoundTimer& operator=(const RoundTimer&) = delete;

    ~RoundTimer() { Stop(); }

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

    /** The learner has sent its messages. @param timeout longest wait, by the learner's clock */
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
    /** Ask again if the round waits for a turn. */
    void HandleMessageTx(const EncodedMessage& message, const std::vector<LearnerId>& recipients);

    /** The deadline has passed, unless the policy has a later one by now. */
    void PassDeadline();

    std::function<void(bool timedOut)> m_ask;
    const LearnerClock* m_clock{nullptr};
    Ptr<const RoundPolicy> m_policy;
    Ptr<MessageExchange> m_exchange;
    Time m_started;           //!< when the messages were sent
    bool m_awaitsTurn{false}; //!< whether the round waits for a turn
    EventId m_deadline;       //!< of the policy
    EventId m_timeout;
    EventId m_turn; //!< after the messages have begun to leave
};

/**
 * @ingroup dlearn
 * One learner of a network without a server. In each round:
 *
 *  1. OpenRound(): the update rule draws the round's data; messages that arrived early are
 *     available. State TRAINING for as long as the ComputeModel says. Meanwhile the rule evaluates
 *     its gradient, maybe on another thread (ComputePool).
 *  2. FinishCompute(): the rule makes its messages; the MessageExchange sends them. State
 *     EXCHANGING.
 *  3. TryClose(), on every arrival and after a deadline: the RoundPolicy decides whether the round
 *     closes, the MissingPolicy decides about missing messages.
 *  4. CloseRound(): the rule gets the messages that arrived, and makes the next model.
 *
 * Waiting is bounded. A round closes at the latest ResponseTimeout after sending. A neighbour for
 * which the learner has waited SuspicionTimeout in all since its last new usable message is
 * suspected to have failed: no round waits for it until it sends another one (MessageTable). So a
 * learner that crashes, leaves or sends unusable messages costs the others a bounded time, whatever
 * their policies. Nor does a round wait for a neighbour whose messages show that it is in a later
 * round: its message for this round is lost.
 *
 * A learner that is behind by more than Ahead rounds skips to the round of its neighbours
 * (RoundEstimate); the attribute Byzantine is how many of them may claim a false round. After
 * Restart() the learner listens for at most ResponseTimeout, joins that round, and sends nothing
 * for the rounds that it missed.
 *
 * With an AsynchronousPolicy every learner has its own pace: no round waits for messages, and each
 * uses the newest ones that have arrived. A learner that restarts continues with its next round.
 *
 * The rounds of a Byzantine learner (SetBehavior()) stay open until its behaviour has finished, or
 * ResponseTimeout is over; then the learner sends nothing more in that round.
 *
 * Life cycle: create, SetContext(), then ns-3's start time, stop time and Simulator::Run.
 */
class PeerApplication : public TrainingApplication
{
  public:
    static TypeId GetTypeId();

    /**
     * Give the learner, which is on a node, its surroundings. This fixes its parts.
     *
     * @param context id, task, data and neighbours
     * @param addresses of every in- and out-neighbour, as this node sees them
     * @throw std::invalid_argument naming the attribute that is wrong
     */
    void SetContext(const LearnerContext& context, const Transport::Peers& addresses);

    std::string GetRole() const override { return IsByzantine() ? "byzantine" : "peer"; }

    uint32_t GetRounds() const override { return m_rounds; }

    Ptr<LearnerRule> GetLearnerRule() override { return m_rule; }

    const std::vector<RoundRecord>& GetRecords() const override { return GetTable().GetRecords(); }

    void CheckConservation() const override { GetTable().CheckConservation(); }

    void Finish(std::map<std::string, uint64_t>& totals) override;
    Time GetTrainingTime() const override;

    /** @return the algorithm, to configure it before SetContext() */
    Ptr<UpdateRule> GetRule() const { return m_rule; }

    /**
     * Give the forecast for the response timeout, see ResponseTimeouts; nothing is learned from
     * messages.
     * @param forecast of the time from sending to the last message of a neighbour
     */
    void SetForecast(const ResponseTimeouts::Forecast& forecast) { m_forecast = forecast; }

    /** @return longest wait for neighbours: the attribute, or by the forecast */
    Time GetResponseTimeout() const { return GetTimeouts().GetResponse(); }

    Ptr<RoundPolicy> GetRoundPolicy() const { return m_roundPolicy; }

    /** @return the learner's surroundings, as given to SetContext() */
    const LearnerContext& GetContext() const { return m_context; }

    /** @return messages and records of the rounds. @throw std::invalid_argument before SetContext()
     */
    const RoundTable& GetTable() const;

  protected:
    void DoDispose() override;

    void DoStart() override { OpenRound(); }

    void DoRestart() override;
    void DropRound() override;
    RoundRecord* GetLastRecord() override;
    void FinishCompute() override;

    void OnSent(const EncodedMessage& message) override;

    void OnPublished() override { TryClose(false); }

    MessageDisposition Classify(const MessageSource& source, uint32_t round) override
    {
        return GetTable().Classify(source, round);
    }

    void Offer(const MessageSource& source,
               uint32_t round,
               std::optional<Arrival>& arrival) override;

  private:
    ResponseTimeouts GetTimeouts() const;

    /** After a restart, begin a round and use the messages that arrived for it. */
    void Join();

    /** Begin the next round: the rule computes its gradient. */
    void OpenRound();

    /** Close the round if it waits for others and the policies say so, or timedOut. */
    void TryClose(bool timedOut);

    /** Give the rule the messages of the round, record the round, and continue. */
    void CloseRound();

    /** Begin the next round, or end after the last one or when the learner leaves. */
    void Continue();

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
    EventId m_joining;             //!< end of listening after a restart
    UnrecordedExposure m_exposure; //!< by a round that was not closed
};

} // namespace ns3::dlearn

#endif // DLEARN_PEER_APPLICATION_H
