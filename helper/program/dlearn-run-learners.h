/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RUN_LEARNERS_H
#define DLEARN_RUN_LEARNERS_H

#include "dlearn-run-options.h"
#include "dlearn-run-spec.h"

#include "ns3/dlearn-aggregator.h"
#include "ns3/dlearn-data-loader.h"
#include "ns3/dlearn-device-profiles.h"
#include "ns3/dlearn-evaluator.h"
#include "ns3/dlearn-external-task.h"
#include "ns3/dlearn-learner-application.h"
#include "ns3/dlearn-learner-attack.h"
#include "ns3/dlearn-message-exchange.h"
#include "ns3/dlearn-network.h"
#include "ns3/dlearn-run-results.h"
#include "ns3/dlearn-task.h"
#include "ns3/object-factory.h"

#include <map>
#include <memory>
#include <ostream>
#include <set>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The random streams of a run, far enough apart that no part of it reaches into the next.
 */
struct RunStreams
{
    static constexpr int64_t DATA = 0;               //!< generated data and their split
    static constexpr int64_t PARTITION = 100;        //!< shards
    static constexpr int64_t GRAPH = 200;            //!< generated graphs
    static constexpr int64_t INITIAL = 300;          //!< initial models
    static constexpr int64_t DEVICES = 400;          //!< unequal links and devices
    static constexpr int64_t NOISE = 500;            //!< noise that workers share
    static constexpr int64_t BYZANTINE = 550;        //!< what Byzantine clients learn from
    static constexpr int64_t ATTACK = 600;           //!< random attacks
    static constexpr int64_t EVALUATION = 900;       //!< samples that models are measured on
    static constexpr int64_t FAULTS = 500000;        //!< faults of packets
    static constexpr int64_t CROSS_TRAFFIC = 600000; //!< traffic of others
    static constexpr int64_t SAMPLES = 1000000;      //!< samples of each learner
    static constexpr int64_t LEARNERS = 2000000;     //!< rules, compute models
    static constexpr int64_t NETWORK = 10000000;     //!< devices, protocols
};

/**
 * @ingroup dlearn
 * The learners of a Run, with what they learn from and which learners exchange vectors. The
 * constructor of a derived class makes data and graph, Install() the applications.
 */
class RunLearners
{
  public:
    /** @param spec what to run; must outlive this */
    explicit RunLearners(const RunSpec& spec);
    virtual ~RunLearners();

    RunLearners(const RunLearners&) = delete;
    RunLearners& operator=(const RunLearners&) = delete;

    /** @return which learners exchange vectors */
    const Graph& GetGraph() const { return m_graph; }

    /** @return what is learned, with the training data of all honest learners; null for none */
    Ptr<const Task> GetTask() const { return m_task; }

    /** @return what learners and graph ask of the network */
    virtual NetworkSetup GetNetworkSetup() const = 0;

    /**
     * Put the learners on the network, and give them their surroundings.
     * @param network built for GetGraph()
     */
    virtual void Install(Network& network) = 0;

    /** @return all applications, in the order of their numbers */
    virtual std::vector<Ptr<LearnerApplication>> GetApplications() const = 0;

    /**
     * @return learners that know what others of them know without a network, so that they must be
     *         on one rank (Ranks)
     */
    virtual std::set<LearnerId> GetColluders() const = 0;

    /** @return what devices differ in, by learner, as options say; empty: in nothing */
    const std::vector<DeviceProfile>& GetDevices() const { return m_devices; }

    /**
     * @return positions in the training data, by learner, of the samples of learners whose task has
     *         data of its own
     */
    const std::map<LearnerId, SampleIndices>& GetOrigins() const { return m_origins; }

    /** @param warnings get one when a few samples are so large that all others are nearly 0 */
    void AddOutliers(std::vector<std::string>& warnings) const;

    /** @return what the run uses of its options */
    const UsedOptions& GetOptions() const { return m_options; }

    /** @return says how good a model is */
    virtual std::unique_ptr<ModelEvaluator> CreateEvaluator() const = 0;

    /** @param title gets one line that says what is run, without its end */
    virtual void Describe(std::ostream& title) const = 0;

    /** @param results of the run, complete except for what only the learners know */
    virtual void Complete(RunResults& results) const = 0;

