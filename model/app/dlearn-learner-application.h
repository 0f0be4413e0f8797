/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_LEARNER_APPLICATION_H
#define DLEARN_LEARNER_APPLICATION_H

#include "dlearn-compute-model.h"
#include "dlearn-life-cycle.h"
#include "dlearn-message-table.h"

#include "ns3/application.h"
#include "ns3/dlearn-learner-rule.h"
#include "ns3/dlearn-message-exchange.h"
#include "ns3/dlearn-trace-connections.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * How useful a message was to its receiver.
 */
enum class Reception
{
    ON_TIME, //!< whole, for the open round or one to come
    LATE,    //!< whole, for a round that is over
    PARTIAL, //!< in part, and that part was used
    UNUSABLE //!< not a usable vector, not wanted, or there already
};

/**
 * @ingroup dlearn
 * @param disposition of a message
 * @param usable whether it was a whole finite vector of the right length
 * @return ON_TIME, LATE or UNUSABLE
 */
Reception GetReception(MessageDisposition disposition, bool usable);

/** @ingroup dlearn
 *  @return the name: on-time, late, partial or unusable */
const char* ToString(Reception reception);

/**
 * @ingroup dlearn
 * What the applications of all learners (peers, clients and servers) share: a state, a message
 * layer, a device on which computation takes time, the records of the rounds, and the ways to
 * start and to stop (LifeCycle): start and stop time, Crash(), LosePower(), Leave(), Restart(). A
 * derived class knows which learners wait for each other.
 *
 * A listener of a trace may also call Crash(), Leave() and Restart(): they take effect when the
 * learner has finished its current work, at the same simulated time.
 *
 * A crash drops the open round and all sockets. A learner that leaves finishes what it has begun,
 * and messages that it has handed to its transport are still sent. Restart() keeps the model, the
 * data and the privacy ledger, as from a disk.
 */
class LearnerApplication : public Application, private LifeCycle::Owner
{
  public:
    using State = LifeCycle::State;
    using Reception = dlearn::Reception;

    static TypeId GetTypeId();
    LearnerApplication();
    ~LearnerApplication() override;

    /**
     * Stop at once, as if the power went. Before its start time, the learner will not start. No
     * effect on one that has finished or stopped.
     */
    void Crash() { m_life.Crash(); }

    /**
     * As Crash(), because the battery of the device is empty: until RestorePower(), the learner
     * does not start. One that crashes or leaves meanwhile is down for that reason then.
     */
    void LosePower() { m_life.LosePower(); }

    /** The battery is charged again: start the learner, if only the lack of power kept it down. */
    void RestorePower() { m_life.RestorePower(); }

    /** Finish what has begun and do no more; otherwise as Crash(). */
    void Leave() { m_life.Leave(); }

    /**
     * Start again after Crash() or Leave(), at the start time at the earliest, and with power; a
     * learner that is still leaving stays. This has no effect otherwise, and none after the stop
     * time.
     */
    void Restart() { m_life.Restart(); }

    /** @return whether the learner is down and starts as soon as it has power */
    bool IsAwaitingPower() const { return m_life.IsAwaitingPower(); }

    /**
     * Let the learner's clock run too fast or too slow, from the round that it opens next. The
     * clock measures how long it computes, the deadline of a round and how long it waits for
     * others; not the timers of a transport, and not the ResponseTimeout of a server.
     *
     * @param ppm by how many seconds in a million the clock is fast; negative when it is slow, more
     *        than -1000000
     */
    void SetClockDrift(double ppm);

    /** Another rank simulates the learner, and this one keeps its state only (see Ranks). */
    void MirrorState(State state) { m_life.SwitchTo(state); }

    State GetState() const { return m_life.GetState(); }

    /** @return whether the learner will do nothing more unless others make it */
    virtual bool IsDone() const { return m_life.HasEnded(); }

    /** @return whether the learner was configured as Byzantine; false unless overridden */
    virtual bool IsByzantine() const { return false; }

