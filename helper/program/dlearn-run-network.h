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
 * Creates the network of a run for a number of learners, including a server.
 */
using RunNetworkMaker = std::function<Ptr<Network>(uint32_t learners)>;

/**
 * @ingroup dlearn
 * Create the network of a run.
 *
 * @param spec options of the run; a network of a script sets the option network to its name
 * @param learners number of learners, including a server
 * @param make creates the network; empty: by the option network
 * @return the network; call Build() next
 * @throw std::invalid_argument when a user asked for a network other than that of the script
 */
Ptr<Network> MakeRunNetwork(RunSpec& spec, uint32_t learners, const RunNetworkMaker& make);

/**
 * @ingroup dlearn
 * Build the network of a run, with the links of the options.
 *
 * @param spec options of the run
 * @param learners learners on the network
 * @param network network from MakeRunNetwork()
 * @return shortest delay between two ranks (Ranks); Time::Max() with a single rank
 * @throw std::invalid_argument for invalid options
 */
Time BuildRunNetwork(const RunSpec& spec, const RunLearners& learners, Network& network);

/**
 * @ingroup dlearn
 * @param spec options of the run, with time-from
 * @param network built network of the run
 * @return simulated time of time 0 in options and results
 */
Time GetOrigin(const RunSpec& spec, const Network& network);

class StateArchive;

/**
 * @ingroup dlearn
 * The disturbances of a run: the options cross-traffic, churn, links and faults. Run calls the
 * members in the order of their declaration.
 */
class RunDisturbances
{
  public:
    /** @param spec options of the run; must outlive this */
    explicit RunDisturbances(const RunSpec& spec);

    /** Install cross traffic on a built network. */
    void InstallCrossTraffic(Network& network);

    /** Install the churn of learners: that of the option or, without it, that of their vehicles. */
    void InstallChurn(const Network& network, const std::vector<Ptr<LearnerApplication>>& learners);

    /** Pass the events of churn and links to the monitor, for the timeline. */
    void TellMonitor(Monitor& monitor) const;

    /**
     * Install the faults of the file, if there is one.
     *
     * @param graph learners that exchange messages
     * @param network network of the learners
     * @param learners all learners, in order
     * @param monitor gets the faults
     */
    void InstallFaults(const Graph& graph,
                       const Network& network,
                       const std::vector<Ptr<LearnerApplication>>& learners,
                       Monitor& monitor);

    /** @return the faults of the file; may be empty */
    FaultSchedule& GetFaults() { return m_faults; }

    /**
     * @param archive saves the counters of cross traffic and faults of this rank (Ranks), or adds
     *        those of another one
     */
    void VisitRank(StateArchive& archive);

    /**
     * @param results get the counters of cross traffic and faults, and warnings of faults and churn
     *        without an effect, for example after the end of the run
     */
    void Complete(RunResults& results) const;

  private:
    void AddCrossTraffic(RunResults& results) const;

    void WarnOfIdleTraffic(RunResults& results,
                           const std::vector<CrossTraffic::Counters>& counters) const;

    void AddFaults(RunResults& results) const;

    void WarnOfLateEvents(RunResults& results) const;

    void WarnOfIdleChurn(RunResults& results) const;

    const RunSpec& m_spec;
    Time m_origin; //!< see GetOrigin()
    CrossTraffic m_crossTraffic;
    ChurnSchedule m_churn;
    FaultSchedule m_faults;

    FaultFilter::Counters m_otherFaults; //!< of the other ranks, on rank 0 at the end
};

} // namespace ns3::dlearn

#endif // DLEARN_RUN_NETWORK_H
