/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RUN_DISTURBANCES_H
#define DLEARN_RUN_DISTURBANCES_H

#include "dlearn-run-spec.h"

#include "ns3/dlearn-cross-traffic.h"
#include "ns3/dlearn-fault-schedule.h"
#include "ns3/dlearn-graph.h"
#include "ns3/dlearn-learner-application.h"
#include "ns3/dlearn-monitor.h"
#include "ns3/dlearn-network.h"
#include "ns3/dlearn-run-results.h"

#include <vector>

namespace ns3::dlearn
{

class StateArchive;

/**
 * @ingroup dlearn
 * What disturbs a run, as its options cross-traffic, churn, links and faults say. Run calls the
 * members in the order in which they are declared.
 */
class RunDisturbances
{
  public:
    /** @param spec what to run; must outlive this */
    explicit RunDisturbances(const RunSpec& spec);

    /** @param network gets the cross traffic; it is built */
    void InstallCrossTraffic(Network& network);

    /** @param learners that leave, crash and come back */
    void InstallChurn(const std::vector<Ptr<LearnerApplication>>& learners);

    /** @param monitor is told the events of churn and links, which it writes in the timeline */
    void TellMonitor(Monitor& monitor) const;

    /**
     * Install the faults of the file, when there is one.
     *
     * @param graph which learners exchange messages
     * @param network between them
     * @param learners in the order of their numbers
     * @param monitor is told the faults
     */
    void InstallFaults(const Graph& graph,
                       const Network& network,
                       const std::vector<Ptr<LearnerApplication>>& learners,
                       Monitor& monitor);

    /** @return the faults of the file; empty for none */
    FaultSchedule& GetFaults() { return m_faults; }

    /**
     * @param archive saves what cross traffic and faults did on this rank (Ranks), or adds what
     * they did on another one
     */
    void VisitRank(StateArchive& archive);

    /** @param results get what cross traffic and faults did, and a warning of faults and churn that
     *  had no effect, such as because the run had ended */
    void Complete(RunResults& results) const;

  private:
    /** @param results get the bytes of other traffic, if there is any */
    void AddCrossTraffic(RunResults& results) const;

    /**
     * @param results get a warning of flows that sent or brought nothing while others learned
     * @param counters of all ranks
     */
    void WarnOfIdleTraffic(RunResults& results,
                           const std::vector<CrossTraffic::Counters>& counters) const;

    /** @param results get how many packets the faults hit */
    void AddFaults(RunResults& results) const;

    /** @param results get a warning of faults and changes of links that were to come
     * after the end */
    void WarnOfLateEvents(RunResults& results) const;

    /** @param results get a warning of events of churn that changed nothing */
    void WarnOfIdleChurn(RunResults& results) const;

    const RunSpec& m_spec;       //!< what to run
    Time m_origin;               //!< see GetOrigin()
    CrossTraffic m_crossTraffic; //!< option cross-traffic
    FaultSchedule m_faults;      //!< option faults

    FaultFilter::Counters m_otherFaults; //!< of the other ranks, on rank 0 at the end
};

} // namespace ns3::dlearn

#endif // DLEARN_RUN_DISTURBANCES_H
