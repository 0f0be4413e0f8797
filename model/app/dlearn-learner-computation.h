/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_LEARNER_COMPUTATION_H
#define DLEARN_LEARNER_COMPUTATION_H

#include "ns3/dlearn-compute-pool.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"

#include <functional>
#include <string>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What a learner computes, one thing at a time: it takes simulated time, in which another thread
 * may do the work.
 */
class LearnerComputation
{
  public:
    /**
     * @param finished called at the end of each computation, when its work is done
     * @param describe who computes what, for messages about what the work or finished refuses
     */
    void SetCallback(std::function<void()> finished, std::function<std::string()> describe);

    /**
     * @param time that it takes
     * @param work that is done by then, maybe on another thread, see ComputePool; may be empty
     */
    void Start(Time time, std::function<void()> work);

    /** Give up what is under way, if anything is; to be called before the end of its owner. */
    void Cancel();

    /** @return the time that the newest computation takes, or took until it was given up */
    Time GetTime() const { return m_time; }

  private:
    /**
     * Wait for the thread that computes, and go on.
     *
     * @throw std::invalid_argument that also names who computes, for one on the way; exceptions of
     *        other types pass as they are
     */
    void End();

    std::function<void()> m_finished;        //!< called at the end
    std::function<std::string()> m_describe; //!< who computes what
    Time m_time;                             //!< of the newest computation
    EventId m_endEvent;                      //!< its end
    ComputePool::JobPtr m_job;               //!< its work; null for none
};

} // namespace ns3::dlearn

#endif // DLEARN_LEARNER_COMPUTATION_H