    /** @return peer, client or server; byzantine for Byzantine peers and clients */
    virtual std::string GetRole() const = 0;

    /** @return the learner's number */
    LearnerId GetLearnerId() const { return m_self; }

    /** @return rounds that the learner is to do; 0 where others decide that */
    virtual uint32_t GetRounds() const = 0;

    /** @return the algorithm */
    virtual Ptr<LearnerRule> GetLearnerRule() = 0;

    /** @return one record for each closed round; late messages are counted when they arrive */
    virtual const std::vector<RoundRecord>& GetRecords() const = 0;

    /** @throw std::logic_error when a conservation law of RoundRecord does not hold */
    virtual void CheckConservation() const = 0;

    /**
     * Complete the records when the simulation is over.
     * @param totals counters of the whole run; this learner's are added
     */
    virtual void Finish(std::map<std::string, uint64_t>& totals);

    /**
     * After the learner was given its surroundings.
     * @return expected time of the training of the first round; 0 where that is not known, and
     *         unless overridden
     */
    virtual Time GetTrainingTime() const { return Time(0); }

    /** @return how long computation takes */
    Ptr<ComputeModel> GetComputeModel() const { return m_computeModel; }

    /** @return the message layer */
    Ptr<MessageExchange> GetExchange() const { return m_exchange; }

    /**
     * Fix the random streams of the rule, the compute model and the message layer.
     * @param stream first stream number
     * @return number of streams used
     */
    virtual int64_t AssignStreams(int64_t stream); // also virtual in Application since ns-3.42

    /** Signature of the trace StateTransition. */
    using StateTracedCallback = void (*)(State oldState, State newState);

    /** Signature of the traces ModelTx and RoundBegin. */
    using RoundTracedCallback = void (*)(LearnerId learner, uint32_t round);

    /**
     * Signature of the trace ModelRx.
     * @param learner receiver
     * @param sender sender
     * @param round of the message
     * @param disposition of the message
     * @param usable whether it was a whole finite vector of the right length
     */
    using ModelRxTracedCallback = void (*)(LearnerId learner,
                                           LearnerId sender,
                                           uint32_t round,
                                           MessageDisposition disposition,
                                           bool usable);

    /** Signature of the trace MessageRx: source and round of a message, and its use. */
    using MessageRxTracedCallback = void (*)(const MessageSource& source,
                                             uint32_t round,
                                             Reception reception);

    /**
     * Signature of the trace RoundEnd.
     * @param record the closed round; GetRecords() counts messages that arrive late, afterwards
     */
    using RoundEndTracedCallback = void (*)(const RoundRecord& record);

    /** Signature of the trace Compute: time and floating-point operations. */
    using ComputeTracedCallback = void (*)(Time time, double operations);

    /** Signature of the trace Event. */
    using EventTracedCallback = void (*)(const LearnerEvent& event);

  protected:
    /** @throw std::invalid_argument for a negative start or stop time */
    void DoInitialize() override;
    void DoDispose() override;

    /** Open the sockets and begin, as ns3::Application demands. */
    void StartApplication() override;

    /** @throw std::invalid_argument without a node */
    void CheckBasics();

    /**
     * Prepare what all learners have. Derived classes call this when they get their context.
     *
     * @param self the learner's number
     * @param peers the learners to exchange with
     * @param dimension entries of every vector
     */
    void SetUp(LearnerId self, const Transport::Peers& peers, uint32_t dimension);

    /** Give up whatever is open. The learner was set up. */
    virtual void DropRound() = 0;

    /** The computation that StartCompute() began is over. */
    virtual void FinishCompute() = 0;

    /** @return the disposition that a message of a round would have */
    virtual MessageDisposition Classify(const MessageSource& source, uint32_t round) = 0;

    /**
     * Take a message.
     *
     * @param source sender and channel
     * @param round the message's round
     * @param arrival the vector, to move from; nothing when it cannot be used
     */
    virtual void Offer(const MessageSource& source,
                       uint32_t round,
                       std::optional<Arrival>& arrival) = 0;

