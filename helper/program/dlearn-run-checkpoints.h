/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RUN_CHECKPOINTS_H
#define DLEARN_RUN_CHECKPOINTS_H

#include "dlearn-checkpoint.h"
#include "dlearn-run-spec.h"

#include "ns3/dlearn-fault-event.h"
#include "ns3/dlearn-learner-application.h"
#include "ns3/event-id.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ns3::dlearn
{

class StateArchive;

/**
 * @ingroup dlearn
 * The checkpoints of a run: writes them, and goes on from one.
 *
 * The state is saved when all learners that are up have closed another so many rounds, at the first
 * instant in which no learner sends anything. In a network without delay nothing is under way
 * then. Clients and Byzantine learners do not count, as they have no rounds of their own or may not
 * close them.
 *
 * A run that goes on has the same learners, which hibernate until the simulated time of the
 * checkpoint, and then take up their states.
 */
class RunCheckpoints
{
  public:
    /** Saves or loads all that changes during the run. */
    using Visitor = std::function<void(StateArchive&)>;

    /**
     * @param spec of the run; must outlive this
     * @param learners all applications of the run; listeners that belong to the state are connected
     *        already
     * @param visit called between two events
     */
    RunCheckpoints(const RunSpec& spec,
                   std::vector<Ptr<LearnerApplication>> learners,
                   Visitor visit);

    RunCheckpoints(const RunCheckpoints&) = delete;
    RunCheckpoints& operator=(const RunCheckpoints&) = delete;
    ~RunCheckpoints();

    /**
     * Write checkpoints from now on, and go on from an earlier one, as the options say. To be
     * called before the simulation.
     *
     * @param resumed called when the state is loaded, at its time; may be empty
     * @throw std::invalid_argument naming a type whose state cannot be saved, or what is wrong
     * with the checkpoint
     */
    void Begin(std::function<void()> resumed);

    /** @return whether the run has begun, or gone on: a state that had to be loaded is */
    bool HasBegun() const;

    /** @throw std::runtime_error when the run was ended before it has begun */
    void RequireBegun() const;

    /**
     * The run has reached its end: there is nothing to go on from.
     * @return as HasFile()
     */
    bool Complete();

    /** @return whether the checkpoint in the folder of the results is of this run */
    bool HasFile() const;

    /** @return events of the simulator, of earlier parts of the run, too */
    uint64_t CountEvents() const;

    /** @return those before the checkpoint from which the run went on; 0 for none */
    uint64_t CountResumed() const
    {
        return m_before;
    }

  private:
    /** @param record of a round, after which a checkpoint may be due */
    void HandleRoundEnd(const RoundRecord& record);

    /** @return rounds that the slowest learner has closed; of those that still learn */
    uint32_t CountClosed() const;

    /** @return bytes that all learners have sent */
    uint64_t CountSent() const;

    /** Choose the round of the next checkpoint. */
    void SkipClosed();

    /** Save the state, unless what was just sent may still arrive at this instant. */
    void Check();

    /** @param complete whether the run has ended, which leaves no state to go on from */
    void Save(bool complete);

    /** @return whether the run goes on from a checkpoint in the folder of its results */
    bool IsFromHere() const;

    /** Load the state of the checkpoint, and go on from there. */
    void Load();

    const RunSpec& m_spec;                           //!< of the run
    std::vector<Ptr<LearnerApplication>> m_learners; //!< all
    Visitor m_visit;                                 //!< saves or loads
    std::function<void()> m_resumed;                 //!< called when a state is loaded
    std::string m_state;                             //!< to be loaded
    std::vector<InputFile> m_inputs;                 //!< as they are when the run begins
    bool m_loaded{false};                            //!< whether a state was loaded
    bool m_saved{false};                             //!< whether one was saved
    uint32_t m_next;                                 //!< rounds closed when the next is due
    EventId m_event;                                 //!< looks whether nothing is sent
    uint64_t m_sent{0};                              //!< bytes sent an instant before
    uint64_t m_before{0};                            //!< events of earlier parts
    int64_t m_events{0};                             //!< of earlier parts, less those caused here
};

/**
 * @ingroup dlearn
 * @param spec of a run that goes on now
 * @param faults of the run
 * @param warnings get one of what its checkpoint does not hold, if that is anything
 */
void WarnOfForgotten(const RunSpec& spec,
                     const std::vector<FaultEvent>& faults,
                     RunWarnings& warnings);

} // namespace ns3::dlearn

#endif // DLEARN_RUN_CHECKPOINTS_H
