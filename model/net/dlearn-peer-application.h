/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PEER_APPLICATION_H
#define DLEARN_PEER_APPLICATION_H

#include "dlearn-compute-model.h"
#include "dlearn-message-exchange.h"
#include "dlearn-missing-policy.h"
#include "dlearn-neighbor-watch.h"
#include "dlearn-round-policy.h"
#include "dlearn-round-window.h"

#include "ns3/application.h"
#include "ns3/dlearn-update-rule.h"
#include "ns3/event-id.h"
#include "ns3/traced-callback.h"

#include <optional>

namespace ns3
{
namespace dlearn
{

/**
 * @ingroup dlearn
 * One learner of a network without a server, round after round:
 *
 *  1. OpenRound(): the update rule fetches the round's data; messages that came early are
 *     there at once. State TRAINING for as long as the ComputeModel says.
 *  2. FinishCompute(): the rule evaluates its gradient and says what to send; the
 *     MessageExchange sends it. State EXCHANGING.
 *  3. TryClose(), on every arrival and when a deadline passes: the RoundPolicy says whether
 *     the round closes, the MissingPolicy what a missing message means.
 *  4. CloseRound(): the rule gets what arrived and moves on.
 *
 * Nobody is waited for without end. After Patience of waiting a round closes as it is, and a
 * neighbour that was waited for in vain for Tolerance in all, since it was last heard, is not
 * waited for any more until it is heard again. So a learner that crashes or leaves costs the
 * others a bounded time, whatever their policies. Nor is a neighbour waited for that is heard
 * to be in a later round already: what it sent for this one is lost.
 *
 * A crash (Crash()) drops the open round and all sockets. Restart() keeps the model, the data
 * and the privacy ledger, as from a disk: the learner listens for at most Patience, joins the
 * round that its neighbours are in, and sends nothing for the rounds that it missed.
 *
 * Life cycle: create, SetContext(), then ns-3's start time, stop time and Simulator::Run.
 */
class PeerApplication : public Application
{
  public:
    /** What the learner is doing. */
    enum class State
    {
        NOT_STARTED, //!< before its start time
        JOINING,     //!< after a restart: listens for the neighbours' round
        TRAINING,    //!< computes its gradient
        EXCHANGING,  //!< has sent, waits for the neighbours
        FINISHED,    //!< all rounds done, or the privacy budget forbids another
        STOPPED      //!< crashed, or past its stop time
    };

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

    /** Stop at once, as if the power went. No effect unless running. */
    void Crash();

    /** Start again after a crash. No effect unless crashed, nor after the stop time. */
    void Restart();

    /** @return the state */
    State GetState() const;

    /** @return whether no more rounds will be closed, unless by Restart() */
    bool IsDone() const;

    /**
     * The learner's parts. Each is created as its attribute says on the first call, so that
     * what differs between learners can be set on it before SetContext().
     * @return the update rule
     */
    Ptr<UpdateRule> GetRule();

    /** @return when a round closes; see GetRule() */
    Ptr<RoundPolicy> GetRoundPolicy();

    /** @return how long a gradient takes; see GetRule() */
    Ptr<ComputeModel> GetComputeModel();

    /** @return the message layer; see GetRule() */
    Ptr<MessageExchange> GetExchange();

    /** @return the books of the rounds; throws before SetContext() */
    const RoundWindow& GetWindow() const;

    /** @return the learner's number */
    LearnerId GetLearnerId() const;

    /** @return rounds that the learner is to do (attribute Rounds) */
    uint32_t GetRounds() const;

    /**
     * Fix the random streams of the rule and the compute model.
     * @param stream first stream number
     * @return number of streams used
     */
    int64_t AssignStreams(int64_t stream); // virtual in ns3::Application since ns-3.42

