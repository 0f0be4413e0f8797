/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RUN_NETWORK_H
#define DLEARN_RUN_NETWORK_H

#include "dlearn-run-learners.h"
#include "dlearn-run-spec.h"

#include "ns3/dlearn-cross-traffic.h"
#include "ns3/dlearn-fault-schedule.h"
#include "ns3/dlearn-graph.h"
#include "ns3/dlearn-learner-application.h"
#include "ns3/dlearn-monitor.h"
#include "ns3/dlearn-network.h"
#include "ns3/dlearn-run-results.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Makes the network of a run, for so many learners, a server included.
 */
using RunNetworkMaker = std::function<Ptr<Network>(uint32_t learners)>;

/**
 * @ingroup dlearn
 * Make the network of a run.
 *
 * @param spec what to run; its option network becomes the name of a network that a script makes
 * @param learners how many there are, a server included
 * @param make makes the network; empty: as the option network says
 * @return the network, still to be built
 * @throw std::invalid_argument when a user asked for another network than the script makes
 */
Ptr<Network> MakeRunNetwork(RunSpec& spec, uint32_t learners, const RunNetworkMaker& make);

/**
 * @ingroup dlearn
 * Build the network of a run, with links as its options say.
 *
 * @param spec what to run
 * @param learners that the network joins
 * @param network of MakeRunNetwork()
 * @return shortest delay between two ranks (Ranks); Time::Max() where there is only one
 * @throw std::invalid_argument for options that are wrong
 */
Time BuildRunNetwork(const RunSpec& spec, const RunLearners& learners, Network& network);

/**
 * @ingroup dlearn
 * @param spec what to run, with the option time-from
 * @param network of the run, built
 * @return simulated time from which the times of options and results count
 */
Time GetOrigin(const RunSpec& spec, const Network& network);

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
    void AddCrossTraffic(RunResults& results) const;

    void WarnOfIdleTraffic(RunResults& results,
                           const std::vector<CrossTraffic::Counters>& counters) const;

    void AddFaults(RunResults& results) const;

    /** after the end */
    void WarnOfLateEvents(RunResults& results) const;

    void WarnOfIdleChurn(RunResults& results) const;

    const RunSpec& m_spec;       //!< what to run
    Time m_origin;               //!< see GetOrigin()
    CrossTraffic m_crossTraffic; //!< option cross-traffic
    FaultSchedule m_faults;      //!< option faults

    FaultFilter::Counters m_otherFaults; //!< of the other ranks, on rank 0 at the end
};

} // namespace ns3::dlearn

#endif // DLEARN_RUN_NETWORK_H
