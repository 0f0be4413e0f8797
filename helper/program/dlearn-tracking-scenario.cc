/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-tracking-scenario.h"

#include "dlearn-peer-algorithms.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-gradient-norm-evaluator.h"
#include "ns3/dlearn-laplace-mechanism.h"
#include "ns3/dlearn-partitioner.h"
#include "ns3/dlearn-pdop.h"
#include "ns3/dlearn-peer-helper.h"
#include "ns3/dlearn-tracking-conditions.h"
#include "ns3/dlearn-wifi-network.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

namespace ns3::dlearn
{

namespace
{

/** Eigenvalues of the theory cost the cube of this; a second at most. */
constexpr uint32_t MAX_THEORY_LEARNERS = 400;

/** @return names of algorithms and their rules */
const std::vector<std::pair<std::string, TypeId>>&
GetAlgorithms()
{
    static const auto algorithms = [] {
        std::vector<std::pair<std::string, TypeId>> all{{"dp-gt", GradientTracking::GetTypeId()},
                                                        {"gt", GradientTracking::GetTypeId()}};
        all.insert(all.end(), GetPeerAlgorithms().begin(), GetPeerAlgorithms().end());
        return all;
    }();
    return algorithms;
}

/** @return attributes that options set, and these options */
std::map<std::string, std::string>
GetOverridden()
{
    const std::string prefix = "ns3::dlearn::";
    std::map<std::string, std::string> optionOf{
        {prefix + "PeerApplication::Rule", "algorithm"},
        {prefix + "PeerApplication::Rounds", "rounds"},
        {prefix + "PeerApplication::MissingPolicy", "missing"},
        {prefix + "GradientTracking::Alpha", "alpha"},
        {prefix + "GradientTracking::Beta", "beta"},
        {prefix + "GradientTracking::Gamma", "gamma"},
        {prefix + "GradientTracking::Samples", "samples"},
        {prefix + "GradientTracking::LossCompensation", "compensation"},
        {prefix + "GradientTrackingLedger::Smoothness", "smoothness"},
        {prefix + "LaplaceMechanism::BaseScale", "noise"},
        {prefix + "LaplaceMechanism::GrowthExponent", "state-noise-exponent"},
        {prefix + "GaussianMechanism::BaseScale", "noise"},
        {prefix + "GaussianMechanism::GrowthExponent", "state-noise-exponent"}};
    for (const auto& [name, rule] : GetAlgorithms())
    {
        optionOf[rule.GetName() + "::StepSize"] = "gamma";
        optionOf[rule.GetName() + "::Coupling"] = "alpha";
    }
    return optionOf;
}

/**
 * @param graph who hears whom
 * @return whether somebody is heard but does not hear
 */
bool
HasOneWayEdges(const Graph& graph)
{
    for (LearnerId receiver = 0; receiver < graph.GetSize(); ++receiver)
    {
        for (const auto& [sender, weight] : graph.GetInNeighbors(receiver))
        {
            if (graph.GetWeight(sender, receiver) == 0)
            {
                return true;
            }
        }
    }
    return false;
}

} // namespace

TrackingScenario::TrackingScenario(const TrackingOptions& options)
    : m_options(options)
{
    m_options.Validate();
    Choose("algorithm", m_options.algorithm, GetAlgorithms());
    RefuseOverriddenAttributes(GetOverridden());
    m_chosen = GetChangedAttributes();
    m_plan = m_options.GetPlan();
    m_graphs = MakeTrackingGraphs(m_options, GRAPH_STREAM);
    m_graph = UniteGraphs(m_graphs.states, m_graphs.trackers);
    LoadTask();
    BuildRadios();
    CreateLearners();
}

const ScenarioOptions&
TrackingScenario::GetOptions() const
{
    return m_options;
}

void
TrackingScenario::LoadTask()
{
    const LoadedData loaded = LoadSamples(m_options);
    m_task = CreateTask(m_options.task, loaded, m_options.regularization);
    m_shards =
        PartitionByName(m_options.partition, *loaded.train, m_graph.GetSize(), PARTITION_STREAM);
}

void
TrackingScenario::BuildRadios()
{
    NetworkOptions network;
    network.positions = m_graphs.positions;
    BuildNetwork(m_options, network);
    const auto wifi = dynamic_cast<WifiNetwork*>(&GetNetwork());
    if (wifi != nullptr && !m_graphs.powers.empty())
    {
        wifi->SetPowers(m_graphs.powers);
    }
}

void
TrackingScenario::CreateLearners()
{
    CreatePeers(m_options,
                Choose("algorithm", m_options.algorithm, GetAlgorithms()),
                m_options.missing,
                m_options.synchrony);
    for (LearnerId id = 0; id < m_learners.size(); ++id)
    {
        const auto rule = m_learners[id]->GetRule();
        if (const auto tracking = DynamicCast<GradientTracking>(rule))
        {
            ConfigureTracking(*tracking, m_shards[id].size());
        }
        else
        {
            ConfigureBaseline(*DynamicCast<PeerRule>(rule));
        }
    }
    PeerHelper::Connect(m_learners,
                        GetNetwork(),
                        m_graphs.states,
                        m_graphs.trackers,
                        m_task,
                        PeerHelper::CreateStreams(m_shards, m_plan.samples, SAMPLE_STREAM),
                        DrawInitialModels(m_options.initial));
    PeerHelper::AssignStreams(m_learners, LEARNER_STREAM);
    if (m_options.IsTracking())
    {
        m_invariant = CreateObject<TrackingMonitor>();
        m_invariant->Watch(m_learners);
    }
    Watch(m_options,
          {m_learners.begin(), m_learners.end()},
          m_options.evaluationSamples > 0
              ? std::make_unique<GradientNormEvaluator>(
                    m_task,
                    m_shards,
                    ChooseEvaluationSamples(m_options, m_task->GetTrain()))
              : std::make_unique<GradientNormEvaluator>(m_task, m_shards));
}

void
TrackingScenario::ConfigureTracking(GradientTracking& rule, size_t shard) const
{
    const auto samples = std::min<size_t>(m_plan.samples, shard);
    const bool sums = m_options.compensation == "running-sum";
    rule.SetAttribute("Alpha", DoubleValue(m_plan.alpha));
    rule.SetAttribute("Beta", DoubleValue(m_plan.beta));
    rule.SetAttribute("Gamma", DoubleValue(m_plan.gamma));
    rule.SetAttribute("Samples", UintegerValue(samples));
    rule.SetAttribute("LossCompensation",
                      TypeIdValue(sums ? RunningSum::GetTypeId() : NoCompensation::GetTypeId()));
    if (!HasAccount())
    {
        rule.SetAttribute("PrivacyLedger", TypeIdValue(PrivacyAccount::GetTypeId()));
    }
    m_options.privacy.Apply(rule);
    if (const auto ledger = rule.GetTrackingLedger())
    {
        ledger->SetAttribute("Smoothness", DoubleValue(m_options.smoothness));
        m_options.privacy.ApplyDelta(*ledger);
    }
    ConfigureNoise(*rule.GetStateNoise(), m_plan.state);
    ConfigureNoise(*rule.GetTrackerNoise(), m_plan.tracker);
}

void
TrackingScenario::ConfigureBaseline(PeerRule& rule) const
{
    // Each rule has some of these.
    SetUnlessChosen(rule, "StepSize", DoubleValue(m_plan.gamma));
    SetUnlessChosen(rule, "StepExponent", DoubleValue(0));
    SetUnlessChosen(rule, "StepRatio", DoubleValue(1));
    SetUnlessChosen(rule, "Coupling", DoubleValue(1)); // alpha is in the weights
    SetUnlessChosen(rule, "CouplingExponent", DoubleValue(0));
    DoubleValue exponent;
    if (rule.GetAttributeFailSafe("SampleExponent", exponent))
    {
        // floor(a t^p) + 1 is m_K for t = K, and safe from rounding by the half.
        const double last = std::pow(std::max(1U, m_plan.rounds), exponent.Get());
        SetUnlessChosen(rule, "SampleFactor", DoubleValue((m_plan.samples - 0.5) / last));
    }
    if (DynamicCast<Pdop>(Ptr<PeerRule>(&rule)))
    {
        SetUnlessChosen(rule, "NoiseMechanism", TypeIdValue(LaplaceMechanism::GetTypeId()));
    }
    if (!HasAccount())
    {
        rule.SetAttribute("PrivacyLedger", TypeIdValue(PrivacyLedger::GetTypeId()));
    }
    SetUnlessChosen(rule, "Smoothness", DoubleValue(FindSmoothness()));
    m_options.privacy.Apply(rule);
    if (const auto ledger = rule.GetPrivacyLedger())
    {
        m_options.privacy.ApplyDelta(*ledger);
    }
    ConfigureNoise(*rule.GetNoiseMechanism(), m_plan.state);
}

void
TrackingScenario::SetUnlessChosen(Object& rule,
                                  const std::string& name,
                                  const AttributeValue& value) const
{
    const std::string full = rule.GetInstanceTypeId().GetName() + "::" + name;
    if (m_chosen.count(full) == 0)
    {
        rule.SetAttributeFailSafe(name, value);
    }
}

void
TrackingScenario::ConfigureNoise(NoiseMechanism& noise, const TrackingNoise& planned) const
{
    m_options.privacy.RequireDeltaCounts(noise.GetLaw());
    DoubleValue base;
    noise.GetAttribute("BaseScale", base);
    DoubleValue exponent;
    if (noise.GetLaw() != NoiseLaw::TERNARY &&
        noise.GetAttributeFailSafe("GrowthExponent", exponent))
    {
        base.Set(planned.base);
        noise.SetAttribute("GrowthExponent", DoubleValue(planned.exponent));
    }
    noise.SetAttribute("BaseScale", DoubleValue(base.Get() * m_options.GetNoise()));
}

double
TrackingScenario::FindSmoothness() const
{
    const double smoothness = m_task->GetSmoothness();
    return std::isfinite(smoothness) ? smoothness : 0;
}

bool
TrackingScenario::HasAccount() const
{
    const TypeId rule = Choose("algorithm", m_options.algorithm, GetAlgorithms());
    // Ledgers of the others need L.
    return std::isfinite(m_task->GetSensitivity()) &&
           (m_options.IsTracking() || FindSmoothness() > 0 ||
            m_chosen.count(rule.GetName() + "::Smoothness") > 0);
}

void
TrackingScenario::PrintTitle(std::ostream& table) const
{
    table << m_options.program << ": " << m_graph.GetSize() << " learners, states "
          << m_options.stateGraph;
    if (m_options.IsTracking())
    {
        table << ", trackers " << m_options.trackerGraph;
    }
    table << " over " << m_options.network << " (" << m_options.transport << "), "
          << m_options.algorithm << " (" << m_options.scheme << ": alpha " << m_plan.alpha;
    if (m_options.IsTracking())
    {
        table << ", beta " << m_plan.beta;
    }
    table << ", gamma " << m_plan.gamma << ", " << m_plan.samples << " samples), "
          << Describe(m_task->GetTrain());
}

void
TrackingScenario::Complete(RunResults& results) const
{
    results.privacy = DescribePeers(m_learners, m_options.transcript ? m_options.rounds : 0);
    if (m_invariant)
    {
        results.figures["tracking_violation"] = m_invariant->GetLargestViolation();
        AddTheory(results);
        AddSampleWarning(results);
    }
    if (!HasAccount())
    {
        results.warnings.push_back("no privacy account: the gradients of " +
                                   m_task->GetInstanceTypeId().GetName() +
                                   " have no known bound; set ns3::dlearn::Task::ClipNorm");
    }
    AddRadioWarning(results);
}

void
TrackingScenario::AddTheory(RunResults& results) const
{
    if (m_graph.GetSize() > MAX_THEORY_LEARNERS)
    {
        results.warnings.push_back("the conditions of the theory are not checked for more than " +
                                   std::to_string(MAX_THEORY_LEARNERS) + " learners");
        return;
    }
    TrackingNetwork network;
    network.states = m_graphs.states;
    network.trackers = m_graphs.trackers;
    network.smoothness = FindSmoothness();
    if (const auto convex = DynamicCast<const ConvexTask>(m_task))
    {
        network.curvature = convex->GetCurvature(); // strong convexity is a case of it
    }
    for (const auto& violation :
         m_options.GetChoice().MakeScheme()->FindViolations(m_plan, network))
    {
        results.warnings.push_back(violation);
    }
}

void
TrackingScenario::AddSampleWarning(RunResults& results) const
{
    size_t least = m_shards[0].size();
    for (const SampleIndices& shard : m_shards)
    {
        least = std::min(least, shard.size());
    }
    if (least < m_plan.samples)
    {
        results.warnings.push_back("learners with less than the " + std::to_string(m_plan.samples) +
                                   " samples of a gradient use all that they have, the least " +
                                   std::to_string(least));
    }
}

void
TrackingScenario::AddRadioWarning(RunResults& results) const
{
    if (m_graphs.powers.empty() || m_options.network.rfind("wifi", 0) != 0)
    {
        return;
    }
    if (m_options.transport != "broadcast" && HasOneWayEdges(m_graphs.states))
    {
        results.warnings.push_back("radios that hear but are not heard can not acknowledge: "
                                   "messages to them are mostly lost; use transport broadcast");
    }
    if (m_options.mobility)
    {
        results.warnings.push_back("the radio graph is that of the first positions, and learners "
                                   "move");
    }
}

Ptr<TrackingMonitor>
TrackingScenario::GetTrackingMonitor() const
{
    return m_invariant;
}

} // namespace ns3::dlearn
