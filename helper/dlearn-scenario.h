/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_SCENARIO_H
#define DLEARN_SCENARIO_H

#include "dlearn-data-loader.h"
#include "dlearn-monitor.h"
#include "dlearn-network.h"
#include "dlearn-run-results.h"
#include "dlearn-scenario-options.h"

#include <memory>
#include <ostream>
#include <vector>

namespace ns3
{
namespace dlearn
{

/**
 * @ingroup dlearn
 * One run from options to results: data, task, graph, network, learners, simulation. What
 * the programs share, in the order in which a script of one's own would do it.
 *
 * @code
 *   ScenarioOptions options("my-study");
 *   options.network = "p2p";
 *   Scenario scenario(options);
 *   RunResults results = scenario.Run(std::cout);
 *   WriteResults(options.out, results);
 * @endcode
 *
 * The constructor builds everything and refuses what does not fit with
 * std::invalid_argument; Run() runs the simulation and destroys it. Random numbers depend on
 * ns-3's seed and run only.
 */
class Scenario
{
  public:
    /** @param options what to run */
    explicit Scenario(const ScenarioOptions& options);
    ~Scenario();

    Scenario(const Scenario&) = delete;
    Scenario& operator=(const Scenario&) = delete;

    /**
     * @param table gets one line for each evaluated round, as it happens
     * @return everything the run leaves behind
     */
    RunResults Run(std::ostream& table);

    /** @return the learners, to set or trace more before Run() */
    const std::vector<Ptr<PeerApplication>>& GetLearners() const;

    /** @return what is learned */
    Ptr<const Task> GetTask() const;

    /** @return who exchanges with whom */
    const Graph& GetGraph() const;

    /** @return the learners' samples */
    const std::vector<Ptr<SampleStream>>& GetStreams() const;

    /** @return the network, to add what is not a learner before Run() */
    Network& GetNetwork();

    /** @return the evaluated rounds so far, in order */
    const std::vector<RoundSummary>& GetSummaries() const;

  private:
    void LoadTask();
    void BuildNetwork();
    void CreateLearners();
    void Configure(PeerApplication& learner, LearnerId id) const;
    void ConfigureNoise(PeerApplication& learner, LearnerId id) const;
    std::vector<ModelVector> MakeInitialModels() const;
    void PrintHeader(std::ostream& table) const;

    ScenarioOptions m_options;                    //!< what to run
    Ptr<Task> m_task;                             //!< what is learned
    Graph m_graph;                                //!< who exchanges with whom
    std::unique_ptr<Network> m_network;           //!< what is between them
    std::vector<Ptr<SampleStream>> m_streams;     //!< one a learner
    std::vector<Ptr<PeerApplication>> m_learners; //!< in the order of the graph
    std::unique_ptr<Monitor> m_monitor;           //!< watches them
    std::vector<RoundSummary> m_summaries;        //!< evaluated rounds
};

/**
 * @return every attribute of a registered type whose default is not the one it was built
 *         with: what Config::SetDefault and the command line changed, by full name
 */
std::map<std::string, std::string> GetChangedAttributes();

} // namespace dlearn
} // namespace ns3

#endif // DLEARN_SCENARIO_H
