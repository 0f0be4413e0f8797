/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RUN_ENERGY_H
#define DLEARN_RUN_ENERGY_H

#include "dlearn-run-learners.h"
#include "dlearn-run-spec.h"

#include "ns3/dlearn-energy-meter.h"
#include "ns3/dlearn-monitor.h"
#include "ns3/dlearn-run-results.h"

#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Meters and batteries of the learners of a run, as its options say. Without these options there
 * are none.
 */
class RunEnergy
{
  public:
    /**
     * @param spec what to run
     * @param learners on the network
     * @param begin simulated time from which joules count
     * @throw std::invalid_argument for options or columns of devices without effect, and for
     *        learners that share a node
     */
    RunEnergy(const RunSpec& spec, const RunLearners& learners, Time begin);

    /** @return objects with attributes, which no path of ns3::Config reaches */
    std::vector<Ptr<const Object>> GetObjects() const;

    /**
     * @param monitor is told when learners will start again and what all nodes have spent, and
     * tells when they have finished; must outlive the simulation, and not this
     */
    void TellMonitor(Monitor& monitor);

    /** @param results with their rows, which get joules, as do the nodes */
    void Complete(RunResults& results) const;

  private:
    /**
     * @param spec what to run
     * @param learners on the network
     * @return what their devices differ in, by learner
     */
    static std::vector<DeviceProfile> MakeDevices(const RunSpec& spec, const RunLearners& learners);

    /** @return joules that all nodes have spent so far; NaN when those of none are known */
    double GetSpent() const;

    /** @throw std::invalid_argument when no meter knows what its learner spends */
    void RequireKnown() const;

    std::vector<Ptr<EnergyMeter>> m_meters;    //!< by learner; empty for none
    std::vector<EnergyMeter::Reading> m_atEnd; //!< at the end of learning; empty before
};

} // namespace ns3::dlearn

#endif // DLEARN_RUN_ENERGY_H
