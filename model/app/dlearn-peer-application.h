/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PEER_APPLICATION_H
#define DLEARN_PEER_APPLICATION_H

#include "dlearn-response-timeouts.h"
#include "dlearn-round-timer.h"
#include "dlearn-round-tracker.h"
#include "dlearn-training-application.h"

#include "ns3/dlearn-update-rule.h"

#include <optional>

namespace ns3::dlearn
{

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
 *     the round closes, the MissingPolicy what a missing message means (RoundBarrier).
 *  4. CloseRound(): the rule gets what arrived and moves on.
 *
 * Waiting is bounded. A round closes at the latest ResponseTimeout after sending. A neighbour for
 * which the learner has waited SuspicionTimeout in all since its last new usable message is
 * suspected to have failed, and not waited for until there is another (FailureDetector). So a
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

    const std::vector<RoundRecord>& GetRecords() const override { return GetWindow().GetRecords(); }

    void CheckConservation() const override { GetWindow().CheckConservation(); }

    void Finish(std::map<std::string, uint64_t>& totals) override;
    Time GetTrainingTime() const override;

    /** @return the learner's algorithm; what differs between learners is set on it before
     *          SetContext() */
    Ptr<UpdateRule> GetRule() const { return m_rule; }

    /**
     * What the response timeout follows from, unless it is chosen. See ResponseTimeouts; nothing is
     * learned from messages.
     *
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
    const MessageWindow& GetWindow() const;

  protected:
    void DoDispose() override;
    void DoStart() override;
    void DoRestart() override;
    void DropRound() override;
    RoundRecord* GetLastRecord() override;
    void FinishCompute() override;
    void OnPublished() override;
    RoundWindow::Disposition Classify(const RoundWindow::Source& source, uint32_t round) override;
    void Offer(const RoundWindow::Source& source,
               uint32_t round,
               std::optional<Arrival>& arrival) override;

  private:
    /** @return how long it waits for others */
    ResponseTimeouts GetTimeouts() const;

    /**
     * @param tid gets the attributes of what the learner waits for
     * @return the same
     */
    static TypeId AddWaiting(TypeId tid);

    /** After a restart, begin a round and use the messages that were held for it. */
    void Join();

    /** Begin the next round: the rule computes what will be sent. */
    void OpenRound();

    /**
     * Close the round, if it waits for others, and the policies say so.
     *
     * @param timedOut whether it closes in any case
     */
    void TryClose(bool timedOut);

    /** Give the rule what arrived, record the round, and go on. */
    void CloseRound();

    /** Begin the next round, or end when all are done or the learner leaves. */
    void GoOn();

    Ptr<UpdateRule> m_rule;                //!< attribute Rule
    Ptr<RoundPolicy> m_roundPolicy;        //!< attribute RoundPolicy
    Ptr<MissingPolicy> m_missingPolicy;    //!< attribute MissingPolicy
    uint32_t m_rounds{0};                  //!< attribute Rounds
    Time m_responseTimeout;                //!< attribute ResponseTimeout
    Time m_suspicionTimeout;               //!< attribute SuspicionTimeout
    ResponseTimeouts::Forecast m_forecast; //!< see SetForecast()
    uint32_t m_ahead{0};                   //!< attribute Ahead
    bool m_usePartial{false};              //!< attribute UsePartial
    uint32_t m_byzantine{0};               //!< attribute Byzantine

    LearnerContext m_context;              //!< surroundings
    std::optional<RoundTracker> m_tracker; //!< messages, neighbours and their rounds

    RoundTimer m_timer{[this](bool timedOut) { TryClose(timedOut); }}; //!< of the open round
    Alarm m_joining{[this] { Join(); }}; //!< end of listening after a restart
    UnrecordedExposure m_exposure;       //!< by a round that was not closed
};

} // namespace ns3::dlearn

#endif // DLEARN_PEER_APPLICATION_H
