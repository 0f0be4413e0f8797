/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-scenario.h"

#include "dlearn-churn-schedule.h"
#include "dlearn-peer-helper.h"
#include "dlearn-quantity-parser.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-dola.h"
#include "ns3/dlearn-dsgd.h"
#include "ns3/dlearn-graph-by-name.h"
#include "ns3/dlearn-laplace-mechanism.h"
#include "ns3/dlearn-ldp-online.h"
#include "ns3/dlearn-mixing-matrix.h"
#include "ns3/dlearn-partitioner.h"
#include "ns3/dlearn-pdop.h"
#include "ns3/dlearn-tcp-transport.h"
#include "ns3/dlearn-udp-transport.h"
#include "ns3/double.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <chrono>
#include <iomanip>

namespace ns3
{
namespace dlearn
{

namespace
{

// Random streams, far enough apart that no part of a scenario can reach into the next.
constexpr int64_t DATA_STREAM = 0;
constexpr int64_t PARTITION_STREAM = 100;
constexpr int64_t GRAPH_STREAM = 200;
constexpr int64_t INITIAL_STREAM = 300;
constexpr int64_t SAMPLE_STREAM = 1000000;
constexpr int64_t LEARNER_STREAM = 2000000;
constexpr int64_t NETWORK_STREAM = 10000000;

/**
 * Look a name up among choices.
 *
 * @param option name of the option, for the message
 * @param name what the user wrote
 * @param choices names and what they stand for
 * @return what the name stands for
 */
TypeId
Choose(const std::string& option,
       const std::string& name,
       const std::vector<std::pair<std::string, TypeId>>& choices)
{
    std::string names;
    for (const auto& [choice, type] : choices)
    {
        if (choice == name)
        {
            return type;
        }
        names += (names.empty() ? "" : ", ") + choice;
    }
    Require(false, option, " must be one of ", names, "; got '", name, "'");
    return TypeId();
}

/** Refuse attributes that an option of the programs would silently set to something else. */
void
RefuseOverriddenAttributes()
{
    static const std::map<std::string, std::string> optionOf{
        {"ns3::dlearn::PeerApplication::Rule", "algorithm"},
        {"ns3::dlearn::PeerApplication::Rounds", "rounds"},
        {"ns3::dlearn::PeerApplication::MissingPolicy", "missing"},
        {"ns3::dlearn::MessageExchange::Transport", "transport"},
        {"ns3::dlearn::MessageExchange::FloatBits", "float-bits"},
        {"ns3::dlearn::LaplaceMechanism::GrowthExponent", "noise-exponent"},
        {"ns3::dlearn::Task::Regularization", "regularization"}};
    for (const auto& [attribute, value] : GetChangedAttributes())
    {
        const auto option = optionOf.find(attribute);
        Require(option == optionOf.end(),
                attribute,
                " is set by the option --",
                option == optionOf.end() ? "" : option->second,
                "; use that instead of the attribute");
    }
}

} // namespace

Scenario::Scenario(const ScenarioOptions& options)
    : m_options(options),
      m_graph(1)
{
    m_options.Validate();
    RefuseOverriddenAttributes();
    m_graph = WeightsByName(
        GraphByName(m_options.graph, m_options.learners, GRAPH_STREAM, m_options.side),
        m_options.weight);
    LoadTask();
    BuildNetwork();
    CreateLearners();
}

Scenario::~Scenario() = default;

void
Scenario::LoadTask()
{
    DataOptions data;
    data.data = m_options.data;
    data.task = m_options.task;
    data.directory = m_options.dataDir;
    data.testFraction = m_options.testFraction;
    data.unitNorm = m_options.unitNorm;
    data.stream = DATA_STREAM;
    const LoadedData loaded = LoadData(data);
    m_task = CreateTask(m_options.task, loaded, m_options.regularization);
    const auto shards =
        PartitionByName(m_options.partition, *loaded.train, m_graph.GetSize(), PARTITION_STREAM);
    m_streams = PeerHelper::CreateStreams(shards, m_options.batch, SAMPLE_STREAM);
}

void
Scenario::BuildNetwork()
{
    NetworkOptions network;
    network.loss = m_options.loss;
    network.delay = ParseTime("delay", m_options.delay);
    network.rate = ParseDataRate("rate", m_options.rate);
    network.side = m_options.side;
    network.mobility = m_options.mobility;
    if (m_options.graph.rfind("rgg:", 0) == 0)
    {
        network.positions = m_graph.positions; // in metres, in the same square
    }
    m_network = CreateNetwork(m_options.network);
    m_network->Build(m_graph, network);
    m_network->AssignStreams(NETWORK_STREAM);
}

void
Scenario::CreateLearners()
{
    PeerHelper helper;
    helper.SetAttribute("Rounds", UintegerValue(m_options.rounds));
    helper.SetAttribute("Rule",
                        TypeIdValue(Choose("algorithm",
                                           m_options.algorithm,
                                           {{"ldp-online", LdpOnline::GetTypeId()},
                                            {"dsgd", Dsgd::GetTypeId()},
                                            {"dola", Dola::GetTypeId()},
                                            {"pdop", Pdop::GetTypeId()}})));
    helper.SetAttribute("MissingPolicy",
                        TypeIdValue(Choose("missing",
                                           m_options.missing,
                                           {{"skip", SkipMissing::GetTypeId()},
                                            {"last", LastReceived::GetTypeId()},
                                            {"wait", WaitForMissing::GetTypeId()}})));
    if (!m_options.deadline.empty())
    {
        helper.SetAttribute("RoundPolicy", TypeIdValue(DeadlinePolicy::GetTypeId()));
    }
    else if (m_options.quorum < 1)
    {
        helper.SetAttribute("RoundPolicy", TypeIdValue(QuorumPolicy::GetTypeId()));
    }
    m_learners = helper.Create(*m_network);
    for (LearnerId id = 0; id < m_learners.size(); ++id)
    {
        Configure(*m_learners[id], id);
    }
    PeerHelper::Connect(m_learners, *m_network, m_graph, m_task, m_streams, MakeInitialModels());
    PeerHelper::AssignStreams(m_learners, LEARNER_STREAM);

    const auto churn = ChurnSchedule::Parse(m_options.churn);
    churn.Install(m_learners);
    m_monitor = std::make_unique<Monitor>(m_learners, m_task, m_streams, m_options.evaluateEvery);
    m_monitor->KeepAliveUntil(churn.GetEnd());
}

void
Scenario::Configure(PeerApplication& learner, LearnerId id) const
{
    if (!m_options.deadline.empty())
    {
        const Time deadline = ParseTime("deadline", m_options.deadline);
        Require(deadline.IsStrictlyPositive(), "deadline must be greater than 0");
        learner.GetRoundPolicy()->SetAttribute("Deadline", TimeValue(deadline));
    }
    else if (m_options.quorum < 1)
    {
        learner.GetRoundPolicy()->SetAttribute("Fraction", DoubleValue(m_options.quorum));
    }
    Require(m_options.transport != "broadcast" || m_network->HasBroadcast(),
            "transport broadcast needs a shared medium (csma, wifi-adhoc or wifi-infra), network "
            "is ",
            m_options.network);
    const TypeId transport = Choose("transport",
                                    m_options.transport,
                                    {{"udp", UdpTransport::GetTypeId()},
                                     {"broadcast", UdpBroadcastTransport::GetTypeId()},
                                     {"tcp", TcpTransport::GetTypeId()}});
    learner.GetExchange()->SetAttribute("Transport", TypeIdValue(transport));
    learner.GetExchange()->SetAttribute("FloatBits", UintegerValue(m_options.floatBits));
    ConfigureNoise(learner, id);
}

void
Scenario::ConfigureNoise(PeerApplication& learner, LearnerId id) const
{
    const auto rule = DynamicCast<PeerRule>(learner.GetRule());
    if (!rule)
    {
        return; // an algorithm without noise
    }
    const auto noise = rule->GetNoiseMechanism();
    DoubleValue base;
    noise->GetAttribute("BaseScale", base);
    noise->SetAttribute("BaseScale", DoubleValue(base.Get() * m_options.noise));
    if (DynamicCast<LaplaceMechanism>(noise))
    {
        const double exponent = m_options.noiseExponent + m_options.noiseExponentStep * (id + 1.0);
        noise->SetAttribute("GrowthExponent", DoubleValue(exponent));
    }
}

std::vector<ModelVector>
Scenario::MakeInitialModels() const
{
    const auto normal = CreateObject<NormalRandomVariable>();
    normal->SetStream(INITIAL_STREAM);
    std::vector<ModelVector> models(m_graph.GetSize(), ModelVector(m_task->GetDimension()));
    for (ModelVector& model : models)
    {
        for (double& entry : model)
        {
            entry = m_options.initial > 0 ? m_options.initial * normal->GetValue() : 0;
        }
    }
    return models;
}

void
Scenario::PrintHeader(std::ostream& table) const
{
    const Dataset& train = m_task->GetTrain();
    table << m_options.program << ": " << m_graph.GetSize() << " learners, " << m_options.graph
          << " over " << m_network->GetName() << " (" << m_options.transport << "), "
          << m_options.algorithm << ", " << train.name << " (" << train.GetSize() << " samples, "
          << train.GetFeatures() << " features";
    for (size_t k = 0; k < train.labelNames.size() && k < 10; ++k)
    {
        table << (k == 0 ? ", labels " : " ") << train.labelNames[k] << "->" << k;
    }
    table << "), seed " << RngSeedManager::GetSeed() << " run " << RngSeedManager::GetRun()
          << "\n\n"
          << "  time (s)  round  learners        loss  accuracy       error     epsilon  "
             "delivered\n";
}

RunResults
Scenario::Run(std::ostream& table)
{
    PrintHeader(table);
    m_monitor->SetSummaryCallback([&](const RoundSummary& summary) {
        m_summaries.push_back(summary);
        table << std::fixed << std::setprecision(3) << std::setw(10) << summary.time.GetSeconds()
              << std::setw(7) << summary.round << std::setw(10) << summary.learners
              << std::defaultfloat << std::setprecision(4) << std::setw(12) << summary.mean.loss
              << std::fixed << std::setprecision(4) << std::setw(10) << summary.mean.accuracy
              << std::defaultfloat << std::setw(12) << summary.mean.error << std::setw(12)
              << summary.epsilon << std::fixed << std::setprecision(1) << std::setw(10)
              << 100 * summary.delivered << "%" << std::endl;
    });
    const auto start = std::chrono::steady_clock::now();
    Simulator::Run();
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;

    RunResults results;
    results.program = m_options.program;
    results.parameters = m_options.GetParameters();
    results.attributes = GetChangedAttributes();
    results.seed = RngSeedManager::GetSeed();
    results.run = RngSeedManager::GetRun();
    results.graph = m_graph;
    results.positions = m_network->GetPositions();
    results.roles.assign(m_graph.GetSize(), "peer");
    results.simulatedSeconds = Simulator::Now().GetSeconds();
    results.wallSeconds = wall.count();
    results.events = Simulator::GetEventCount();
    m_monitor->Finish(results);
    Simulator::Destroy();
    return results;
}

const std::vector<Ptr<PeerApplication>>&
Scenario::GetLearners() const
{
    return m_learners;
}

Ptr<const Task>
Scenario::GetTask() const
{
    return m_task;
}

const Graph&
Scenario::GetGraph() const
{
    return m_graph;
}

const std::vector<Ptr<SampleStream>>&
Scenario::GetStreams() const
{
    return m_streams;
}

Network&
Scenario::GetNetwork()
{
    return *m_network;
}

const std::vector<RoundSummary>&
Scenario::GetSummaries() const
{
    return m_summaries;
}

std::map<std::string, std::string>
GetChangedAttributes()
{
    std::map<std::string, std::string> changed;
    for (uint16_t k = 0; k < TypeId::GetRegisteredN(); ++k)
    {
        const TypeId type = TypeId::GetRegistered(k);
        for (size_t a = 0; a < type.GetAttributeN(); ++a)
        {
            const TypeId::AttributeInformation info = type.GetAttribute(a);
            const std::string now = info.initialValue->SerializeToString(info.checker);
            if (now != info.originalInitialValue->SerializeToString(info.checker))
            {
                changed[type.GetAttributeFullName(a)] = now;
            }
        }
    }
    return changed;
}

} // namespace dlearn
} // namespace ns3