  protected:
    /**
     * @param counts samples of each learner by label, of CountLabels()
     * @param first number of the first of these learners
     * @param results get them, with the names of the labels
     */
    void AddSamples(const std::vector<std::vector<uint64_t>>& counts,
                    LearnerId first,
                    RunResults& results) const;

    /** @param number of clients or peers whose devices differ, if options say so */
    void CreateDevices(uint32_t number);

    /**
     * @param learner gets the speed of its device, if it differs from the others
     * @param id of the learner
     */
    void ConfigureDevice(LearnerApplication& learner, LearnerId id) const;

    /** Start the processes of a learner, if there is one.
     *  @param learners that train
     *  @return training samples, and the test samples that models are measured on */
    LoadedData LoadSamples(uint32_t learners);

    /** @return the task of the options, with these data */
    Ptr<Task> MakeTask(const LoadedData& loaded) const;

    /** @return measures models on all training data of the task, or a fixed random part of them */
    std::unique_ptr<ModelEvaluator> EvaluateOnTrainingData() const;

    /**
     * @param data training or test samples
     * @return all of them or a fixed random part, to measure models on
     */
    SampleIndices ChooseEvaluationSamples(const Dataset& data) const;

    /**
     * @param whose samples, in words
     * @param wanted how many samples an option asks for
     * @param what takes them, in words
     * @param least how many the learner with the fewest samples has
     * @return a warning that some have fewer than wanted; empty when all have as many
     */
    static std::string DescribeFewSamples(const std::string& whose,
                                          size_t wanted,
                                          const std::string& what,
                                          size_t least);

    /** @return when a round closes, as the options say */
    ObjectFactory GetRoundPolicy() const;

    /** @return whether an option says when a round closes */
    bool HasRoundPolicy() const
    {
        return m_spec.GetPeriod() || !m_spec.deadline.empty() || m_spec.quorum < 1;
    }

    /**
     * @param exchange gets transport, numbers and compression
     * @param compress name of the option that says how vectors are compressed
     * @param how its value
     * @param mayBroadcast whether what it sends may go to all at once
     */
    void ConfigureExchange(MessageExchange& exchange,
                           const std::string& compress,
                           const std::string& how,
                           bool mayBroadcast) const;

    /** @return the aggregator with what comes before it; null for none */
    Ptr<Aggregator> CreateAggregator() const;

    /** @return likewise, for a rule that aggregates by it */
    Ptr<Aggregator> TakeAggregator() const;

    /** The options of attacks are in use, if there are attackers. */
    void TakeAttack(const LearnerAttack& attack) const;

    const RunSpec& m_spec;                        //!< what to run
    UsedOptions m_options;                        //!< what the run uses of it
    Graph m_graph{1};                             //!< which learners exchange vectors
    Ptr<Task> m_task;                             //!< what is learned
    std::map<LearnerId, SampleIndices> m_origins; //!< see GetOrigins()

  private:
    /** @return samples that this program has */
    LoadedData LoadDataSet() const;

    std::vector<DeviceProfile> m_devices; //!< of each learner, or none
    Ptr<ExternalTask> m_external;         //!< of the option learner, or null
};

/**
 * @ingroup dlearn
 * @param kind of run
 * @return whose devices may differ
 */
DeviceOwners GetDeviceOwners(RunKind kind);

/**
 * @ingroup dlearn
 * @param data a data set
 * @param shards positions of samples
 * @return for each shard how many of its samples have each label; nothing of a regression
 */
std::vector<std::vector<uint64_t>> CountLabels(const Dataset& data,
                                               const std::vector<SampleIndices>& shards);

/**
 * @ingroup dlearn
 * @param data a data set
 * @return its name and size, for a title
 */
std::string DescribeData(const Dataset& data);

/**
 * @ingroup dlearn
 * @param spec what to run
 * @param usual the initial model of the task
 * @return the model in the file of the option initial-model, or the usual one
 * @throw std::invalid_argument when the file has another number of entries
 */
ModelVector ChooseInitialModel(const RunSpec& spec, const ModelVector& usual);

} // namespace ns3::dlearn

#endif // DLEARN_RUN_LEARNERS_H
