/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-peer-learners.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-baselines.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-component-parser.h"
#include "ns3/dlearn-evaluator.h"
#include "ns3/dlearn-graph-generators.h"
#include "ns3/dlearn-mixing-matrix.h"
#include "ns3/dlearn-partitioner.h"
#include "ns3/dlearn-peer-helper.h"
#include "ns3/dlearn-run-findings.h"
#include "ns3/dlearn-schedule.h"
#include "ns3/dlearn-seeded-random.h"
#include "ns3/dlearn-simulated-time.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

namespace ns3::dlearn
{

PeerLearners::PeerLearners(const RunSpec& spec, NoGraph)
    : RunLearners(spec)
{
}

PeerLearners::PeerLearners(const RunSpec& spec)
    : PeerLearners(spec, NoGraph())
{
    const TypeId rule = m_spec.GetPeerRule().GetTypeId();
    const bool drawn = m_spec.graph.rfind("rgg:", 0) == 0;
    const double side = drawn ? m_spec.Take(m_spec.side) : m_spec.side;
    m_graph = WeightsByName(GraphByName(m_spec.graph, m_spec.learners, RunStreams::GRAPH, side),
                            m_spec.HasAlpha() ? m_spec.Take(m_spec.edgeWeight) : m_spec.edgeWeight);
    TypeId::AttributeInformation growing;
    const bool grows = rule.LookupAttributeByName("SampleFactor", &growing);
    LoadTasks((grows ? m_spec.batchSize : m_spec.Take(m_spec.batchSize)).value_or(20));
}

void
PeerLearners::LoadTasks(uint32_t batch)
{
    const uint32_t byzantine = m_spec.byzantine;
    Require(byzantine < m_graph.GetSize(),
            "byzantine must be less than the number of learners, ",
            m_graph.GetSize(),
            ", got ",
            byzantine);
    CreateDevices(m_graph.GetSize());
    LoadedData loaded = LoadSamples(m_graph.GetSize());
    m_shards =
        loaded.shards.empty() ? DivideSamples(m_spec, loaded, m_graph.GetSize()) : loaded.shards;
    PrepareDrift(loaded);
    m_task = MakeTask(loaded);
    m_tasks.assign(m_shards.size(), m_task);
    std::vector<SampleIndices> own = m_shards; // indices in the data of the learner's task
    for (size_t id = m_shards.size() - byzantine; IsPoisoned() && id < m_shards.size(); ++id)
    {
        m_origins[id] = m_shards[id];
        m_tasks[id] = MakeTask(m_attack.Poison(loaded, own[id]));
    }
    m_streams = PeerHelper::CreateStreams(own, batch, RunStreams::SAMPLES);
    for (const auto& stream : m_streams)
    {
        if (m_drift)
        {
            stream->SetDrift(m_drift, loaded.train);
        }
    }
}

Ptr<Task>
PeerLearners::MakeTask(const LoadedData& loaded) const
{
    const Ptr<Task> task = RunLearners::MakeTask(loaded);
    if (m_spec.clip > 0)
    {
        m_options.Give(*task, "ClipNorm", DoubleValue(m_spec.clip), m_spec.clip);
    }
    return task;
}

Graph
PeerLearners::GetTrackerGraph() const
{
    return Graph(m_graph.GetSize());
}

NetworkSetup
PeerLearners::GetNetworkSetup() const
{
    NetworkSetup network;
    network.links = DeviceProfiles::GetLinks(GetDevices());
    if (m_spec.graph.rfind("rgg:", 0) == 0)
    {
        network.positions = m_graph.positions; // in metres, in the same square
    }
    return network;
}

void
PeerLearners::CreatePeers(Network& network)
{
    m_options.RefuseChosen(PeerApplication::GetTypeId(), {"Rule", "MissingPolicy"});
    const bool waits =
        IsComponentOf(GetMissingFamily(), m_spec.onMissing, WaitForMissing::GetTypeId());
    const bool asynchronous = m_spec.GetPeriod().has_value();
    PeerHelper helper;
    helper.SetAttribute("Rule", ObjectFactoryValue(m_spec.GetPeerRule()));
    helper.SetAttribute("MissingPolicy",
                        ObjectFactoryValue(ParseComponent(GetMissingFamily(), m_spec.onMissing)));
    if (asynchronous || (HasRoundPolicy() && !waits)) // otherwise the attribute applies
    {
        helper.SetAttribute("RoundPolicy", ObjectFactoryValue(GetRoundPolicy()));
    }
    if (!m_spec.responseTimeout.empty())
    {
        const Time timeout = ParseTime("timeout", m_spec.responseTimeout);
        Require(timeout.IsStrictlyPositive(),
                "timeout must be greater than 0, got ",
                m_spec.responseTimeout);
        helper.SetAttribute("ResponseTimeout", TimeValue(timeout));
        helper.SetAttribute("SuspicionTimeout", TimeValue(2 * timeout));
        if (!asynchronous || m_attack.Waits())
        {
            m_spec.Take(m_spec.responseTimeout);
        }
    }
    m_peers = helper.Create(network);
    for (const auto& peer : m_peers)
    {
        m_options.Apply(*peer);
        ConfigureExchange(*peer->GetExchange(), "compress", m_spec.compress, true);
    }
}

void
PeerLearners::Install(Network& network)
{
    CreatePeers(network);
    for (LearnerId id = 0; id < m_peers.size(); ++id)
    {
        ConfigureDevice(*m_peers[id], id);
        m_options.Give(*m_peers[id], "Byzantine", UintegerValue(m_spec.byzantine));
        ConfigureRule(*m_peers[id]->GetRule(), id);
        ConfigureMixing(*m_peers[id], id);
    }
    PeerHelper::Connect(m_peers,
                        network,
                        PeerHelper::ChannelGraphs{{ModelChannel::STATE, GetStateGraph()},
                                                  {ModelChannel::TRACKER, GetTrackerGraph()}},
                        m_tasks,
                        m_streams,
                        DrawInitialModels());
    PeerHelper::AssignStreams(m_peers, RunStreams::LEARNERS);
    InstallAttack();
    TakeAccount();
}

void
PeerLearners::TakeAccount() const
{
    const bool known = std::any_of(m_peers.begin(), m_peers.end(), [](const auto& peer) {
        return peer->GetRule()->GetLedger() != nullptr;
    });
    if (known && !m_spec.IsNoiseless())
    {
        m_spec.Take(m_spec.budget);
        m_spec.Take(m_spec.privacyUnit);
        if (m_hasDelta)
        {
            m_spec.Take(m_spec.delta);
        }
    }
}

std::vector<ModelVector>
PeerLearners::DrawInitialModels() const
{
    const auto normal = CreateSeeded<NormalRandomVariable>(RunStreams::INITIAL, 0);
    std::vector<ModelVector> models(
        m_graph.GetSize(),
        ChooseInitialModel(m_spec, m_task->DrawInitialModel(RunStreams::INITIAL + 1)));
    for (ModelVector& model : models)
    {
        for (double& entry : model)
        {
            entry += m_spec.initStd > 0 ? m_spec.initStd * normal->GetValue() : 0;
        }
    }
    return models;
}

void
PeerLearners::InstallAttack()
{
    TakeAttack();
    // Attackers evaluate a separate copy of the aggregator.
    m_attack.Install(m_peers,
                     m_graph,
                     m_spec.byzantine,
                     m_spec.omniscient,
                     CreateAggregator(),
                     RunStreams::ATTACK);
}

void
PeerLearners::ConfigurePrivacy(UpdateRule& rule) const
{
    if (m_spec.IsNoiseless())
    {
        return;
    }
    if (!m_spec.mechanism.empty())
    {
        const ObjectFactoryValue noise(ParseComponent(GetMechanismFamily(), m_spec.mechanism));
        if (!m_options.Give(rule, "NoiseMechanism", noise, m_spec.mechanism))
        {
            m_options.Give(rule, "StateNoise", noise, m_spec.mechanism);
            m_options.Give(rule, "TrackerNoise", noise, m_spec.mechanism);
        }
    }
    if (!m_spec.privacyUnit.empty())
    {
        const ObjectFactory unit = ParseComponent(GetPrivacyUnitFamily(), m_spec.privacyUnit);
        m_options.Give(rule, "PrivacyUnit", ObjectFactoryValue(unit));
    }
}

void
PeerLearners::ConfigureAccount(PrivacyAccount& account) const
{
    if (!m_spec.IsNoiseless())
    {
        m_options.Apply(account);
    }
    if (m_spec.delta > 0)
    {
        m_options.Give(account, "Delta", DoubleValue(m_spec.delta));
    }
    if (m_spec.budget > 0)
    {
        m_options.Give(account, "Budget", DoubleValue(m_spec.budget));
    }
}

bool
PeerLearners::ConfigureScale(NoiseMechanism& noise) const
{
    if (m_spec.IsNoiseless())
    {
        m_options.Give(noise, "Multiplier", DoubleValue(0));
    }
    else
    {
        m_options.Give(noise, "Multiplier", DoubleValue(m_spec.noise), m_spec.noise);
    }
    m_hasDelta = m_hasDelta || noise.GetLaw() != NoiseLaw::LAPLACE;
    TypeId::AttributeInformation growth;
    return noise.GetLaw() != NoiseLaw::TERNARY &&
           noise.GetInstanceTypeId().LookupAttributeByName("GrowthExponent", &growth);
}

void
PeerLearners::ConfigureRule(UpdateRule& updateRule, LearnerId id) const
{
    if (m_spec.stepSize)
    {
        m_options.Give(updateRule, "StepSize", DoubleValue(*m_spec.stepSize), m_spec.stepSize);
    }
    const auto rule = dynamic_cast<PeerRule*>(&updateRule);
    if (!rule)
    {
        return; // an algorithm without noise
    }
    ConfigurePrivacy(*rule);
    if (const auto ledger = rule->GetPrivacyLedger())
    {
        ConfigureAccount(*ledger);
    }
    const auto noise = rule->GetNoiseMechanism();
    if (ConfigureScale(*noise))
    {
        const double step = m_spec.Take(m_spec.noiseExponentStep);
        const double exponent = m_spec.noiseExponent + step * (id + 1.0);
        Require(std::pow(m_spec.rounds, exponent) <= LARGEST_SETTING,
                "noise-exponent and noise-exponent-step must not let the noise grow to more than ",
                LARGEST_SETTING,
                " times its first scale; learner ",
                id,
                " has an exponent of ",
                exponent,
                " for ",
                m_spec.rounds,
                " rounds");
        m_options.Give(*noise, "GrowthExponent", DoubleValue(exponent), m_spec.noiseExponent);
    }
}

void
PeerLearners::ConfigureMixing(PeerApplication& learner, LearnerId id) const
{
    const auto rule = DynamicCast<PeerRule>(learner.GetRule());
    const auto aggregator = rule ? TakeAggregator() : nullptr;
    // Fewer than half of the learner and its k neighbours: floor(k / 2).
    const auto most = static_cast<uint32_t>(m_graph.GetInNeighbors(id).size() / 2);
    const UintegerValue byzantine(std::min(m_spec.byzantine, most));
    if (!rule && !UsedOptions::HasChosenValue(*learner.GetRule(), "Byzantine"))
    {
        m_options.Give(*learner.GetRule(), "Byzantine", byzantine);
    }
    if (!aggregator)
    {
        return;
    }
    rule->SetAggregator(aggregator);
    m_options.Give(*rule, "Byzantine", byzantine);
    if (m_spec.byzantine > 0)
    {
        const BooleanValue missing(m_spec.missingAreByzantine);
        m_options.Give(*rule, "MissingAreByzantine", missing, m_spec.missingAreByzantine);
    }
}

std::vector<Ptr<LearnerApplication>>
PeerLearners::GetApplications() const
{
    return {m_peers.begin(), m_peers.end()};
}

std::vector<Ptr<SampleStream>>
PeerLearners::GetHonestStreams() const
{
    std::vector<Ptr<SampleStream>> streams;
    for (LearnerId id = 0; id < m_peers.size(); ++id)
    {
        if (!m_peers[id]->IsByzantine())
        {
            streams.push_back(m_streams[id]);
        }
    }
    return streams;
}

std::unique_ptr<ModelEvaluator>
PeerLearners::DoCreateEvaluator() const
{
    if (m_spec.evaluationSamples > 0)
    {
        return EvaluateOnTrainingData();
    }
    // The theory is about all drawn samples, of which the user may evaluate only a part.
    return Follow(std::make_unique<Evaluator>(m_task, GetHonestStreams()));
}

void
PeerLearners::Describe(std::ostream& title) const
{
    const Dataset& train = m_task->GetTrain();
    title << m_graph.GetSize() << " learners, " << m_spec.graph << " over " << m_spec.network
          << " (" << m_spec.transport << "), " << m_spec.algorithm << ", " << train.name << " ("
          << CountTrain() << " samples, " << train.GetFeatures() << " features";
    for (size_t k = 0; k < train.labelNames.size() && k < 10; ++k)
    {
        title << (k == 0 ? ", labels " : " ") << train.labelNames[k] << "->" << k;
    }
    title << ")";
    if (m_spec.byzantine > 0)
    {
        title << ", " << m_spec.byzantine << " Byzantine (" << m_spec.attack << ")";
    }
    if (m_spec.aggregator != "none")
    {
        title << ", " << (m_spec.preAggregator.empty() ? "" : m_spec.preAggregator + "+")
              << m_spec.aggregator;
    }
}

void
PeerLearners::Complete(RunResults& results) const
{
    results.privacy = DescribePeers(m_peers, m_spec.transcript ? m_spec.rounds : 0);
    AddSamples(CountLabels(m_task->GetTrain(), m_shards), 0, results);
    if (const auto warning = DescribeTernaryDelta(m_peers, results); !warning.empty())
    {
        results.warnings.push_back(warning);
    }
    if (m_spec.aggregator != "none")
    {
        results.totals["mixings_skipped"] = results.skipped;
    }
}

} // namespace ns3::dlearn
