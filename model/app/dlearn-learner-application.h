/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_LEARNER_APPLICATION_H
#define DLEARN_LEARNER_APPLICATION_H

#include "dlearn-compute-model.h"
#include "dlearn-life-cycle.h"
#include "dlearn-message-table.h"

#include "ns3/application.h"
#include "ns3/dlearn-compute-pool.h"
#include "ns3/dlearn-learner-rule.h"
#include "ns3/dlearn-message-exchange.h"
#include "ns3/dlearn-trace-connections.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/** @ingroup dlearn
 *  How useful a message was to its receiver. */
enum class Reception
{
    ON_TIME, //!< whole, for the open round or one to come
    LATE,    //!< whole, for a round that is over
    PARTIAL, //!< in part, and that part was used
    UNUSABLE //!< not a usable vector, not wanted, or there already
};

/** @ingroup dlearn
 *  @return the name: on-time, late, partial or unusable */
const char* ToString(Reception reception);

/**
 * @ingroup dlearn
 * The common part of the applications of all learners (peers, clients and servers): a state
 * (LifeCycle), a message layer, a device on which computation takes time, and the records of the
 * rounds. A derived class knows which learners wait for each other.
 *
 * A crash drops the open round and all sockets. A learner that leaves finishes its current work,
 * and its transport still sends its messages. A learner that restarts has its model, its data and
 * its privacy account, as from a disk.
 */
class LearnerApplication : public Application, public LifeCycle
{
  public:
    using Reception = dlearn::Reception;

    static TypeId GetTypeId();

    /**
     * Let the learner's clock run too fast or too slow, from the next round. The clock measures how
     * long it computes, the deadline of a round and how long it waits for others, but not the
     * timers of a transport, and not the ResponseTimeout of a server.
     *
     * @param ppm by how many seconds in a million the clock is fast; negative when it is slow, more
     *        than -1000000
     */
    void SetClockDrift(double ppm);

    /** Note the state of a learner that another rank simulates (see Ranks). */
    void MirrorState(State state) { SwitchToState(state); }

    /** @return whether the learner works only if others send it a message */
    virtual bool IsDone() const { return HasEnded(); }

    /** @return whether the learner was configured as Byzantine; false unless overridden */
    virtual bool IsByzantine() const { return false; }

    /** @return peer, client or server, edge or edge-server for the two halves of an edge server;
     *          byzantine for Byzantine peers and clients */
    virtual std::string GetRole() const = 0;

    LearnerId GetLearnerId() const { return m_self; }

    /** @return planned number of rounds; 0 where others decide on it */
    virtual uint32_t GetRounds() const = 0;

    virtual Ptr<LearnerRule> GetLearnerRule() = 0;

    /** @return one record for each closed round; late messages are counted when they arrive */
    virtual const std::vector<RoundRecord>& GetRecords() const = 0;

    /** @throw std::logic_error when a conservation law of RoundRecord does not hold */
    virtual void CheckConservation() const = 0;

    /** Complete the records at the end of the simulation, and add this learner's counters. */
    virtual void Finish(std::map<std::string, uint64_t>& totals);

    /** @return expected time of the first round's training, after SetContext(); 0: unknown */
    virtual Time GetTrainingTime() const { return Time(0); }

    Ptr<ComputeModel> GetComputeModel() const { return m_computeModel; }

    Ptr<MessageExchange> GetExchange() const { return m_exchange; }

    /** Fix the random streams of rule, compute model and message layer, from @p stream on.
     *  @return number of streams used */
    virtual int64_t AssignStreams(int64_t stream); // also virtual in Application since ns-3.42

    /** Signature of the trace StateTransition. */
    using StateTracedCallback = void (*)(State oldState, State newState);

    /** Signature of the traces ModelTx and RoundBegin. */
    using RoundTracedCallback = void (*)(LearnerId learner, uint32_t round);

    /** Signature of the trace ModelRx.
     *  @param usable whether the message was a whole finite vector of the right length */
    using ModelRxTracedCallback = void (*)(LearnerId learner,
                                           LearnerId sender,
                                           uint32_t round,
                                           MessageDisposition disposition,
                                           bool usable);

    /** Signature of the trace MessageRx: source, round and use of a message. */
    using MessageRxTracedCallback = void (*)(const MessageSource& source,
                                             uint32_t round,
                                             Reception reception);

    /** Signature of the trace RoundEnd.
     *  @param record the closed round; GetRecords() adds messages that arrive later */
    using RoundEndTracedCallback = void (*)(const RoundRecord& record);

    /** Signature of the trace Compute: time and floating-point operations. */
    using ComputeTracedCallback = void (*)(Time time, double operations);

    /** Signature of the trace Event. */
    using EventTracedCallback = void (*)(const LearnerEvent& event);

