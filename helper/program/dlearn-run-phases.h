/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RUN_PHASES_H
#define DLEARN_RUN_PHASES_H

#include "ns3/dlearn-phase-meter.h"
#include "ns3/dlearn-run-results.h"

#include <map>
#include <memory>
#include <vector>

namespace ns3::dlearn
{

class StateArchive;

/**
 * @ingroup dlearn
 * The meters of a run that tell where the time of rounds goes.
 */
class RunPhases
{
  public:
    /** @param learners of the run, on their nodes; must outlive this object */
    explicit RunPhases(const std::vector<Ptr<LearnerApplication>>& learners);

    /** @return the activity of a node with one learner; null for any other node */
    NodeActivity* WatchDevice(const Node& node);

    /** @param results get the phases of their rounds */
    void Complete(RunResults& results) const;

  private:
    std::vector<std::unique_ptr<PhaseMeter>> m_meters; //!< by learner
    std::map<uint32_t, PhaseMeter*> m_byNode; //!< by node; null for one of several learners
};

} // namespace ns3::dlearn

#endif // DLEARN_RUN_PHASES_H
