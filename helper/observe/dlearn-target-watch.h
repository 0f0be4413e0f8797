/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TARGET_WATCH_H
#define DLEARN_TARGET_WATCH_H

#include "dlearn-run-watch.h"

#include "ns3/dlearn-learner-application.h"
#include "ns3/dlearn-trace-connections.h"

#include <set>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Warns when the account of an honest learner exceeds the epsilon that its noise was planned for.
 * That happens where a plan cannot know what a run does, as when a fast client sends more updates
 * to a buffer than there are rounds, or when a mean is of fewer messages than were planned. Nothing
 * stops a learner but a budget.
 */
class TargetWatch
{
  public:
    /**
     * @param learners all applications of the run, in the order of their numbers
     * @param target epsilon that was planned for, more than 0
     * @param watch gets events and warnings; it must outlive this
     */
    TargetWatch(std::vector<Ptr<LearnerApplication>> learners, double target, RunWatch& watch);

    TargetWatch(const TargetWatch&) = delete;
    TargetWatch& operator=(const TargetWatch&) = delete;

    /** The simulation is over: note what was revealed after the last rounds of learners. */
    void Finish();

  private:
    void HandleRoundEnd(const RoundRecord& record);
    void HandleExposure(LearnerId client, uint32_t round);
    bool Exceeds(double epsilon) const;
    void Note(LearnerApplication& learner, uint32_t round, double epsilon);

    std::vector<Ptr<LearnerApplication>> m_learners; //!< all
    double m_target;                                 //!< epsilon that was planned for
    RunWatch& m_watch;                               //!< gets events and warnings
    std::set<LearnerId> m_noted;                     //!< learners of which it was told
    TraceConnections m_traces;                       //!< of the learners
};

} // namespace ns3::dlearn

#endif // DLEARN_TARGET_WATCH_H