    /**
     * Signature of the trace StateTransition.
     * @param oldState the state left
     * @param newState the state entered
     */
    using StateTracedCallback = void (*)(State oldState, State newState);
    /**
     * Signature of the traces ModelTx and RoundBegin.
     * @param learner the learner
     * @param round the round
     */
    using RoundTracedCallback = void (*)(LearnerId learner, uint32_t round);
    /**
     * Signature of the trace ModelRx.
     * @param learner who received
     * @param sender who sent
     * @param round of the message
     * @param verdict what became of it
     * @param usable whether it was a whole finite vector of the right length
     */
    using ModelRxTracedCallback = void (*)(LearnerId learner,
                                           LearnerId sender,
                                           uint32_t round,
                                           RoundWindow::Verdict verdict,
                                           bool usable);
    /**
     * Signature of the trace RoundEnd.
     * @param record the closed round; late messages are booked in GetWindow() afterwards
     */
    using RoundEndTracedCallback = void (*)(const RoundRecord& record);

  protected:
    void DoDispose() override;

  private:
    void StartApplication() override;
    void StopApplication() override;

    void SwitchToState(State state);
    void Join();
    void OpenRound(uint32_t round);
    void FinishCompute();
    void WatchDeadlines();
    void TryClose(bool patienceOver);
    void CloseRound();
    void GoOn();
    void Halt(State state);

    RoundWindow::Verdict Judge(const RoundWindow::Source& source, uint32_t round);
    void Offer(const RoundWindow::Source& source, uint32_t round, std::optional<Arrival>& arrival);
    void TakePartials();
    void AddStandIns(Inbox& inbox) const;

    TypeId m_ruleType;          //!< attribute Rule
    TypeId m_roundPolicyType;   //!< attribute RoundPolicy
    TypeId m_missingPolicyType; //!< attribute MissingPolicy
    TypeId m_computeModelType;  //!< attribute ComputeModel
    uint32_t m_rounds{0};       //!< attribute Rounds
    Time m_patience;            //!< attribute Patience
    Time m_tolerance;           //!< attribute Tolerance
    uint32_t m_ahead{0};        //!< attribute Ahead
    bool m_usePartial{false};   //!< attribute UsePartial

    LearnerContext m_context;             //!< surroundings
    Ptr<UpdateRule> m_rule;               //!< the algorithm
    Ptr<RoundPolicy> m_roundPolicy;       //!< when a round closes
    Ptr<MissingPolicy> m_missingPolicy;   //!< what a missing message means
    Ptr<ComputeModel> m_computeModel;     //!< how long a gradient takes
    Ptr<MessageExchange> m_exchange;      //!< sockets and messages
    std::optional<RoundWindow> m_window;  //!< messages by round
    std::optional<NeighborWatch> m_watch; //!< whom to wait for

    State m_state{State::NOT_STARTED}; //!< what the learner is doing
    bool m_retired{false};             //!< whether the stop time has passed
    uint32_t m_nextRound{0};           //!< to open next
    Time m_opened;                     //!< when the round opened
    Time m_compute;                    //!< compute time of the round
    Time m_sent;                       //!< when the round\'s messages were sent
    uint64_t m_txBytes{0};             //!< sent before the round
    uint64_t m_rxBytes{0};             //!< received before the round
    EventId m_computeEvent;            //!< end of the computation
    EventId m_deadlineEvent;           //!< the round policy's deadline
    EventId m_patienceEvent;           //!< end of the learner's patience

    TracedCallback<State, State> m_stateTrace;             //!< StateTransition
    TracedCallback<LearnerId, uint32_t> m_roundBeginTrace; //!< RoundBegin
    TracedCallback<LearnerId, uint32_t> m_modelTxTrace;    //!< ModelTx
    TracedCallback<LearnerId, LearnerId, uint32_t, RoundWindow::Verdict, bool>
        m_modelRxTrace;                                 //!< ModelRx
    TracedCallback<const RoundRecord&> m_roundEndTrace; //!< RoundEnd
};

} // namespace dlearn
} // namespace ns3

#endif // DLEARN_PEER_APPLICATION_H
