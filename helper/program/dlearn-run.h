/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RUN_H
#define DLEARN_RUN_H

#include "dlearn-run-learners.h"
#include "dlearn-run-network.h"
#include "dlearn-run-observers.h"
#include "dlearn-run-spec.h"

#include "ns3/dlearn-federated-helper.h"
#include "ns3/dlearn-files.h"
#include "ns3/dlearn-monitor.h"
#include "ns3/dlearn-network.h"
#include "ns3/dlearn-peer-application.h"
#include "ns3/dlearn-run-ranks.h"
#include "ns3/dlearn-run-results.h"

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace ns3::dlearn
{

class RankExchange;
class RunDisturbances;
class RunEnergy;
class RunLearners;
class RunObservers;

/**
 * @ingroup dlearn
 * One run from its options to its results: data, network, learners and simulation.
 *
 * The constructor builds everything, and throws std::invalid_argument for options that do not fit;
 * then a script can set attributes and connect traces. Execute() runs the simulation and destroys
 * it. Because ns-3 has a single simulator, the next run can be built only when this one is executed
 * or destroyed. Random numbers depend only on ns-3's seed and run number.
 */
class Run
{
  public:
    /** Called with a run. */
    using Hook = std::function<void(Run&)>;

    /** Creates the network of a run for a number of learners, including a server. */
    using NetworkMaker = std::function<Ptr<Network>(uint32_t learners)>;

    /** @param spec options of the run */
    explicit Run(const RunSpec& spec);

    /**
     * A run on a network of a script, for example on its own nodes:
     *
     * @code
     *   Run run(spec, [](uint32_t learners) {
     *       NodeContainer nodes(learners);
     *       ... // devices, addresses and other traffic, as in any script of ns-3
     *       return CreateObject<ExistingNetwork>(nodes);
     *   });
     * @endcode
     *
     * @param spec options of the run; the option network becomes Network::GetName()
     * @param make creates a network, without calling Build(); empty: by the options
     */
    Run(const RunSpec& spec, const NetworkMaker& make);

    /**
     * As above, with an existing network.
     * @param spec options of the run
     * @param network a network before Build()
     */
    Run(const RunSpec& spec, Ptr<Network> network);
    ~Run();

    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

    /** @param hook called after the simulation, while all of its objects still exist */
    void SetFinishHook(Hook hook) { m_finish = std::move(hook); }

    /** @param listener gets each warning when it occurs, as a line without its end */
    void SetWarningListener(RunWarnings::Listener listener);

    /**
     * Begin transcript.csv, if the options ask for it. Execute() does it otherwise, and then gives
     * the file its name.
     *
     * @return the file, which the caller commits after Execute(), or null
     */
    std::shared_ptr<OutputFile> BeginTranscript();

    /**
     * Run the simulation. Call once, and not after Simulator::Destroy(), which ends the run.
     *
     * Exceptions of the simulation are thrown again; GetResults() then has the results so far.
     *
     * @param table gets a line for each evaluated round, as it happens
     * @return the results
     */
    RunResults Execute(std::ostream& table);

    /**
     * Collect the results so far, when something other than an exception ends the run within
     * Execute().
     * @param reason reason for the end
     */
    void Abandon(const std::string& reason);

    /** @return the results; empty before Execute() */
    const RunResults& GetResults() const { return m_results; }

    /** @return the options of the run */
    const RunSpec& GetSpec() const { return m_spec; }

    /** @return the graph of learners that exchange vectors */
    const Graph& GetGraph() const;

    /** @return the network, for example to add applications other than learners */
    Network& GetNetwork() { return *m_network; }

    /** @return the task with the data of all honest learners; null for linear-gaussian */
    Ptr<const Task> GetTask() const;

    /**
     * @tparam Kind PeerLearners, DirectedLearners or FederatedLearners
     * @return the learners
     * @throw std::bad_cast for learners of another kind
     */
    template <typename Kind>
    const Kind& Get() const
    {
        return dynamic_cast<const Kind&>(*m_learners);
    }

    /**
     * @return the learners of a run of peers
     * @throw std::invalid_argument for a federation
     */
    const std::vector<Ptr<PeerApplication>>& GetPeers() const;

    /**
     * @return the learners of a federation
     * @throw std::invalid_argument for peers
     */
    const Federation& GetFederation() const;

    /** @return the evaluated rounds so far, in order */
    const std::vector<RoundSummary>& GetSummaries() const;

  private:
    /** Connect observers and disturbances. */
    void Watch();

    RunWarnings& GetWarnings();

    void Announce(std::ostream& table);

    /** Run the simulator, and record the reason for its end and its duration. */
    void Simulate();

    /** Collect and check the results, and call the hook, after the simulation. */
    void Conclude();

    /** Collect the results. */
    void Collect(bool failed);

    /** Add a warning with the reason if the run ended early. */
    void AddReason(bool failed);

    void Tell(size_t first) const;

    RunSpec m_spec;
    std::shared_ptr<const bool> m_over; //!< whether Simulator::Destroy() was called
    std::vector<std::string> m_unused;  //!< warnings of options
    std::unique_ptr<RunLearners> m_learners;
    Ptr<Network> m_network;
    std::vector<Ptr<LearnerApplication>> m_applications; //!< of all learners
    std::unique_ptr<RunDisturbances> m_disturbances;
    std::unique_ptr<RunEnergy> m_energy;
    std::unique_ptr<RunObservers> m_observers;
    bool m_executed{false};                   //!< whether Execute() was called
    Time m_lookAhead;                         //!< shortest delay between ranks
    std::unique_ptr<RankExchange> m_exchange; //!< null on a single rank
    RunResults m_results;
    Hook m_finish;
    RunWarnings::Listener m_listener; //!< may be empty
};

} // namespace ns3::dlearn

#endif // DLEARN_RUN_H
