/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-federated-scenario.h"

#include "dlearn-compression-option.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-fedasync-server.h"
#include "ns3/dlearn-fedavg-server.h"
#include "ns3/dlearn-fedavg-theory.h"
#include "ns3/dlearn-graph-by-name.h"
#include "ns3/dlearn-linear-gaussian-data.h"
#include "ns3/dlearn-linear-gaussian-evaluator.h"
#include "ns3/dlearn-local-sgd.h"
#include "ns3/dlearn-local-solve.h"
#include "ns3/dlearn-number-parser.h"
#include "ns3/dlearn-partitioner.h"
#include "ns3/dlearn-quantity-parser.h"
#include "ns3/dlearn-shard-data.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/double.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ns3::dlearn
{

FederatedScenario::FederatedScenario(const FederatedOptions& options)
    : m_options(options)
{
    m_options.Validate();
    RefuseOverriddenAttributes({{"ns3::dlearn::FederatedServer::Rule", "mode"},
                                {"ns3::dlearn::FederatedServer::Schedule", "mode"},
                                {"ns3::dlearn::FederatedServer::Staleness", "staleness"},
                                {"ns3::dlearn::FederatedServer::Rounds", "rounds"},
                                {"ns3::dlearn::FederatedServer::ResponseTimeout", "patience"},
                                {"ns3::dlearn::FederatedServer::SuspicionTimeout", "patience"},
                                {"ns3::dlearn::FederatedClient::Rule", "local-steps"},
                                {"ns3::dlearn::LocalSgd::LocalSteps", "local-steps"},
                                {"ns3::dlearn::LocalSgd::StepSize", "step-size"},
                                {"ns3::dlearn::LocalSgd::Proximal", "proximal"}});
    m_graph = GraphByName("star", m_options.clients + 1, GRAPH_STREAM, m_options.side);
    auto evaluator = m_options.IsLinearGaussian() ? CreateLinearGaussian() : CreateShards();
    for (size_t client = 0; client < m_data.size(); ++client)
    {
        m_data[client]->AssignStreams(SAMPLE_STREAM + 10 * client);
    }
    CreateDevices();
    NetworkOptions network;
    network.server = 0;
    network.links = DeviceProfiles::GetLinks(m_devices);
    BuildNetwork(m_options, network);
    CreateFederation();
    Watch(m_options, m_federation.GetLearners(), std::move(evaluator));
}

std::unique_ptr<ModelEvaluator>
FederatedScenario::CreateLinearGaussian()
{
    LinearGaussianProblemOptions problem;
    problem.clients = m_options.clients;
    problem.dimension = m_options.dimension;
    problem.sparsity = m_options.sparsity;
    problem.initialError = m_options.initialError;
    problem.heterogeneity = m_options.heterogeneity;
    problem.noiseStds = m_options.GetNoiseStds();
    problem.drift = m_options.drift;
    m_problem = CreateObject<LinearGaussianProblem>();
    m_problem->AssignStreams(DATA_STREAM);
    m_problem->Draw(problem);
    for (uint32_t client = 0; client < m_options.clients; ++client)
    {
        const auto data = CreateObject<LinearGaussianData>();
        data->SetProblem(m_problem, client, m_options.samples);
        m_data.push_back(data);
    }
    m_initialModel = m_problem->GetInitialModel();
    m_title = "linear-gaussian (" + std::to_string(m_options.dimension) + " features, " +
              std::to_string(m_options.samples) + " fresh samples a client and round)";
    return std::make_unique<LinearGaussianEvaluator>(m_problem);
}

std::unique_ptr<ModelEvaluator>
FederatedScenario::CreateShards()
{
    const LoadedData loaded = LoadSamples(m_options);
    const auto task = CreateTask(m_options.task, loaded, m_options.regularization);
    const auto shards =
        PartitionByName(m_options.partition, *loaded.train, m_options.clients, PARTITION_STREAM);
    for (const SampleIndices& shard : shards)
    {
        const auto data = CreateObject<ShardData>();
        data->SetShard(task, shard, m_options.samples);
        m_data.push_back(data);
    }
    m_initialModel = task->DrawInitialModel(INITIAL_STREAM);
    m_title = Describe(*loaded.train);
    return EvaluateOnTrainingData(m_options, task);
}

void
FederatedScenario::CreateDevices()
{
    if (!m_options.devices.empty())
    {
        m_devices = DeviceProfiles::Read(m_options.devices, m_options.clients);
        return;
    }
    DeviceDistributions distributions;
    distributions.rate = m_options.clientRate;
    distributions.delay = m_options.clientDelay;
    distributions.loss = m_options.clientLoss;
    distributions.flops = m_options.clientFlops;
    const bool unequal = !distributions.rate.empty() || !distributions.delay.empty() ||
                         !distributions.loss.empty() || !distributions.flops.empty();
    if (unequal)
    {
        m_devices = DeviceProfiles::Draw(distributions, m_options.clients, DEVICE_STREAM);
    }
}

void
FederatedScenario::CreateFederation()
{
    FederatedHelper helper;
    const bool async = m_options.mode == "async";
    const bool sync = m_options.mode == "sync";
    helper.SetServerAttribute("Rounds", UintegerValue(m_options.rounds));
    const Time patience = ParseTime("patience", m_options.responseTimeout);
    Require(patience.IsStrictlyPositive(), "patience must be greater than 0");
    helper.SetServerAttribute("ResponseTimeout", TimeValue(patience));
    // One answer may be lost by chance; a client that owes two in a row is believed gone.
    helper.SetServerAttribute("SuspicionTimeout", TimeValue(2 * patience));
    helper.SetServerAttribute(
        "Rule",
        TypeIdValue(async ? FedAsyncServer::GetTypeId() : FedAvgServer::GetTypeId()));
    helper.SetServerAttribute(
        "Schedule",
        TypeIdValue(sync ? SynchronousSchedule::GetTypeId() : BufferedSchedule::GetTypeId()));
    const bool solve = m_options.GetLocalSteps() == 0;
    helper.SetClientAttribute("Rule",
                              TypeIdValue(solve ? LocalSolve::GetTypeId() : LocalSgd::GetTypeId()));
    m_federation = helper.Create(GetNetwork());
    ConfigureServer(*m_federation.server);
    for (LearnerId id = 1; id <= m_federation.clients.size(); ++id)
    {
        ConfigureClient(*m_federation.clients[id - 1], id);
    }
    FederatedHelper::Connect(m_federation, GetNetwork(), m_data, m_initialModel);
    FederatedHelper::AssignStreams(m_federation, LEARNER_STREAM);
}

void
FederatedScenario::ConfigureServer(FederatedServer& server) const
{
    const auto rule = server.GetRule();
    if (m_options.mode == "async")
    {
        rule->SetAttribute("Mixing", DoubleValue(m_options.mixing));
    }
    else
    {
        rule->SetAttribute("LearningRate", DoubleValue(m_options.serverRate));
        rule->SetAttribute("Momentum", DoubleValue(m_options.momentum));
    }
    const auto schedule = server.GetSchedule();
    if (const auto synchronous = DynamicCast<SynchronousSchedule>(schedule))
    {
        ConfigureSynchronous(*synchronous);
    }
    else
    {
        const uint32_t size = m_options.mode == "async" ? 1 : m_options.bufferSize;
        schedule->SetAttribute("BufferSize", UintegerValue(size));
        schedule->SetAttribute("Concurrency", UintegerValue(m_options.concurrency));
    }
    ConfigureStaleness(server);
    ConfigureExchange(m_options, *server.GetExchange());
    CompressionOption(m_options.compressModel).Apply(*server.GetExchange());
}

void
FederatedScenario::ConfigureSynchronous(SynchronousSchedule& schedule) const
{
    schedule.SetAttribute("RoundPolicy", TypeIdValue(ChooseRoundPolicy(m_options)));
    ConfigureRoundPolicy(m_options, *schedule.GetRoundPolicy());
    if (!m_options.samplePlan.empty())
    {
        schedule.SetAttribute("Sampling", TypeIdValue(ScheduledSampling::GetTypeId()));
        schedule.GetSampling()->SetAttribute("Plan", StringValue(m_options.samplePlan));
        return;
    }
    const auto sampling = schedule.GetSampling();
    sampling->SetAttribute("Fraction", DoubleValue(m_options.sampleFraction));
    sampling->SetAttribute("Count", UintegerValue(m_options.sampleCount));
}

void
FederatedScenario::ConfigureStaleness(FederatedServer& server) const
{
    std::string text = m_options.staleness;
    if (text == "auto")
    {
        text = m_options.mode == "sync" ? "discard" : "polynomial:0.5";
    }
    const auto words = SplitText(text, ':');
    std::vector<double> numbers;
    for (size_t k = 1; k < words.size(); ++k)
    {
        const auto number = ParseNumber(words[k]);
        numbers.push_back(number && *number >= 0 ? *number : -1);
    }
    const bool good = std::count(numbers.begin(), numbers.end(), -1) == 0;
    const auto is = [&](const char* name, size_t count) {
        return words[0] == name && numbers.size() == count && good;
    };
    const TypeId type = is("discard", 0)      ? DiscardStale::GetTypeId()
                        : is("constant", 0)   ? ConstantStaleness::GetTypeId()
                        : is("polynomial", 1) ? PolynomialStaleness::GetTypeId()
                                              : HingeStaleness::GetTypeId();
    Require(type != HingeStaleness::GetTypeId() ||
                (is("hinge", 2) && numbers[0] == std::floor(numbers[0]) && numbers[0] < 1e9),
            "staleness must be discard, constant, polynomial:A, hinge:B:A (B a whole number) or "
            "auto, got '",
            m_options.staleness,
            "'");
    server.SetAttribute("Staleness", TypeIdValue(type));
    if (type == PolynomialStaleness::GetTypeId())
    {
        server.GetStalenessPolicy()->SetAttribute("Exponent", DoubleValue(numbers[0]));
    }
    if (type == HingeStaleness::GetTypeId())
    {
        server.GetStalenessPolicy()->SetAttribute("Limit", UintegerValue(numbers[0]));
        server.GetStalenessPolicy()->SetAttribute("Slope", DoubleValue(numbers[1]));
    }
}

void
FederatedScenario::ConfigureClient(FederatedClient& client, LearnerId id) const
{
    const auto rule = client.GetRule();
    if (DynamicCast<LocalSgd>(rule))
    {
        rule->SetAttribute("LocalSteps", UintegerValue(m_options.GetLocalSteps()));
        rule->SetAttribute("StepSize", DoubleValue(m_options.stepSize));
        rule->SetAttribute("Proximal", DoubleValue(m_options.proximal));
    }
    ConfigureClientExchange(m_options, *client.GetExchange());
    if (!m_devices.empty() && m_devices[id].flops)
    {
        Require(DynamicCast<FlopsCompute>(client.GetComputeModel()) != nullptr,
                "flops of a device need the compute model ns3::dlearn::FlopsCompute, got ",
                client.GetComputeModel()->GetInstanceTypeId().GetName());
        client.GetComputeModel()->SetAttribute("Flops", DoubleValue(*m_devices[id].flops));
    }
}

std::vector<double>
FederatedScenario::GetTheory() const
{
    const bool plain = m_options.mode == "sync" && m_options.sampleFraction == 1 &&
                       m_options.sampleCount == 0 && m_options.samplePlan.empty() &&
                       m_options.serverRate == 1 && m_options.momentum == 0 &&
                       m_options.proximal == 0 && m_options.compress == "none" &&
                       m_options.compressModel == "none";
    if (!m_problem || !plain)
    {
        return {};
    }
    FedAvgSetting setting;
    for (uint32_t k = 0; k < m_options.clients; ++k)
    {
        FedAvgTheoryClient client;
        client.samples = m_options.samples;
        client.localSteps = m_options.GetLocalSteps();
        client.stepSize = m_options.stepSize;
        client.noiseStd = m_problem->GetNoiseStd(k);
        client.gamma = m_problem->GetGamma(k);
        setting.clients.push_back(client);
    }
    setting.initialOffset = m_problem->GetTruth(0) - m_initialModel;
    setting.drift = m_options.drift;
    const auto curve = FedAvgErrorCurve(setting, m_options.rounds);
    return {curve.begin() + 1, curve.end()};
}

bool
FederatedScenario::IsUndisturbed() const
{
    return m_options.network == "ideal" && m_options.loss == 0 && m_options.deadline.empty() &&
           m_options.quorum == 1 && m_options.churn.empty() && m_options.devices.empty() &&
           m_options.clientLoss.empty() && m_options.floatBits >= 32;
}

const ScenarioOptions&
FederatedScenario::GetOptions() const
{
    return m_options;
}

void
FederatedScenario::PrintTitle(std::ostream& table) const
{
    table << m_options.program << ": " << m_options.clients << " clients over " << m_options.network
          << " (" << m_options.transport << "), " << m_options.mode << ", " << m_options.localSteps
          << " local step" << (m_options.localSteps == "1" ? "" : "s") << ", " << m_title;
}

void
FederatedScenario::Complete(RunResults& results) const
{
    results.staleness = m_federation.server->GetStaleness();
    const auto warnings = m_federation.GetWarnings();
    results.warnings.insert(results.warnings.end(), warnings.begin(), warnings.end());
}

const Federation&
FederatedScenario::GetFederation() const
{
    return m_federation;
}

} // namespace ns3::dlearn
