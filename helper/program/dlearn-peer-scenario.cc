/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-peer-scenario.h"

#include "dlearn-peer-algorithms.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-component-parser.h"
#include "ns3/dlearn-evaluator.h"
#include "ns3/dlearn-graph-by-name.h"
#include "ns3/dlearn-mixing-matrix.h"
#include "ns3/dlearn-partitioner.h"
#include "ns3/dlearn-peer-helper.h"
#include "ns3/dlearn-peer-rule.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3::dlearn
{

PeerScenario::PeerScenario(const PeerOptions& options)
    : m_options(options),
      m_attack(options.attack)
{
    m_options.Validate();
    std::map<std::string, std::string> optionOf{
        {"ns3::dlearn::PeerApplication::Rule", "algorithm"},
        {"ns3::dlearn::PeerApplication::Rounds", "rounds"},
        {"ns3::dlearn::PeerApplication::MissingPolicy", "missing"},
        {"ns3::dlearn::PeerApplication::Byzantine", "byzantine"},
        {"ns3::dlearn::LaplaceMechanism::GrowthExponent", "noise-exponent"},
        {"ns3::dlearn::GaussianMechanism::GrowthExponent", "noise-exponent"}};
    for (const auto& [name, rule] : GetPeerAlgorithms())
    {
        optionOf[rule.GetName() + "::Aggregator"] = "aggregator";
        optionOf[rule.GetName() + "::Byzantine"] = "byzantine";
        optionOf[rule.GetName() + "::MissingAreByzantine"] = "missing-are-byzantine";
    }
    RefuseOverriddenAttributes(optionOf);
    m_graph = WeightsByName(
        GraphByName(m_options.graph, m_options.learners, GRAPH_STREAM, m_options.side),
        m_options.weight);
    Require(m_options.byzantine < m_graph.GetSize(),
            "byzantine must be less than the number of learners, ",
            m_graph.GetSize(),
            ", got ",
            m_options.byzantine);
    LoadTask();
    NetworkOptions network;
    if (m_options.graph.rfind("rgg:", 0) == 0)
    {
        network.positions = m_graph.positions; // in metres, in the same square
    }
    BuildNetwork(m_options, network);
    CreateLearners();
}

const ScenarioOptions&
PeerScenario::GetOptions() const
{
    return m_options;
}

void
PeerScenario::LoadTask()
{
    const LoadedData loaded = LoadSamples(m_options);
    m_task = CreateTask(m_options.task, loaded, m_options.regularization);
    auto shards =
        PartitionByName(m_options.partition, *loaded.train, m_graph.GetSize(), PARTITION_STREAM);
    m_tasks.assign(shards.size(), m_task);
    for (size_t id = shards.size() - m_options.byzantine; id < shards.size(); ++id)
    {
        if (m_attack.FlipsLabels())
        {
            const LoadedData flipped = FlipLabels(loaded, shards[id]);
            m_tasks[id] = CreateTask(m_options.task, flipped, m_options.regularization);
        }
    }
    m_streams = PeerHelper::CreateStreams(shards, m_options.batch, SAMPLE_STREAM);
}

void
PeerScenario::CreateLearners()
{
    const TypeId rule = Choose("algorithm", m_options.algorithm, GetPeerAlgorithms());
    CreatePeers(m_options, rule, m_options.missing, m_options.synchrony);
    for (LearnerId id = 0; id < m_learners.size(); ++id)
    {
        m_learners[id]->SetAttribute("Byzantine", UintegerValue(m_options.byzantine));
        ConfigureNoise(*m_learners[id], id);
        ConfigureMixing(*m_learners[id], id);
    }
    PeerHelper::Connect(m_learners,
                        GetNetwork(),
                        m_graph,
                        Graph(m_graph.GetSize()),
                        m_tasks,
                        m_streams,
                        DrawInitialModels(m_options.initial));
    PeerHelper::AssignStreams(m_learners, LEARNER_STREAM);
    InstallAttack();
    // All that has been drawn is what the theory speaks of, but may be more than one wants to
    // evaluate.
    Watch(m_options,
          {m_learners.begin(), m_learners.end()},
          m_options.evaluationSamples > 0
              ? EvaluateOnTrainingData(m_options, m_task)
              : std::make_unique<Evaluator>(m_task, GetHonestStreams()));
}

void
PeerScenario::InstallAttack()
{
    Ptr<Aggregator> aggregator; // the attackers' own copy, to try things out
    if (m_options.aggregator != "none")
    {
        aggregator = ParseAggregator(m_options.aggregator);
        AddPreAggregators(m_options.pre, aggregator);
    }
    m_attack.Install(m_learners,
                     m_graph,
                     m_options.byzantine,
                     m_options.omniscient,
                     MakeDefence(aggregator, m_options.byzantine),
                     ATTACK_STREAM);
}

std::vector<Ptr<SampleStream>>
PeerScenario::GetHonestStreams() const
{
    std::vector<Ptr<SampleStream>> streams;
    for (LearnerId id = 0; id < m_learners.size(); ++id)
    {
        if (!m_learners[id]->IsByzantine())
        {
            streams.push_back(m_streams[id]);
        }
    }
    return streams;
}

void
PeerScenario::ConfigureMixing(PeerApplication& learner, LearnerId id) const
{
    if (m_options.aggregator == "none")
    {
        return;
    }
    const auto rule = DynamicCast<PeerRule>(learner.GetRule());
    Require(rule != nullptr,
            "algorithm ",
            m_options.algorithm,
            " can not mix by aggregator ",
            m_options.aggregator);
    const auto aggregator = ParseAggregator(m_options.aggregator);
    AddPreAggregators(m_options.pre, aggregator);
    rule->SetAggregator(aggregator);
    // Less than half of the learner and its neighbours: k / 2, rounded down, of k neighbours.
    const auto most = static_cast<uint32_t>(m_graph.GetInNeighbors(id).size() / 2);
    rule->SetAttribute("Byzantine", UintegerValue(std::min(m_options.byzantine, most)));
    rule->SetAttribute("MissingAreByzantine", BooleanValue(m_options.missingAreByzantine));
}

void
PeerScenario::ConfigureNoise(PeerApplication& learner, LearnerId id) const
{
    const auto rule = DynamicCast<PeerRule>(learner.GetRule());
    if (!rule)
    {
        return; // an algorithm without noise
    }
    m_options.privacy.Apply(*rule);
    if (const auto ledger = rule->GetPrivacyLedger())
    {
        m_options.privacy.ApplyDelta(*ledger);
    }
    const auto noise = rule->GetNoiseMechanism();
    m_options.privacy.RequireDeltaCounts(noise->GetLaw());
    DoubleValue base;
    noise->GetAttribute("BaseScale", base);
    noise->SetAttribute("BaseScale", DoubleValue(base.Get() * m_options.noise));
    if (noise->GetLaw() != NoiseLaw::TERNARY && noise->GetAttributeFailSafe("GrowthExponent", base))
    {
        const double exponent = m_options.noiseExponent + m_options.noiseExponentStep * (id + 1.0);
        noise->SetAttribute("GrowthExponent", DoubleValue(exponent));
    }
}

void
PeerScenario::PrintTitle(std::ostream& table) const
{
    const Dataset& train = m_task->GetTrain();
    table << m_options.program << ": " << m_graph.GetSize() << " learners, " << m_options.graph
          << " over " << m_options.network << " (" << m_options.transport << "), "
          << m_options.algorithm << ", " << train.name << " (" << train.GetSize() << " samples, "
          << train.GetFeatures() << " features";
    for (size_t k = 0; k < train.labelNames.size() && k < 10; ++k)
    {
        table << (k == 0 ? ", labels " : " ") << train.labelNames[k] << "->" << k;
    }
    table << ")";
    if (m_options.byzantine > 0)
    {
        table << ", " << m_options.byzantine << " Byzantine (" << m_options.attack << ")";
    }
    if (m_options.aggregator != "none")
    {
        table << ", " << (m_options.pre.empty() ? "" : m_options.pre + "+") << m_options.aggregator;
    }
}

void
PeerScenario::Complete(RunResults& results) const
{
    results.privacy = DescribePeers(m_learners, m_options.transcript ? m_options.rounds : 0);
    if (m_options.aggregator == "none")
    {
        return;
    }
    uint64_t& skipped = results.totals["mixings_skipped"];
    for (const auto& learner : m_learners)
    {
        skipped += DynamicCast<PeerRule>(learner->GetRule())->GetSkippedMixings();
    }
}

const std::vector<Ptr<SampleStream>>&
PeerScenario::GetStreams() const
{
    return m_streams;
}

} // namespace ns3::dlearn