    /**
     * Call the traces ModelRx and MessageRx.
     * @param usable whether the message was a whole finite vector of the right length
     */
    void NoteReceived(const MessageSource& source,
                      uint32_t round,
                      MessageDisposition disposition,
                      bool usable);

    /** Call the trace MessageRx for a part of a message that is used. */
    void NotePartial(const MessageSource& source, uint32_t round)
    {
        m_messageRxTrace(source, round, Reception::PARTIAL);
    }

    void SwitchToState(State state) { m_life.SwitchTo(state); }

    /** @param state STOPPED or FINISHED: drop the round, close the sockets */
    void Halt(State state) { m_life.Halt(state); }

    const LearnerClock& GetClock() const { return m_clock; }

    /** @return whether SetUp() was called: the learner takes no other parts from then on */
    bool IsSetUp() const { return m_setUp; }

    /** @return whether the learner has started, and neither finished nor stopped */
    bool IsRunning() const { return m_life.IsRunning(); }

    /** @return whether the learner was asked to leave */
    bool IsLeaving() const { return m_life.IsLeaving(); }

    /** @return the newest record, to complete it; null for none */
    virtual RoundRecord* GetLastRecord() = 0;

    /** A round begins now. */
    void BeginRecord(uint32_t round);

    /**
     * Call the trace Event.
     * @param other the learner that is suspected or was waited for
     */
    void NoteEvent(LearnerEvent::Kind kind, std::optional<LearnerId> other = std::nullopt);

    /**
     * Compute for as long as the compute model says, until FinishCompute().
     *
     * @param samples samples whose gradient is evaluated
     * @param flopsPerSample floating-point operations of one sample's gradient
     * @param work that is done by then, maybe on another thread, see ComputePool; may be empty
     */
    void StartCompute(uint64_t samples, double flopsPerSample, std::function<void()> work = {});

    /** Fill the fields of a closed round that any learner knows: time, privacy, bytes, durations.
     */
    void FillRecord(RoundRecord& record);

    LearnerId m_self{0};
    ByteTally m_bytes;

    uint32_t m_tracing{0}; //!< traces whose listeners are being called; declared before them
    CountedTrace<LearnerId, uint32_t> m_roundBeginTrace{m_tracing};
    CountedTrace<LearnerId, uint32_t> m_modelTxTrace{m_tracing};
    CountedTrace<const RoundRecord&> m_roundEndTrace{m_tracing};

  private:
    /** Stop at the stop time of ns3::Application. */
    void StopApplication() final;

    void Open() final { m_exchange->Open(); }

    void Close() final;

    bool IsTracing() final
    {
        return m_tracing > 0 || m_exchange->IsTracing() || GetLearnerRule()->IsTracing();
    }

    void HandleState(State left, State entered) final;

    void HandleEvent(LearnerEvent::Kind kind) final { NoteEvent(kind); }

    Ptr<ComputeModel> m_computeModel;
    Ptr<MessageExchange> m_exchange;

    LifeCycle m_life{*this};
    bool m_setUp{false};
    std::optional<uint32_t> m_newest; //!< round that was opened last
    LearnerClock m_clock;
    LearnerComputation m_computation;

    CountedTrace<State, State> m_stateTrace{m_tracing};
    CountedTrace<Time, double> m_computeTrace{m_tracing};
    CountedTrace<LearnerId, LearnerId, uint32_t, MessageDisposition, bool> m_modelRxTrace{
        m_tracing};
    CountedTrace<const MessageSource&, uint32_t, Reception> m_messageRxTrace{m_tracing};
    CountedTrace<const LearnerEvent&> m_eventTrace{m_tracing};
};

/**
 * @ingroup dlearn
 * @param who asks for the learners, for the message
 * @param learners given by a script
 * @throw std::invalid_argument when one of them is null
 */
void RequireLearners(const std::string& who, const std::vector<Ptr<LearnerApplication>>& learners);

} // namespace ns3::dlearn

#endif // DLEARN_LEARNER_APPLICATION_H
