/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RUN_LEARNERS_H
#define DLEARN_RUN_LEARNERS_H

#include "dlearn-run-options.h"
#include "dlearn-run-spec.h"

#include "ns3/dlearn-aggregator.h"
#include "ns3/dlearn-data-drift.h"
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
 * The first random streams of the parts of a run, far enough apart that they do not overlap.
 */
struct RunStreams
{
    static constexpr int64_t DATA = 0;               //!< generated data and their split
    static constexpr int64_t PARTITION = 100;        //!< shards
    static constexpr int64_t FEATURE_NOISE = 110;    //!< see AddFeatureNoise()
    static constexpr int64_t GRAPH = 200;            //!< generated graphs
    static constexpr int64_t INITIAL = 300;          //!< initial models
    static constexpr int64_t DEVICES = 400;          //!< unequal links and devices
    static constexpr int64_t NOISE = 500;            //!< noise that workers share
    static constexpr int64_t BYZANTINE = 550;        //!< data of Byzantine clients
    static constexpr int64_t CLIENT_TEST = 560;      //!< test samples of each client
    static constexpr int64_t ROOT = 570;             //!< samples that a server trusts
    static constexpr int64_t ATTACKERS = 580;        //!< who attacks in a round
    static constexpr int64_t ATTACK = 600;           //!< random attacks
    static constexpr int64_t EVALUATION = 900;       //!< samples for the evaluation of models
    static constexpr int64_t FAULTS = 500000;        //!< faults of packets
    static constexpr int64_t CROSS_TRAFFIC = 600000; //!< cross traffic
    static constexpr int64_t SAMPLES = 1000000;      //!< samples of each learner
    static constexpr int64_t LEARNERS = 2000000;     //!< rules, compute models
    static constexpr int64_t NETWORK = 10000000;     //!< devices, protocols
};

/**
 * @ingroup dlearn
 * While it exists, random variables that are created have the seed of the option data-seed, run 1,
 * instead of those of ns-3. With 0 nothing changes.
 */
class DataSeed
{
  public:
    /** @param spec options of the run */
    explicit DataSeed(const RunSpec& spec);
    ~DataSeed();

    DataSeed(const DataSeed&) = delete;
    DataSeed& operator=(const DataSeed&) = delete;

  private:
    uint32_t m_seed; //!< of ns-3
    uint64_t m_run;  //!< of ns-3
};

/**
 * @ingroup dlearn
 * @param spec options of the run
 * @param loaded its data; feature-rotation and feature-noise change the training samples
 * @param learners that share the samples
 * @return the shards of the option partition
 */
std::vector<SampleIndices> DivideSamples(const RunSpec& spec,
                                         LoadedData& loaded,
                                         uint32_t learners);

/**
 * @ingroup dlearn
 * The learners of a Run, with their data and their graph. The constructor of a derived class
 * creates data and graph, Install() the applications.
 */
class RunLearners
{
  public:
    /** @param spec options of the run; must outlive this */
    explicit RunLearners(const RunSpec& spec);
    virtual ~RunLearners();

    RunLearners(const RunLearners&) = delete;
    RunLearners& operator=(const RunLearners&) = delete;

    /** @return the graph of learners that exchange vectors */
    const Graph& GetGraph() const { return m_graph; }

    /** @return the task with the training data of all honest learners, or null */
    Ptr<const Task> GetTask() const { return m_task; }

    /** @return the requirements of learners and graph on the network */
    virtual NetworkSetup GetNetworkSetup() const = 0;

    /**
     * Install the learners on the network, with their environment.
     * @param network network that was built for GetGraph()
     */
    virtual void Install(Network& network) = 0;

    /** @return all applications, in the order of the learners */
    virtual std::vector<Ptr<LearnerApplication>> GetApplications() const = 0;

    /**
     * @return learners that share knowledge without the network, so they must be on one rank
     *         (Ranks)
     */
    virtual std::set<LearnerId> GetColluders() const = 0;

    /** @return the device of each learner, from the options; empty: all devices are equal */
    const std::vector<DeviceProfile>& GetDevices() const { return m_devices; }

    /**
     * @return for learners whose tasks have separate data, the indices of their samples in the
     *         training data
     */
    const std::map<LearnerId, SampleIndices>& GetOrigins() const { return m_origins; }

    /**
     * @param warnings get a warning if a few samples are so large that scaling makes all others
     *        nearly 0
     */
    void AddOutliers(std::vector<std::string>& warnings) const;

    /** @return the options that the run uses */
    const UsedOptions& GetOptions() const { return m_options; }

    /** @return a new evaluator of models, with that of the option evaluator, if any */
    std::unique_ptr<ModelEvaluator> CreateEvaluator() const;

    /** @param title gets a line that describes the run, without a line end */
    virtual void Describe(std::ostream& title) const = 0;

    /** @param results results of the run, to which the learners add their part */
    virtual void Complete(RunResults& results) const = 0;

  protected:
    /** @return a new evaluator of models without that of the option evaluator */
    virtual std::unique_ptr<ModelEvaluator> DoCreateEvaluator() const = 0;

