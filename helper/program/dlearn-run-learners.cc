/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-run-learners.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-component-parser.h"
#include "ns3/dlearn-compressor.h"
#include "ns3/dlearn-evaluator.h"
#include "ns3/dlearn-external-evaluator.h"
#include "ns3/dlearn-npy-file.h"
#include "ns3/dlearn-partitioner.h"
#include "ns3/dlearn-privacy-account.h"
#include "ns3/dlearn-rounds-csv.h"
#include "ns3/dlearn-schedule.h"
#include "ns3/dlearn-seeded-random.h"
#include "ns3/dlearn-simulated-time.h"
#include "ns3/dlearn-tcp-transport.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/dlearn-udp-broadcast-transport.h"
#include "ns3/dlearn-udp-transport.h"
#include "ns3/double.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace ns3::dlearn
{

RunLearners::RunLearners(const RunSpec& spec)
    : m_spec(spec),
      m_options(spec),
      m_attack(spec.attack)
{
    if (spec.attackers == "drawn" && spec.byzantine > 0)
    {
        std::vector<LearnerId> clients(spec.learners);
        std::iota(clients.begin(), clients.end(), 1); // as FederatedHelper numbers them
        const auto draw = CreateObject<AttackerDraw>();
        draw->Setup(clients, spec.byzantine);
        draw->AssignStreams(RunStreams::ATTACKERS);
        m_attack.SetDraw(draw);
    }
}

RunLearners::~RunLearners() = default;

void
RunLearners::CreateDevices(uint32_t number)
{
    const DeviceOwners owners = GetDeviceOwners(m_spec.kind);
    if (!m_spec.devices.empty())
    {
        m_devices = DeviceProfiles::Read(m_spec.devices, number, owners);
        return;
    }
    DeviceDistributions distributions;
    distributions.rate = m_spec.Take(m_spec.clientRate);
    distributions.delay = m_spec.Take(m_spec.clientDelay);
    distributions.loss = m_spec.Take(m_spec.clientLoss);
    distributions.flops = m_spec.Take(m_spec.clientFlops);
    const bool unequal = !distributions.rate.empty() || !distributions.delay.empty() ||
                         !distributions.loss.empty() || !distributions.flops.empty();
    if (unequal)
    {
        m_devices = DeviceProfiles::Draw(distributions, number, RunStreams::DEVICES, owners);
    }
}

void
RunLearners::ConfigureDevice(LearnerApplication& learner, LearnerId id) const
{
    const DeviceProfile device = m_devices.empty() ? DeviceProfile() : m_devices[id];
    if (!device.flops && !device.sampleTime)
    {
        return;
    }
    const auto model = learner.GetComputeModel();
    Require(DynamicCast<FlopsCompute>(model) != nullptr,
            "flops and sample-time of a device need the compute model ns3::dlearn::FlopsCompute, "
            "got ",
            model->GetInstanceTypeId().GetName());
    if (device.flops)
    {
        model->SetAttribute("Flops", DoubleValue(*device.flops));
    }
    model->SetAttribute("SampleTime", TimeValue(device.sampleTime.value_or(Time(0))));
}

void
RunLearners::AddOutliers(std::vector<std::string>& warnings) const
{
    constexpr double TINY = 1e-3; // norms of real data differ less
    if (!m_task || !m_spec.unitNorm || m_spec.normalize || m_spec.task == "sine" ||
        m_spec.data == LEARNER_DATA)
    {
        return;
    }
    Eigen::VectorXd norms = m_task->GetTrain().features.colwise().norm();
    const auto middle = norms.begin() + norms.size() / 2;
    std::nth_element(norms.begin(), middle, norms.end());
    if (*middle < TINY)
    {
        warnings.push_back("half of the samples have features of a norm of at most " +
                           FormatRounded(*middle, 3) +
                           ", as unit-norm divides all by the largest norm, so that hardly "
                           "anything can be learned from them: correct or remove the samples that "
                           "are far off, or scale the features and give unit-norm=false");
    }
}

void
RunLearners::AddSamples(const std::vector<std::vector<uint64_t>>& counts,
                        LearnerId first,
                        RunResults& results) const
{
    for (size_t k = 0; k < counts.size(); ++k)
    {
        results.samples[first + k] = counts[k];
    }
    for (uint32_t k = 0; !counts.empty() && k < m_task->GetTrain().classes; ++k)
    {
        const auto& names = m_task->GetTrain().labelNames;
        results.labels.push_back(names.empty() ? std::to_string(k) : names[k]);
    }
}

std::vector<SampleIndices>
DivideSamples(const RunSpec& spec, LoadedData& loaded, uint32_t learners)
{
    const DataSeed seed(spec);
    const auto shards =
        PartitionByName(spec.Take(spec.partition), *loaded.train, learners, RunStreams::PARTITION);
    if (!spec.learner.empty())
    {
        return shards;
    }
    if (spec.Take(spec.featureRotation) != 0 || spec.Take(spec.featureNoise) > 0)
    {
        const auto shifted = std::make_shared<Dataset>(*loaded.train);
        RotateImages(*shifted, shards, spec.featureRotation);
        if (spec.featureNoise > 0)
        {
            AddFeatureNoise(*shifted, shards, spec.featureNoise, RunStreams::FEATURE_NOISE);
        }
        loaded.train = shifted;
    }
    return shards;
}

void
RunLearners::PrepareDrift(LoadedData& loaded)
{
    if (m_external || m_spec.Take(m_spec.dataDrift).empty())
    {
        return;
    }
    Require(!IsPoisoned() && m_spec.evaluator.empty() && !m_spec.HasEdges() &&
                !m_spec.ProtectsSamples() &&
                !IsComponentOf(GetPrivacyUnitFamily(), m_spec.privacyUnit, SampleUnit::GetTypeId()),
            "data-drift needs a run without attacks on data, evaluator, tiers, aggregate-at and "
            "privacy-unit sample, which do not follow it; got {}",
            m_spec.dataDrift);
    m_drift = ParseComponent(GetDataDriftFamily(), m_spec.dataDrift).Create<DataDrift>();
    m_drift->Setup(m_spec.rounds);
    const bool same = loaded.test == loaded.train;
    loaded.train = m_drift->Prepare(loaded.train);
    loaded.test = same ? loaded.train : m_drift->Prepare(loaded.test);
}

std::unique_ptr<Evaluator>
RunLearners::Follow(std::unique_ptr<Evaluator> evaluator) const
{
    if (m_drift)
    {
        evaluator->SetDrift(m_drift, [this](const DatasetPtr& test) {
            return CreateTask(m_spec.task, {test, test}, 0);
        });
    }
    return evaluator;
}

LoadedData
RunLearners::LoadSamples(uint32_t learners)
{
    m_spec.Take(m_spec.evaluationSamples);
    m_options.RefuseChosen(Task::GetTypeId(), {"Regularization"});
    const bool own = m_spec.data == LEARNER_DATA;
    Require(!own || !m_spec.learner.empty(), "data learner needs a learner, got none");
    LoadedData loaded = own ? LoadedData() : LoadDataSet();
    if (!m_spec.learner.empty())
    {
        m_external = CreateObject<ExternalTask>();
        m_options.Apply(*m_external);
        loaded.train = m_external->Start(learners, loaded.train, loaded.test);
        loaded.shards = m_external->GetShards();
        RequireNewMetrics(m_external->GetMetricNames());
    }
    return loaded;
}

Ptr<Task>
RunLearners::MakeTask(const LoadedData& loaded) const
{
    if (!m_external)
    {
        return CreateTask(m_spec.Take(m_spec.task), loaded, m_spec.Take(m_spec.regularization));
    }
    Require(loaded.train.get() == &m_external->GetTrain(),
            "attack {} needs other labels, which a learner does not get",
            m_spec.attack);
    return m_external;
}

LoadedData
RunLearners::LoadDataSet() const
{
    const DataSeed seed(m_spec);
    const DataFormat format = GetDataFormat(m_spec.data);
    const bool kept = IsInDataDirectory(m_spec.data);
    const bool scaled = !m_spec.normalize && m_spec.task != "sine";
    DataOptions data;
    data.data = m_spec.data;
    data.task = m_spec.task;
    data.directory = kept ? m_spec.Take(m_spec.dataDir) : "";
    data.samples = m_spec.Take(m_spec.dataSamples);
    data.features = format == DataFormat::LIBSVM ? m_spec.Take(m_spec.features) : 0;
    data.label = format == DataFormat::CSV ? m_spec.Take(m_spec.label) : "";
    data.users = format == DataFormat::LEAF ? m_spec.Take(m_spec.users) : 0;
    data.partition = m_spec.partition;
    data.testData = format == DataFormat::NONE ? "" : m_spec.Take(m_spec.testData);
    data.testFraction = m_spec.testFraction;
    data.unitNorm = scaled && m_spec.Take(m_spec.unitNorm);
    data.normalize = m_spec.Take(m_spec.normalize);
    data.mirror = m_spec.Take(m_spec.mirror);
    data.stream = RunStreams::DATA;
    LoadedData loaded = LoadData(data);
    if (loaded.split)
    {
        m_spec.Take(m_spec.testFraction);
    }
    if (m_spec.evaluationSamples > 0 && m_spec.evaluationSamples < loaded.test->GetSize())
    {
        loaded.test = std::make_shared<const Dataset>(
            Subset(*loaded.test, ChooseEvaluationSamples(FirstSamples(loaded.test->GetSize()))));
    }
    return loaded;
}

std::unique_ptr<ModelEvaluator>
RunLearners::CreateEvaluator() const
{
    auto evaluator = DoCreateEvaluator();
    if (IsPoisoned())
    {
        if (auto test = m_attack.GetPoisoning()->MakeTest(m_task->GetTrain(), m_task->GetTest()))
        {
            const auto samples = std::make_shared<const Dataset>(*std::move(test));
            evaluator =
                std::make_unique<AttackEvaluator>(std::move(evaluator),
                                                  CreateTask(m_spec.task, {samples, samples}, 0));
        }
    }
    if (m_spec.evaluator.empty())
    {
        return evaluator;
    }
    ExternalEvaluator::Settings settings;
    settings.command = m_spec.Take(m_spec.evaluator);
    if (!m_spec.Take(m_spec.learnerTimeout).empty())
    {
        settings.timeout = std::chrono::milliseconds(
            ParseTime("learner-timeout", m_spec.learnerTimeout).GetMilliSeconds());
    }
    settings.learners = m_graph.GetSize() - (m_spec.kind == RunKind::FEDERATION ? 1 : 0);
    if (m_task && m_task->GetTrain().GetFeatures() > 0) // else a learner has its own
    {
        const auto share = [this](const Dataset& part) {
            return DatasetPtr(&part, [task = m_task](const Dataset* /* of the task */) {});
        };
        settings.train = share(m_task->GetTrain());
        settings.test = share(m_task->GetTest());
    }
    settings.check = [this](const LearnerHello& hello) {
        auto names = m_external ? m_external->GetMetricNames() : std::vector<std::string>();
        names.insert(names.end(), hello.metrics.begin(), hello.metrics.end());
        RequireNewMetrics(names);
    };
    return std::make_unique<ExternalEvaluator>(std::move(evaluator), std::move(settings));
}

SampleIndices
RunLearners::ChooseEvaluationSamples(SampleIndices samples) const
{
    if (m_spec.evaluationSamples > 0 && m_spec.evaluationSamples < samples.size())
    {
        const DataSeed seed(m_spec);
        const auto random = CreateSeeded<UniformRandomVariable>(RunStreams::EVALUATION, 0);
        ShuffleFirst(samples, m_spec.evaluationSamples, *random);
        samples.resize(m_spec.evaluationSamples);
    }
    return samples;
}

std::unique_ptr<ModelEvaluator>
RunLearners::EvaluateOnTrainingData() const
{
    const SampleIndices train = ListOthers(CountTrain(), m_heldOut);
    return Follow(
        std::make_unique<Evaluator>(m_task, EqualWeights(ChooseEvaluationSamples(train))));
}

std::string
RunLearners::DescribeFewSamples(const std::string& whose,
                                size_t wanted,
                                const std::string& what,
                                size_t least)
{
    return least >= wanted
               ? ""
               : whose + " with less than the " + std::to_string(wanted) + " samples of " + what +
                     " use all that they have, the least " + std::to_string(least);
}

ObjectFactory
RunLearners::GetRoundPolicy() const
{
    ObjectFactory policy("ns3::dlearn::AllPolicy");
    if (const auto period = m_spec.GetPeriod())
    {
        policy.SetTypeId(AsynchronousPolicy::GetTypeId());
        policy.Set("Period", TimeValue(*period));
    }
    else if (HasRoundPolicy())
    {
        const bool quorum = m_spec.quorum < 1;
        policy.SetTypeId(quorum ? QuorumPolicy::GetTypeId() : DeadlinePolicy::GetTypeId());
        if (quorum)
        {
            policy.Set("Fraction", DoubleValue(m_spec.Take(m_spec.quorum)));
        }
        if (!m_spec.deadline.empty())
        {
            const Time deadline = ParseTime("deadline", m_spec.Take(m_spec.deadline));
            Require(deadline.IsStrictlyPositive(),
                    "deadline must be greater than 0, got ",
                    m_spec.deadline);
            policy.Set("Deadline", TimeValue(deadline));
        }
    }
    return policy;
}

void
RunLearners::ConfigureExchange(MessageExchange& exchange,
                               const std::string& compress,
                               const std::string& how,
                               bool mayBroadcast) const
{
    const std::string& name = m_spec.transport;
    Require(name == "udp" || name == "broadcast" || name == "tcp",
            "transport must be one of udp, broadcast, tcp; got '",
            name,
            "'");
    // Learners that do not broadcast must report missing parts to those that do.
    const bool broadcast = name == "broadcast" && (mayBroadcast || m_spec.reliable != "none");
    const TypeId type = name == "tcp" ? TcpTransport::GetTypeId()
                        : broadcast   ? UdpBroadcastTransport::GetTypeId()
                                      : UdpTransport::GetTypeId();
    ObjectFactory transport(type.GetName());
    if (broadcast) // otherwise defaults of the attributes would apply
    {
        transport.Set("Reliability", StringValue(m_spec.Take(m_spec.reliable)));
        transport.Set("Unicast", BooleanValue(!mayBroadcast));
        // A server sends no model before all requests for the last one have ended.
        transport.Set("NewerLimit", UintegerValue(m_spec.kind == RunKind::FEDERATION ? 1 : 2));
    }
    m_options.Give(exchange, "Transport", ObjectFactoryValue(transport), m_spec.transport);
    const bool floats =
        how != "fp16" && !IsComponentOf(GetCompressorFamily(), how, QsgdCompressor::GetTypeId());
    if (floats || m_spec.noiseRecovery)
    {
        m_options.Apply(exchange);
    }
    else
    {
        exchange.SetAttribute("FloatBits", UintegerValue(m_spec.floatBits)); // has no effect
    }
    Compress(compress, how, exchange);
}

Ptr<Aggregator>
RunLearners::CreateAggregator() const
{
    const std::string name = m_spec.GetAggregator();
    if (name == "none")
    {
        return nullptr;
    }
    const auto aggregator = ParseAggregator(name);
    AddPreAggregators(m_spec.preAggregator, aggregator);
    return aggregator;
}

Ptr<Aggregator>
RunLearners::TakeAggregator() const
{
    const auto aggregator = CreateAggregator();
    if (aggregator)
    {
        m_spec.Take(m_spec.aggregator);
        m_spec.Take(m_spec.preAggregator);
        m_spec.Take(m_spec.byzantine);
    }
    return aggregator;
}

void
RunLearners::TakeAttack() const
{
    if (m_spec.byzantine > 0 && m_spec.attack != "none")
    {
        m_spec.Take(m_spec.byzantine);
        m_spec.Take(m_spec.attack);
        if (m_attack.SeesVectors())
        {
            m_spec.Take(m_spec.omniscient);
        }
        if (m_spec.kind == RunKind::FEDERATION)
        {
            m_spec.Take(m_spec.attackers);
        }
    }
}

DataSeed::DataSeed(const RunSpec& spec)
    : m_seed(RngSeedManager::GetSeed()),
      m_run(RngSeedManager::GetRun())
{
    if (spec.Take(spec.dataSeed) > 0)
    {
        RngSeedManager::SetSeed(spec.dataSeed);
        RngSeedManager::SetRun(1);
    }
}

DataSeed::~DataSeed()
{
    RngSeedManager::SetSeed(m_seed);
    RngSeedManager::SetRun(m_run);
}

DeviceOwners
GetDeviceOwners(RunKind kind)
{
    return kind == RunKind::FEDERATION ? DeviceOwners::CLIENTS : DeviceOwners::PEERS;
}

std::vector<std::vector<uint64_t>>
CountLabels(const Dataset& data, const std::vector<SampleIndices>& shards)
{
    std::vector<std::vector<uint64_t>> counts;
    for (size_t k = 0; data.classes > 0 && k < shards.size(); ++k)
    {
        counts.emplace_back(data.classes);
        for (const auto sample : shards[k])
        {
            ++counts[k][static_cast<size_t>(data.labels[sample])];
        }
    }
    return counts;
}

SampleIndices
ListOthers(size_t count, const SampleIndices& some)
{
    const SampleIndices all = FirstSamples(count);
    SampleIndices others;
    std::set_difference(all.begin(),
                        all.end(),
                        some.begin(),
                        some.end(),
                        std::back_inserter(others));
    return others;
}

std::string
DescribeData(const Dataset& data)
{
    return data.name + " (" + std::to_string(data.GetSize()) + " samples, " +
           std::to_string(data.GetFeatures()) + " features)";
}

ModelVector
ChooseInitialModel(const RunSpec& spec, const ModelVector& usual)
{
    if (spec.initialModel.empty())
    {
        return usual;
    }
    const ModelVector model = ReadNpy(spec.initialModel);
    Require(model.size() == usual.size(),
            "initial-model must have as many numbers as the model of this run, {}; {} has {}",
            usual.size(),
            spec.initialModel,
            model.size());
    return model;
}

} // namespace ns3::dlearn
