/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-scenario.h"

#include "dlearn-compression-option.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-churn-schedule.h"
#include "ns3/dlearn-evaluator.h"
#include "ns3/dlearn-network-factory.h"
#include "ns3/dlearn-partial-shuffle.h"
#include "ns3/dlearn-quantity-parser.h"
#include "ns3/dlearn-results-writer.h"
#include "ns3/dlearn-seeded-random.h"
#include "ns3/dlearn-tcp-transport.h"
#include "ns3/dlearn-udp-transport.h"
#include "ns3/double.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <iomanip>

namespace ns3::dlearn
{

namespace
{

/**
 * @param table gets a number in a column of its own, or a dash for one that does not exist
 * @param value the number
 * @param width of the column
 * @param decimals digits after the point; negative for four significant digits
 */
void
PrintCell(std::ostream& table, double value, int width, int decimals = -1)
{
    table << std::setw(width);
    if (std::isnan(value))
    {
        table << "-";
    }
    else if (decimals >= 0)
    {
        table << std::fixed << std::setprecision(decimals) << value;
    }
    else
    {
        table << std::defaultfloat << std::setprecision(4) << value;
    }
}

/**
 * @param table gets one line
 * @param summary of an evaluated round
 */
void
PrintRow(std::ostream& table, const RoundSummary& summary)
{
    PrintCell(table, summary.time.GetSeconds(), 10, 3);
    table << std::setw(7) << summary.round << std::setw(10) << summary.learners;
    PrintCell(table, summary.mean.loss, 12);
    PrintCell(table, summary.mean.accuracy, 10, 4);
    PrintCell(table, summary.mean.error, 12);
    PrintCell(table, summary.epsilon, 12);
    PrintCell(table, 100 * summary.delivered, 10, 1);
    table << "%" << std::endl;
}

} // namespace

Scenario::Scenario()
    : m_graph(1)
{
}

Scenario::~Scenario()
{
    if (!m_destroyed)
    {
        Simulator::Destroy(); // events of a run that never was must not reach into the next
    }
}

TypeId
Scenario::Choose(const std::string& option,
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

void
Scenario::RefuseOverriddenAttributes(std::map<std::string, std::string> optionOf)
{
    optionOf.insert({{"ns3::dlearn::MessageExchange::Transport", "transport"},
                     {"ns3::dlearn::MessageExchange::FloatBits", "float-bits"},
                     {"ns3::dlearn::MessageExchange::Compressor", "compress"},
                     {"ns3::dlearn::NeuralNetworkTask::Layers", "task"},
                     {"ns3::dlearn::TorchTask::File", "task"},
                     {"ns3::dlearn::Task::Regularization", "regularization"}});
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

TypeId
Scenario::ChooseRoundPolicy(const ScenarioOptions& options)
{
    return !options.deadline.empty() ? DeadlinePolicy::GetTypeId()
           : options.quorum < 1      ? QuorumPolicy::GetTypeId()
                                     : AllPolicy::GetTypeId();
}

void
Scenario::ConfigureRoundPolicy(const ScenarioOptions& options, RoundPolicy& policy)
{
    if (!options.deadline.empty())
    {
        const Time deadline = ParseTime("deadline", options.deadline);
        Require(deadline.IsStrictlyPositive(), "deadline must be greater than 0");
        policy.SetAttribute("Deadline", TimeValue(deadline));
    }
    else if (options.quorum < 1)
    {
        policy.SetAttribute("Fraction", DoubleValue(options.quorum));
    }
}

void
Scenario::ConfigureExchange(const ScenarioOptions& options, MessageExchange& exchange)
{
    const TypeId transport = Choose("transport",
                                    options.transport,
                                    {{"udp", UdpTransport::GetTypeId()},
                                     {"broadcast", UdpBroadcastTransport::GetTypeId()},
                                     {"tcp", TcpTransport::GetTypeId()}});
    exchange.SetAttribute("Transport", TypeIdValue(transport));
    exchange.SetAttribute("FloatBits", UintegerValue(options.floatBits));
}

void
Scenario::ConfigureClientExchange(const ScenarioOptions& options, MessageExchange& exchange)
{
    ConfigureExchange(options, exchange);
    CompressionOption(options.compress).Apply(exchange);
    if (options.transport == "broadcast")
    {
        exchange.SetAttribute("Transport", TypeIdValue(UdpTransport::GetTypeId()));
    }
}

std::string
Scenario::Describe(const Dataset& data)
{
    return data.name + " (" + std::to_string(data.GetSize()) + " samples, " +
           std::to_string(data.GetFeatures()) + " features)";
}

WeightedSamples
Scenario::ChooseEvaluationSamples(const ScenarioOptions& options, const Dataset& data)
{
    SampleIndices samples = FirstSamples(data.GetSize());
    if (options.evaluationSamples > 0 && options.evaluationSamples < samples.size())
    {
        const auto random = CreateSeeded<UniformRandomVariable>(EVALUATION_STREAM, 0);
        ShuffleFirst(samples, options.evaluationSamples, *random);
        samples.resize(options.evaluationSamples);
    }
    return EqualWeights(samples);
}

std::unique_ptr<ModelEvaluator>
Scenario::EvaluateOnTrainingData(const ScenarioOptions& options, Ptr<const Task> task)
{
    return std::make_unique<Evaluator>(task, ChooseEvaluationSamples(options, task->GetTrain()));
}

LoadedData
Scenario::LoadSamples(const ScenarioOptions& options)
{
    DataOptions data;
    data.data = options.data;
    data.task = options.task;
    data.directory = options.dataDir;
    data.samples = options.dataSamples;
    data.testFraction = options.testFraction;
    data.unitNorm = options.unitNorm;
    data.normalize = options.normalize;
    data.mirror = options.mirror;
    data.stream = DATA_STREAM;
    LoadedData loaded = LoadData(data);
    if (options.evaluationSamples > 0 && options.evaluationSamples < loaded.test->GetSize())
    {
        loaded.test = std::make_shared<const Dataset>(
            Subset(*loaded.test, FirstSamples(options.evaluationSamples)));
    }
    return loaded;
}

void
Scenario::BuildNetwork(const ScenarioOptions& options, NetworkOptions network)
{
    network.loss = options.loss;
    network.delay = ParseTime("delay", options.delay);
    network.rate = ParseDataRate("rate", options.rate);
    network.trunkRate = ParseDataRate("trunk-rate", options.trunkRate);
    if (options.mtu > 0)
    {
        network.mtu = options.mtu;
    }
    network.side = options.side;
    network.mobility = options.mobility;
    network.schedule = LinkSchedule::Parse(options.links);
    m_network = CreateNetwork(options.network);
    Require(options.transport != "broadcast" || m_network->HasBroadcast(),
            "transport broadcast needs a shared medium (csma, wifi-adhoc or wifi-infra), network "
            "is ",
            options.network);
    m_network->Build(m_graph, network);
    m_network->AssignStreams(NETWORK_STREAM);
}

void
Scenario::Watch(const ScenarioOptions& options,
                const std::vector<Ptr<LearnerApplication>>& learners,
                std::unique_ptr<ModelEvaluator> evaluator)
{
    m_applications = learners;
    const auto churn = ChurnSchedule::Parse(options.churn);
    churn.Install(learners);
    m_monitor = std::make_unique<Monitor>(learners, std::move(evaluator), options.evaluateEvery);
    m_monitor->KeepAliveUntil(churn.GetEnd());
}

RunResults
Scenario::Run(std::ostream& table)
{
    PrintTitle(table);
    table << ", seed " << RngSeedManager::GetSeed() << " run " << RngSeedManager::GetRun() << "\n\n"
          << "  time (s)  round  learners        loss  accuracy       error     epsilon  "
             "delivered\n";
    m_monitor->SetSummaryCallback([&](const RoundSummary& summary) {
        m_summaries.push_back(summary);
        PrintRow(table, summary);
    });
    WriteTranscript();
    ComputePool::Get().SetThreads(GetOptions().threads);
    const auto start = std::chrono::steady_clock::now();
    Simulator::Run();
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;

    RunResults results;
    results.program = GetOptions().program;
    results.parameters = GetOptions().GetParameters();
    results.attributes = GetChangedAttributes();
    results.seed = RngSeedManager::GetSeed();
    results.run = RngSeedManager::GetRun();
    results.graph = m_graph;
    results.positions = m_network->GetPositions();
    for (const auto& learner : m_applications)
    {
        results.roles.push_back(learner->GetRole());
    }
    results.simulatedSeconds = Simulator::Now().GetSeconds();
    results.wallSeconds = wall.count();
    results.events = Simulator::GetEventCount();
    m_monitor->Finish(results);
    Complete(results);
    Simulator::Destroy();
    m_destroyed = true;
    m_transcript.reset(); // which closes its file
    if (!GetOptions().transcript)
    {
        // That of an earlier run would not fit these results.
        std::remove((GetOptions().out + "/transcript.csv").c_str());
    }
    return results;
}

void
Scenario::WriteTranscript()
{
    const std::string& out = GetOptions().out;
    if (GetOptions().transcript)
    {
        MakeResultsDirectory(out);
        m_transcript = std::make_unique<Transcript>(m_applications,
                                                    WriteTranscriptCsv(out + "/transcript.csv"));
    }
}

void
Scenario::Complete(RunResults& /* results */) const
{
}

const Graph&
Scenario::GetGraph() const
{
    return m_graph;
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

} // namespace ns3::dlearn