    /**
     * @param counts samples of each learner by label, of CountLabels()
     * @param first the first of these learners
     * @param results get the counts, with the names of the labels
     */
    void AddSamples(const std::vector<std::vector<uint64_t>>& counts,
                    LearnerId first,
                    RunResults& results) const;

    /** @param number number of clients or peers, whose devices differ if the options ask for it */
    void CreateDevices(uint32_t number);

    /**
     * @param learner gets the speed of its device, if devices differ
     * @param id the learner
     */
    void ConfigureDevice(LearnerApplication& learner, LearnerId id) const;

    /**
     * Start the processes of a learner, if there is one.
     * @param learners number of learners that train
     * @return the training samples, and the test samples for the evaluation
     */
    LoadedData LoadSamples(uint32_t learners);

    /**
     * After DivideSamples(): make the drift of the option data-drift, if any.
     * @param loaded the data; get other versions of the samples
     */
    void PrepareDrift(LoadedData& loaded);

    /** @return number of training samples, each in one version */
    uint32_t CountTrain() const
    {
        return m_task->GetTrain().GetSize() / (m_drift ? m_drift->GetVersions() : 1);
    }

    /** @return the evaluator, which follows the drift, if any */
    std::unique_ptr<Evaluator> Follow(std::unique_ptr<Evaluator> evaluator) const;

    /** @return the task of the options, with these data */
    Ptr<Task> MakeTask(const LoadedData& loaded) const;

    /**
     * @return an evaluator on all training data of the task that are not held out, or on a fixed
     *         random part of them
     */
    std::unique_ptr<ModelEvaluator> EvaluateOnTrainingData() const;

    /** @return all samples or a fixed random part, for the evaluation of models */
    SampleIndices ChooseEvaluationSamples(SampleIndices samples) const;

    /**
     * @param whose owners of the samples, in words
     * @param wanted number of samples of an option
     * @param what user of the samples, in words
     * @param least the least number of samples of a learner
     * @return a warning that some have fewer than wanted, or an empty text
     */
    static std::string DescribeFewSamples(const std::string& whose,
                                          size_t wanted,
                                          const std::string& what,
                                          size_t least);

    /** @return the policy that closes rounds, from the options */
    ObjectFactory GetRoundPolicy() const;

    /** @return whether an option sets the policy that closes rounds */
    bool HasRoundPolicy() const
    {
        return m_spec.GetPeriod() || !m_spec.deadline.empty() || m_spec.quorum < 1;
    }

    /**
     * @param exchange gets transport, numbers and compression
     * @param compress name of the option for the compression
     * @param how value of this option
     * @param mayBroadcast whether it may broadcast
     */
    void ConfigureExchange(MessageExchange& exchange,
                           const std::string& compress,
                           const std::string& how,
                           bool mayBroadcast) const;

    /** @return the aggregator with its pre-aggregators, or null */
    Ptr<Aggregator> CreateAggregator() const;

    /** @return the same aggregator, for a rule that uses it */
    Ptr<Aggregator> TakeAggregator() const;

    /** Mark the options of attacks as used, if there are attackers. */
    void TakeAttack() const;

    /** @return whether learners that are Byzantine have poisoned data */
    bool IsPoisoned() const { return m_spec.byzantine > 0 && m_attack.GetPoisoning(); }

    const RunSpec& m_spec;
    UsedOptions m_options;
    LearnerAttack m_attack; //!< of the Byzantine learners
    Graph m_graph{1};
    Ptr<Task> m_task;
    Ptr<DataDrift> m_drift;                       //!< of the option data-drift, or null
    std::map<LearnerId, SampleIndices> m_origins; //!< see GetOrigins()
    SampleIndices m_heldOut; //!< training data of the task on which no learner trains, in order

  private:
    /** @return samples that this program has */
    LoadedData LoadDataSet() const;

    std::vector<DeviceProfile> m_devices; //!< of each learner, or none
    Ptr<ExternalTask> m_external;         //!< of the option learner, or null
};

/**
 * @ingroup dlearn
 * @param kind kind of run
 * @return the learners whose devices may differ
 */
DeviceOwners GetDeviceOwners(RunKind kind);

/**
 * @ingroup dlearn
 * @param data a data set
 * @param shards positions of samples
 * @return for each shard, the number of samples per label; empty for regression
 */
std::vector<std::vector<uint64_t>> CountLabels(const Dataset& data,
                                               const std::vector<SampleIndices>& shards);

/** @return the positions of a number of samples, without some that are in order @ingroup dlearn */
SampleIndices ListOthers(size_t count, const SampleIndices& some);

/**
 * @ingroup dlearn
 * @param data a data set
 * @return its name and size, for a title
 */
std::string DescribeData(const Dataset& data);

/**
 * @ingroup dlearn
 * @param spec options of the run
 * @param usual the initial model of the task
 * @return the model in the file of the option initial-model, or @p usual
 * @throw std::invalid_argument when the number of entries differs
 */
ModelVector ChooseInitialModel(const RunSpec& spec, const ModelVector& usual);

} // namespace ns3::dlearn

#endif // DLEARN_RUN_LEARNERS_H
