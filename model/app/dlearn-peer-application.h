/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PEER_APPLICATION_H
#define DLEARN_PEER_APPLICATION_H

#include "dlearn-believed-round.h"
#include "dlearn-message-window.h"
#include "dlearn-round-barrier.h"
#include "dlearn-training-application.h"

#include "ns3/dlearn-update-rule.h"

#include <memory>
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
 * Nobody is waited for without end. After ResponseTimeout of waiting a round closes as it is, and a
 * neighbour that was waited for without success for SuspicionTimeout in all, since its last new
 * usable message, is not waited for any more until there is another (FailureDetector). So a learner
 * that crashes, leaves or sends what nobody can use costs the others a bounded time, whatever their
 * policies. Nor is a neighbour waited for that is heard to be in a later round already: what it
 * sent for this one is lost.
 *
 * A learner that is left behind by more rounds than fit its waiting room skips to the round that
 * its neighbours are in, as far as BelievedRound believes them: attribute Byzantine says how many
 * of them may lie. After Restart() the learner listens for at most ResponseTimeout, joins that
 * round, and sends nothing for the rounds that it missed.
 *
 * With an AsynchronousPolicy every learner goes its own pace instead: no round waits for messages,
 * and each uses the newest ones that came. A learner that restarts goes on where it was.
 *
 * The rounds of a Byzantine learner (SetBehavior()) stay open until its behaviour is through, or
 * ResponseTimeout is over; then it sends no more in that round.
 *
 * Life cycle: create, SetContext(), then ns-3's start time, stop time and Simulator::Run.
 */
class PeerApplication : public TrainingApplication
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();
    PeerApplication();
    ~PeerApplication() override;

    /**
     * Give the learner its surroundings; creates rule, policies and sockets' owner from the
     * attributes. Call after the application was added to its node.
     *
     * @param context id, task, data and neighbours
     * @param addresses of every in- and out-neighbour, as this node sees them
     * @throw std::invalid_argument naming the attribute that is wrong
     */
    void SetContext(const LearnerContext& context, const Transport::Peers& addresses);

    /** @return peer or byzantine */
    std::string GetRole() const override;
    uint32_t GetRounds() const override;
    Ptr<LearnerRule> GetLearnerRule() override;
    const std::vector<RoundRecord>& GetRecords() const override;
    void CheckConservation() const override;
    void Finish(std::map<std::string, uint64_t>& totals) override;

    /**
     * The learner's algorithm. Created as the attribute Rule says on the first call, so that
     * what differs between learners can be set on it before SetContext().
     * @return the update rule
     */
    Ptr<UpdateRule> GetRule();

    /** @return when a round closes; see GetRule() */
    Ptr<RoundPolicy> GetRoundPolicy();

    /** @return the learner's surroundings, as given to SetContext() */
    const LearnerContext& GetContext() const;

    /** @return the books of the rounds; throws before SetContext() */
    const MessageWindow& GetWindow() const;

  protected:
    void DoDispose() override;
    void DoStart() override;
    void DoRestart() override;
    void DropRound() override;
    void FinishCompute() override;
    void OnPublished() override;
    RoundWindow::Disposition Classify(const RoundWindow::Source& source, uint32_t round) override;
    void Offer(const RoundWindow::Source& source,
               uint32_t round,
               std::optional<Arrival>& arrival) override;

  private:
    void Join();
    void JoinBelieved();
    bool Hold(const RoundWindow::Source& source, uint32_t round, std::optional<Arrival>& arrival);
    void OfferHeld();
    bool IsSignOfLife(const RoundWindow::Source& source,
                      uint32_t round,
                      const std::optional<Arrival>& arrival) const;
    bool IsOutOfReach(uint32_t round) const;
    void CatchUp();
    void OpenRound(uint32_t round);
    void WatchDeadlines();
    void TryClose(bool timedOut);
    void CloseRound();
    void GoOn();
    void CheckAsynchronous(const MissingPolicy& missing) const;
    void TakePartials();

    TypeId m_ruleType;          //!< attribute Rule
    TypeId m_roundPolicyType;   //!< attribute RoundPolicy
    TypeId m_missingPolicyType; //!< attribute MissingPolicy
    uint32_t m_rounds{0};       //!< attribute Rounds
    Time m_responseTimeout;     //!< attribute ResponseTimeout
    Time m_suspicionTimeout;    //!< attribute SuspicionTimeout
    uint32_t m_ahead{0};        //!< attribute Ahead
    bool m_usePartial{false};   //!< attribute UsePartial
    uint32_t m_byzantine{0};    //!< attribute Byzantine

    LearnerContext m_context;                //!< surroundings
    Ptr<UpdateRule> m_rule;                  //!< the algorithm
    Ptr<RoundPolicy> m_roundPolicy;          //!< when a round closes
    std::unique_ptr<MessageWindow> m_window; //!< messages that rounds may use
    std::optional<RoundBarrier> m_wait;      //!< what a round waits for
    std::optional<BelievedRound> m_believed; //!< where the neighbours are
    /** While joining: vectors that no window has room for yet, the newest of each source. */
    std::map<RoundWindow::Source, Arrival> m_held;

    uint32_t m_nextRound{0}; //!< to open next
    Time m_sent;             //!< when the round's messages were sent
    EventId m_deadlineEvent; //!< the round policy's deadline
    EventId m_patienceEvent; //!< end of the learner's patience
};

} // namespace ns3::dlearn

#endif // DLEARN_PEER_APPLICATION_H
