/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-cafcor-scenario.h"

#include "dlearn-threat-model-option.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-component-parser.h"
#include "ns3/dlearn-graph-by-name.h"
#include "ns3/dlearn-joint-correlated-noise.h"
#include "ns3/dlearn-pairwise-correlated-noise.h"
#include "ns3/dlearn-partial-shuffle.h"
#include "ns3/dlearn-partitioner.h"
#include "ns3/dlearn-quantity-parser.h"
#include "ns3/dlearn-shard-data.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <limits>

namespace ns3::dlearn
{

namespace
{

constexpr int64_t NOISE_STREAM = 500;          //!< noise of all workers
constexpr int64_t BYZANTINE_DATA_STREAM = 550; //!< what Byzantine workers learn from

} // namespace

CafCorScenario::CafCorScenario(const CafCorOptions& options)
    : m_options(options),
      m_attack(options.attack)
{
    m_options.Validate();
    RefuseOverriddenAttributes(
        {{"ns3::dlearn::FederatedServer::Rule", "aggregator"},
         {"ns3::dlearn::FederatedServer::Rounds", "rounds"},
         {"ns3::dlearn::FederatedServer::ResponseTimeout", "patience"},
         {"ns3::dlearn::FederatedServer::SuspicionTimeout", "patience"},
         {"ns3::dlearn::FederatedClient::Rule", "threat-model"},
         {"ns3::dlearn::RobustServer::Aggregator", "aggregator"},
         {"ns3::dlearn::RobustServer::Byzantine", "byzantine"},
         {"ns3::dlearn::RobustServer::LearningRate", "step-size"},
         {"ns3::dlearn::RobustServer::MissingAreByzantine", "missing-are-byzantine"},
         {"ns3::dlearn::RobustServer::Repair", "repair"},
         {"ns3::dlearn::CafCorWorker::ClipNorm", "clip"},
         {"ns3::dlearn::CafCorWorker::Momentum", "momentum"}});
    m_graph = GraphByName("star", m_options.workers + 1, GRAPH_STREAM, m_options.side);
    auto evaluator = CreateData();
    PlanPrivacy();
    NetworkOptions network;
    network.server = SERVER;
    BuildNetwork(m_options, network);
    CreateFederation();
    Watch(m_options, m_federation.GetLearners(), std::move(evaluator));
}

std::unique_ptr<ModelEvaluator>
CafCorScenario::CreateData()
{
    const LoadedData loaded = LoadSamples(m_options);
    const bool byExample = m_options.ProtectsSamples();
    const auto createTask = [&](const LoadedData& samples) {
        const auto task = CreateTask(m_options.task, samples, m_options.regularization);
        task->SetAttribute("ClipNorm", DoubleValue(byExample ? m_options.clip : 0));
        return task;
    };
    const auto task = createTask(loaded);
    const uint32_t honest = m_options.workers - m_options.byzantine;
    std::vector<SampleIndices> shards = Partition(*loaded.train);
    for (uint32_t worker = 0; worker < m_options.workers; ++worker)
    {
        Ptr<const Task> own = task;
        SampleIndices& shard = shards[worker];
        if (m_attack.FlipsLabels() && worker >= honest)
        {
            // A copy of its own shard only: the data set may be large.
            own = createTask(FlipLabels(loaded, shard));
        }
        m_shards.push_back(shard.size());
        const auto data = CreateObject<ShardData>();
        data->SetShard(own, shard, m_options.batch);
        data->AssignStreams(SAMPLE_STREAM + 10 * worker);
        m_data.push_back(data);
    }
    m_title = Describe(*loaded.train);
    return EvaluateOnTrainingData(m_options, task);
}

std::vector<SampleIndices>
CafCorScenario::Partition(const Dataset& data) const
{
    if (m_options.byzantineData == "shards")
    {
        return PartitionByName(m_options.partition, data, m_options.workers, PARTITION_STREAM);
    }
    const uint32_t honest = m_options.workers - m_options.byzantine;
    auto shards = PartitionByName(m_options.partition, data, honest, PARTITION_STREAM);
    const auto random = CreateObject<UniformRandomVariable>();
    random->SetStream(BYZANTINE_DATA_STREAM);
    SampleIndices all = FirstSamples(data.GetSize());
    const auto count = std::max<size_t>(all.size() / honest, 1);
    for (uint32_t worker = honest; worker < m_options.workers; ++worker)
    {
        ShuffleFirst(all, count, *random);
        shards.emplace_back(all.begin(), all.begin() + count);
    }
    return shards;
}

void
CafCorScenario::PlanPrivacy()
{
    m_epsilon.classic = std::numeric_limits<double>::infinity();
    m_epsilon.tight = m_epsilon.classic;
    if (m_options.threatModel == "none")
    {
        return;
    }
    m_threat = ParseThreatModel(m_options.threatModel, m_options.view, m_options.byzantine);
    // The fewer samples a worker has, the more often each of them takes part.
    const size_t fewest = *std::min_element(m_shards.begin(), m_shards.end());
    m_noise = PlanCafCorNoise(GetPlan(fewest), m_options.epsilon);
    m_epsilon = PlanCafCorEpsilon(GetPlan(fewest));
}

CafCorPlan
CafCorScenario::GetPlan(size_t samples) const
{
    CafCorPlan plan;
    plan.model = m_threat;
    plan.counts = {m_options.workers, m_options.byzantine};
    plan.clip = m_options.clip;
    plan.rounds = m_options.rounds;
    plan.delta = m_options.delta;
    plan.noise = m_noise;
    if (m_options.ProtectsSamples())
    {
        plan.samples = samples;
        plan.batch = std::min<size_t>(m_options.batch, samples);
    }
    return plan;
}

void
CafCorScenario::SetLedger(CafCorWorker& rule, size_t samples) const
{
    const CafCorPlan plan = GetPlan(samples);
    const auto ledger = CreateObject<RenyiLedger>();
    ledger->SetAttribute("Delta", DoubleValue(m_options.delta));
    ledger->SetAttribute("Budget", DoubleValue(m_options.budget));
    ledger->SetAttribute("Momentum", BooleanValue(m_options.momentum > 0));
    ledger->SetSampling(CafCorSampling(plan));
    rule.SetLedger(ledger, plan);
}

Ptr<WorkerNoise>
CafCorScenario::CreateNoise() const
{
    const auto noise = CreateObject<WorkerNoise>();
    noise->SetAttribute("Independent", DoubleValue(m_noise.independent));
    noise->SetAttribute("Repair", BooleanValue(m_options.repair));
    if (m_noise.correlated > 0)
    {
        Ptr<CorrelatedNoise> shared;
        if (m_options.pairing == "joint")
        {
            shared = CreateObject<JointCorrelatedNoise>();
        }
        else
        {
            shared = CreateObject<PairwiseCorrelatedNoise>();
        }
        shared->SetAttribute("Scale", DoubleValue(m_noise.correlated));
        shared->SetWorkers(m_options.workers);
        noise->SetCorrelated(shared);
    }
    noise->AssignStreams(NOISE_STREAM);
    return noise;
}

Ptr<Aggregator>
CafCorScenario::CreateAggregator() const
{
    const auto aggregator = ParseAggregator(m_options.aggregator);
    AddPreAggregators(m_options.pre, aggregator);
    return aggregator;
}

void
CafCorScenario::AddNoise()
{
    if (!m_threat)
    {
        return;
    }
    const bool trusted = m_threat->TrustsServer();
    const Ptr<WorkerNoise> ofWorkers = trusted ? Ptr<WorkerNoise>() : CreateNoise();
    const Ptr<ServerNoise> ofServer = trusted ? CreateServerNoise() : Ptr<ServerNoise>();
    m_rule->SetNoise(ofServer);
    for (uint32_t worker = 0; worker < m_options.workers; ++worker)
    {
        const auto rule = DynamicCast<CafCorWorker>(m_federation.clients[worker]->GetRule());
        rule->SetNoise(ofWorkers, worker);
        rule->SetServerNoise(ofServer, worker + 1);
        SetLedger(*rule, m_shards[worker]);
    }
}

Ptr<ServerNoise>
CafCorScenario::CreateServerNoise() const
{
    const auto noise = CreateObject<ServerNoise>();
    noise->SetAttribute("Scale", DoubleValue(m_noise.independent));
    noise->SetAttribute("Momentum", DoubleValue(m_options.momentum));
    noise->AssignStreams(NOISE_STREAM);
    return noise;
}

void
CafCorScenario::CreateFederation()
{
    FederatedHelper helper;
    helper.SetServerAttribute("Rounds", UintegerValue(m_options.rounds));
    helper.SetResponseTimeout(ParseTime("patience", m_options.responseTimeout));
    helper.SetServerAttribute("Rule", TypeIdValue(RobustServer::GetTypeId()));
    helper.SetClientAttribute("Rule", TypeIdValue(CafCorWorker::GetTypeId()));
    m_federation = helper.Create(GetNetwork());

    FederatedServer& server = *m_federation.server;
    m_rule = DynamicCast<RobustServer>(server.GetRule());
    m_rule->SetAggregator(CreateAggregator());
    m_rule->SetAttribute("Byzantine", UintegerValue(m_options.byzantine));
    m_rule->SetAttribute("LearningRate", DoubleValue(m_options.stepSize));
    m_rule->SetAttribute("MissingAreByzantine", BooleanValue(m_options.missingAreByzantine));
    m_rule->SetAttribute("Repair", BooleanValue(m_options.repair));
    const auto schedule = DynamicCast<SynchronousSchedule>(server.GetSchedule());
    Require(schedule != nullptr, "CafCor needs the schedule ns3::dlearn::SynchronousSchedule");
    schedule->SetAttribute("RoundPolicy", TypeIdValue(ChooseRoundPolicy(m_options)));
    ConfigureRoundPolicy(m_options, *schedule->GetRoundPolicy());
    ConfigureExchange(m_options, *server.GetExchange());

    AddNoise();
    for (uint32_t worker = 0; worker < m_options.workers; ++worker)
    {
        FederatedClient& client = *m_federation.clients[worker];
        const auto rule = DynamicCast<CafCorWorker>(client.GetRule());
        rule->SetAttribute("ClipNorm",
                           DoubleValue(m_options.ProtectsSamples() ? 0 : m_options.clip));
        rule->SetAttribute("Momentum", DoubleValue(m_options.momentum));
        ConfigureClientExchange(m_options, *client.GetExchange());
    }
    const auto initial = m_data.front()->GetTask()->DrawInitialModel(INITIAL_STREAM);
    FederatedHelper::Connect(m_federation, GetNetwork(), m_data, initial);
    FederatedHelper::AssignStreams(m_federation, LEARNER_STREAM);
    // A copy of the attackers' own to try things out, with random numbers of its own.
    const auto defence = CreateAggregator();
    const int64_t used = m_attack.Install(m_federation,
                                          m_options.byzantine,
                                          m_options.omniscient,
                                          MakeDefence(defence, m_options.byzantine),
                                          ATTACK_STREAM);
    defence->AssignStreams(ATTACK_STREAM + used);
}

PrivacyConstants
CafCorScenario::DescribePrivacy() const
{
    PrivacyConstants constants{
        {"threat_model", m_options.threatModel},
        {"view", m_options.view},
        {"workers", static_cast<double>(m_options.workers)},
        {"byzantine", static_cast<double>(m_options.byzantine)},
        {"clip", m_options.clip},
        {"momentum", m_options.momentum},
        {"delta", m_options.delta},
        {"noise_independent", m_noise.independent},
        {"noise_correlated", m_noise.correlated},
        {"unit", m_options.unit},
        {"level", std::string(m_options.unit == "sample" ? "example" : "user")},
        {"budget", m_options.budget},
        {"repair", std::string(m_options.repair ? "true" : "false")}};
    if (m_threat)
    {
        std::map<LearnerId, double> sensitivity;
        std::map<LearnerId, double> sampling;
        for (uint32_t worker = 0; worker < m_options.workers; ++worker)
        {
            const CafCorPlan plan = GetPlan(m_shards[worker]);
            sensitivity[worker + 1] = CafCorSensitivity(plan);
            sampling[worker + 1] = CafCorSampling(plan);
        }
        constants["sensitivity"] =
            CafCorSensitivity(GetPlan(*std::min_element(m_shards.begin(), m_shards.end())));
        constants["worker_sensitivity"] = sensitivity;
        constants["worker_sampling"] = sampling;
    }
    return constants;
}

const ScenarioOptions&
CafCorScenario::GetOptions() const
{
    return m_options;
}

void
CafCorScenario::PrintTitle(std::ostream& table) const
{
    table << m_options.program << ": " << m_options.workers << " workers, " << m_options.byzantine
          << " Byzantine (" << m_options.attack << ") over " << m_options.network << " ("
          << m_options.transport << "), " << (m_options.pre.empty() ? "" : m_options.pre + "+")
          << m_options.aggregator << ", " << m_options.threatModel << " (s_cor "
          << m_noise.correlated << ", s_ind " << m_noise.independent << ", epsilon "
          << m_epsilon.classic << "), " << m_title;
}

void
CafCorScenario::Complete(RunResults& results) const
{
    results.totals["rounds_skipped"] = m_rule->GetSkipped();
    results.privacy = DescribePrivacy();
}

const Federation&
CafCorScenario::GetFederation() const
{
    return m_federation;
}

const NoiseScales&
CafCorScenario::GetNoiseScales() const
{
    return m_noise;
}

const CafCorEpsilon&
CafCorScenario::GetPlannedEpsilon() const
{
    return m_epsilon;
}

} // namespace ns3::dlearn
