/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_SCENARIO_H
#define DLEARN_SCENARIO_H

#include "dlearn-scenario-options.h"

#include "ns3/dlearn-data-loader.h"
#include "ns3/dlearn-message-exchange.h"
#include "ns3/dlearn-monitor.h"
#include "ns3/dlearn-network.h"
#include "ns3/dlearn-round-policy.h"
#include "ns3/dlearn-run-results.h"
#include "ns3/dlearn-transcript.h"
#include "ns3/type-id.h"

#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * One run from options to results: data, network, learners, simulation. What the programs share,
 * in the order in which a script of one's own would do it; PeerScenario and FederatedScenario
 * know their learners.
 *
 * The constructor of a derived class builds everything and refuses what does not fit with
 * std::invalid_argument; Run() runs the simulation and destroys it. Random numbers depend on
 * ns-3's seed and run only.
 */
class Scenario
{
  public:
    virtual ~Scenario();

    Scenario(const Scenario&) = delete;
    Scenario& operator=(const Scenario&) = delete;

    /**
     * @param table gets one line for each evaluated round, as it happens
     * @return everything the run leaves behind
     */
    RunResults Run(std::ostream& table);

    /** @return what was asked for */
    virtual const ScenarioOptions& GetOptions() const = 0;

    /** @return who exchanges with whom */
    const Graph& GetGraph() const;

    /** @return the network, to add what is not a learner before Run() */
    Network& GetNetwork();

    /** @return the evaluated rounds so far, in order */
    const std::vector<RoundSummary>& GetSummaries() const;

  protected:
    // Random streams, far enough apart that no part of a scenario can reach into the next.
    static constexpr int64_t DATA_STREAM = 0;           //!< generated data and their split
    static constexpr int64_t PARTITION_STREAM = 100;    //!< shards
    static constexpr int64_t GRAPH_STREAM = 200;        //!< generated graphs
    static constexpr int64_t INITIAL_STREAM = 300;      //!< initial models
    static constexpr int64_t DEVICE_STREAM = 400;       //!< unequal links and devices
    static constexpr int64_t ATTACK_STREAM = 600;       //!< random attacks
    static constexpr int64_t EVALUATION_STREAM = 900;   //!< samples that models are measured on
    static constexpr int64_t SAMPLE_STREAM = 1000000;   //!< samples of each learner
    static constexpr int64_t LEARNER_STREAM = 2000000;  //!< rules, compute models
    static constexpr int64_t NETWORK_STREAM = 10000000; //!< devices, protocols

    Scenario();

    /**
     * @param options with the names of data and task
     * @return training samples, and the test samples that models are measured on
     */
    static LoadedData LoadSamples(const ScenarioOptions& options);

    /**
     * Build the network and fix its random streams.
     *
     * @param options what the user asked for
     * @param network options that have no place in ScenarioOptions; the others are filled in
     */
    void BuildNetwork(const ScenarioOptions& options, NetworkOptions network);

    /**
     * Let churn come over the learners, and a monitor watch them.
     *
     * @param options what the user asked for
     * @param learners all, in the order of their numbers
     * @param evaluator says how good a model is
     */
    void Watch(const ScenarioOptions& options,
               const std::vector<Ptr<LearnerApplication>>& learners,
               std::unique_ptr<ModelEvaluator> evaluator);

    /** @param table gets one line that says what is run */
    virtual void PrintTitle(std::ostream& table) const = 0;

    /**
     * Add what only the derived class knows.
     * @param results of the run, complete but for that
     */
    virtual void Complete(RunResults& results) const;

    /**
     * Look a name up among choices.
     *
     * @param option name of the option, for the message
     * @param name what the user wrote
     * @param choices names and what they stand for
     * @return what the name stands for
     */
    static TypeId Choose(const std::string& option,
                         const std::string& name,
                         const std::vector<std::pair<std::string, TypeId>>& choices);

    /**
     * @param options with deadline or quorum
     * @return the policy that they ask for, or the attribute's default
     */
    static TypeId ChooseRoundPolicy(const ScenarioOptions& options);

    /**
     * @param options with deadline or quorum
     * @param policy of ChooseRoundPolicy(); gets its attributes
     */
    static void ConfigureRoundPolicy(const ScenarioOptions& options, RoundPolicy& policy);

    /**
     * @param options with transport and float-bits
     * @param exchange gets its attributes
     */
    static void ConfigureExchange(const ScenarioOptions& options, MessageExchange& exchange);

    /**
     * The same for a client: what it returns is for the server alone, and never broadcast.
     *
     * @param options with transport, float-bits and compress
     * @param exchange gets its attributes
     */
    static void ConfigureClientExchange(const ScenarioOptions& options, MessageExchange& exchange);

    /**
     * Refuse attributes that an option of the programs would silently set to something else.
     *
     * @param optionOf attributes by full name, and their options, of this kind of scenario;
     *        those of ScenarioOptions are known
     */
    static void RefuseOverriddenAttributes(std::map<std::string, std::string> optionOf);

    /**
     * @param data a data set
     * @return its name and size, for PrintTitle()
     */
    static std::string Describe(const Dataset& data);

    /**
     * @param options with the number of samples
     * @param data the training samples
     * @return all of them or a fixed random part, to measure the loss on
     */
    static WeightedSamples ChooseEvaluationSamples(const ScenarioOptions& options,
                                                   const Dataset& data);

    /**
     * @param options with the number of samples
     * @param task what is learned
     * @return measures models on all training data or a fixed random part of them, from the first
     *         round on
     */
    static std::unique_ptr<ModelEvaluator> EvaluateOnTrainingData(const ScenarioOptions& options,
                                                                  Ptr<const Task> task);

    Graph m_graph; //!< who exchanges with whom

  private:
    void WriteTranscript();

    bool m_destroyed{false};                             //!< whether Run() has ended the simulation
    std::unique_ptr<Network> m_network;                  //!< what is between the learners
    std::vector<Ptr<LearnerApplication>> m_applications; //!< all
    std::unique_ptr<Monitor> m_monitor;                  //!< watches them
    std::unique_ptr<Transcript> m_transcript;            //!< likewise; null unless asked for
    std::vector<RoundSummary> m_summaries;               //!< evaluated rounds
};

/**
 * @return every attribute of a registered type whose default is not the one it was built
 *         with: what Config::SetDefault and the command line changed, by full name
 */
std::map<std::string, std::string> GetChangedAttributes();

} // namespace ns3::dlearn

#endif // DLEARN_SCENARIO_H