  protected:
    /** @throw std::invalid_argument for a negative start or stop time */
    void DoInitialize() override;
    void DoDispose() override;

    void StartApplication() override;

    /** @throw std::invalid_argument without a node */
    void CheckBasics();

    /**
     * Set up the common part of all learners, when they get their context.
     *
     * @param self the learner's number
     * @param peers the learners to exchange with
     * @param dimension entries of every vector
     */
    void SetUp(LearnerId self, const Transport::Peers& peers, uint32_t dimension);

    /** Give up the open round of a learner that was set up. */
    virtual void DropRound() = 0;

    /** The computation of StartCompute() is over. */
    virtual void FinishCompute() = 0;

    /** @return the disposition that a message of a round would have */
    virtual MessageDisposition Classify(const MessageSource& source, uint32_t round) = 0;

    /** Take a message. @param arrival the vector, to move from; nothing when it cannot be used */
    virtual void Offer(const MessageSource& source,
                       uint32_t round,
                       std::optional<Arrival>& arrival) = 0;

    /** Call the traces ModelRx and MessageRx.
     *  @param usable whether the message was a whole finite vector of the right length */
    void NoteReceived(const MessageSource& source,
                      uint32_t round,
                      MessageDisposition disposition,
                      bool usable);

    /** Call the trace MessageRx for a part of a message that is used. */
    void NotePartial(const MessageSource& source, uint32_t round)
    {
        m_messageRxTrace(source, round, Reception::PARTIAL);
    }

    const LearnerClock& GetClock() const { return m_clock; }

    /** @return whether SetUp() was called, which fixes the learner's parts */
    bool IsSetUp() const { return m_setUp; }

    /** @return the newest record, to complete it; null: none */
    virtual RoundRecord* GetLastRecord() = 0;

    /** A round begins now. */
    void BeginRecord(uint32_t round);

    /** Call the trace Event. @param other the learner that is suspected or was waited for */
    void NoteEvent(LearnerEvent::Kind kind, std::optional<LearnerId> other = std::nullopt);

    /**
     * Compute for as long as the compute model says, or let the rule train elsewhere
     * (LearnerRule::Begin()), then call FinishCompute().
     *
     * @param samples samples whose gradient is evaluated
     * @param flopsPerSample floating-point operations of one sample's gradient
     * @param work to be done by then, maybe on another thread (ComputePool); may be empty
     * @param told if not empty: the work is done at once, and this returns the seconds that it
     *        takes, in place of the compute model
     */
    void StartCompute(uint64_t samples,
                      double flopsPerSample,
                      std::function<void()> work = {},
                      const std::function<double()>& told = {});

    /** Fill in time, privacy, bytes and durations of a closed round. */
    void FillRecord(RoundRecord& record);

    LearnerId m_self{0};
    TrafficCounter m_bytes;

    uint32_t m_tracing{0}; //!< traces whose listeners are being called; declared before them
    CountedTrace<LearnerId, uint32_t> m_roundBeginTrace{m_tracing};
    CountedTrace<LearnerId, uint32_t> m_modelTxTrace{m_tracing};
    CountedTrace<const RoundRecord&> m_roundEndTrace{m_tracing};

  private:
    void StopApplication() final;

    void Open() final { m_exchange->Open(); }

    void Close() final;

    bool IsTracing() final
    {
        return m_tracing > 0 || m_exchange->IsTracing() || GetLearnerRule()->IsTracing();
    }

    void HandleState(State left, State entered) final;

    void HandleEvent(LearnerEvent::Kind kind) final { NoteEvent(kind); }

    /** Wait for the thread that computes, and call FinishCompute(). */
    void EndCompute();
    void CancelCompute();

    Ptr<ComputeModel> m_computeModel;
    Ptr<MessageExchange> m_exchange;

    bool m_setUp{false};
    std::optional<uint32_t> m_newest; //!< round that was opened last
    LearnerClock m_clock;
    Time m_computeTime; //!< of the newest computation, until its end or until it was given up
    EventId m_computeEnd;
    ComputePool::JobPtr m_computeJob; //!< null: none

    CountedTrace<State, State> m_stateTrace{m_tracing};
    CountedTrace<Time, double> m_computeTrace{m_tracing};
    CountedTrace<LearnerId, LearnerId, uint32_t, MessageDisposition, bool> m_modelRxTrace{
        m_tracing};
    CountedTrace<const MessageSource&, uint32_t, Reception> m_messageRxTrace{m_tracing};
    CountedTrace<const LearnerEvent&> m_eventTrace{m_tracing};
};

/**
 * @param who asks for the learners, for the message
 * @param learners given by a script
 * @throw std::invalid_argument when one of them is null
 */
void RequireLearners(const std::string& who, const std::vector<Ptr<LearnerApplication>>& learners);

} // namespace ns3::dlearn

#endif // DLEARN_LEARNER_APPLICATION_H
