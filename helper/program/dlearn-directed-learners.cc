/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-directed-learners.h"

#include "ns3/dlearn-attribute-lookup.h"
#include "ns3/dlearn-baselines.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-component-parser.h"
#include "ns3/dlearn-evaluator.h"
#include "ns3/dlearn-graph-generators.h"
#include "ns3/dlearn-graph.h"
#include "ns3/dlearn-mixing-matrix.h"
#include "ns3/dlearn-noise-mechanism.h"
#include "ns3/dlearn-placement.h"
#include "ns3/dlearn-tracking-scheme.h"
#include "ns3/dlearn-wifi-network.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

namespace ns3::dlearn
{

namespace
{

const std::string RADIO = "radio"; //!< graph of radios that receive each other

TrackingGraphs
PlaceRadios(const RunSpec& spec, int64_t stream)
{
    RequirePositive("radio", "side", spec.Take(spec.side));
    TrackingGraphs radios;
    PlacementOptions square;
    square.side = spec.side;
    square.mobility = LearnerMobility::Parse(spec.mobility);
    CheckPositions("radio", square, spec.learners, std::nullopt);
    radios.positions = PlaceLearners(square, spec.learners, std::nullopt);
    radios.powers = DrawPowers(spec.Take(spec.powers), spec.learners, stream);
    const auto loss = ParseComponent(GetPathLossFamily(), spec.Take(spec.pathLoss));
    const auto pathLoss = loss.Create<PropagationLossModel>();
    const PositionTrace* const trace = square.mobility.GetTrace();
    std::vector<Ptr<MobilityModel>> places; // of a trace, which also has heights
    for (LearnerId id = 0; trace && id < spec.learners; ++id)
    {
        places.push_back(trace->CreateModel(id));
    }
    radios.radios = trace ? RadioGraph(places, radios.powers, pathLoss)
                          : RadioGraph(radios.positions, radios.powers, pathLoss);
    return radios;
}

DirectedGraph
MakeGraph(const std::string& spec, uint32_t learners, int64_t stream, const Graph& radios)
{
    return spec == RADIO ? DirectedGraph{radios} : DirectedGraphByName(spec, learners, stream);
}

} // namespace

TrackingGraphs
MakeTrackingGraphs(const RunSpec& spec, int64_t stream)
{
    const bool same = spec.trackerGraph == "same" || !spec.IsTracking();
    const bool radio = spec.stateGraph == RADIO || (!same && spec.trackerGraph == RADIO);
    Require(spec.learners > 0 || !radio,
            "learners must be given with a graph radio, as many as there are to be");
    TrackingGraphs graphs = radio ? PlaceRadios(spec, stream + 2) : TrackingGraphs();
    const DirectedGraph states = MakeGraph(spec.stateGraph, spec.learners, stream, graphs.radios);
    graphs.states = states.weighted ? states.graph : InDegreeWeights(states.graph);
    graphs.trackers = Graph(graphs.states.GetSize());
    if (!spec.IsTracking())
    {
        RequireConnected(graphs.states, "graph '" + spec.stateGraph + "'");
        graphs.states = ScaledWeights(graphs.states, spec.GetTrackingPlan().alpha);
        if (spec.HasAlpha())
        {
            spec.Take(spec.alpha);
        }
        return graphs;
    }
    spec.Take(spec.trackerGraph);
    const DirectedGraph trackers =
        same ? states
             : MakeGraph(spec.trackerGraph, graphs.states.GetSize(), stream + 1, graphs.radios);
    graphs.trackers = trackers.weighted ? trackers.graph : OutDegreeWeights(trackers.graph);
    RequireTrackingAssumption(graphs.states, graphs.trackers);
    return graphs;
}

namespace
{

/** Limit for the eigenvalues of the theory, whose time is cubic; about a second. */
constexpr uint32_t MAX_THEORY_LEARNERS = 400;

bool
HasDeafSender(const Graph& graph, const Graph& radios)
{
    for (LearnerId receiver = 0; receiver < graph.GetSize(); ++receiver)
    {
        for (const auto& [sender, weight] : graph.GetInNeighbors(receiver))
        {
            if (radios.GetWeight(sender, receiver) == 0)
            {
                return true;
            }
        }
    }
    return false;
}

} // namespace

DirectedLearners::DirectedLearners(const RunSpec& spec)
    : PeerLearners(spec, NoGraph()),
      m_plan(spec.GetTrackingPlan()),
      m_graphs(MakeTrackingGraphs(spec, RunStreams::GRAPH))
{
    m_graph = UniteGraphs(m_graphs.states, m_graphs.trackers);
    LoadTasks(m_plan.samples);
}

NetworkSetup
DirectedLearners::GetNetworkSetup() const
{
    NetworkSetup network = PeerLearners::GetNetworkSetup();
    network.positions = m_graphs.positions;
    return network;
}

void
DirectedLearners::Install(Network& network)
{
    const auto wifi = dynamic_cast<WifiNetwork*>(&network);
    m_overWifi = wifi != nullptr;
    if (m_overWifi && !m_graphs.powers.empty())
    {
        wifi->SetPowers(m_graphs.powers);
    }
    PeerLearners::Install(network);
    if (m_spec.IsTracking())
    {
        m_invariant = CreateObject<TrackingMonitor>();
        m_invariant->Watch(GetPeers());
    }
}

std::unique_ptr<ModelEvaluator>
DirectedLearners::DoCreateEvaluator() const
{
    if (m_spec.evaluationSamples > 0)
    {
        const auto samples =
            EqualWeights(ChooseEvaluationSamples(FirstSamples(m_task->GetTrain().GetSize())));
        return std::make_unique<GradientNormEvaluator>(m_task, m_shards, samples);
    }
    return std::make_unique<GradientNormEvaluator>(m_task, m_shards);
}

void
DirectedLearners::ConfigureRule(UpdateRule& rule, LearnerId id) const
{
    if (const auto tracking = dynamic_cast<GradientTracking*>(&rule))
    {
        ConfigureTracking(*tracking, m_shards[id].size());
    }
    else if (const auto baseline = dynamic_cast<PeerRule*>(&rule))
    {
        ConfigureBaseline(*baseline);
    }
    else
    {
        if (!UsedOptions::HasChosenValue(rule, "StepSchedule"))
        {
            m_options.Give(rule, "StepSize", DoubleValue(m_plan.gamma), m_spec.gamma);
        }
        GiveCompensation(rule);
    }
}

void
DirectedLearners::GiveCompensation(UpdateRule& rule) const
{
    const ObjectFactoryValue lost(ParseComponent(GetCompensationFamily(), m_spec.compensation));
    m_options.Give(rule, "LossCompensation", lost, m_spec.compensation);
}

void
DirectedLearners::ConfigureTracking(GradientTracking& rule, size_t shard) const
{
    const auto samples = std::min<size_t>(m_plan.samples, shard);
    m_options.Give(rule, "Alpha", DoubleValue(m_plan.alpha), m_spec.alpha);
    m_options.Give(rule, "Beta", DoubleValue(m_plan.beta), m_spec.beta);
    m_options.Give(rule, "Gamma", DoubleValue(m_plan.gamma), m_spec.gamma);
    m_options.Give(rule, "Samples", UintegerValue(samples), m_spec.samples);
    GiveCompensation(rule);
    if (!HasAccount(rule.GetInstanceTypeId()))
    {
        rule.SetAttribute("PrivacyLedger", TypeIdValue(PrivacyAccount::GetTypeId()));
    }
    ConfigurePrivacy(rule);
    if (const auto ledger = rule.GetTrackingLedger())
    {
        ConfigureAccount(*ledger);
    }
    ConfigureNoise(*rule.GetStateNoise(), m_plan.state, m_spec.stateNoiseExponent);
    ConfigureNoise(*rule.GetTrackerNoise(), m_plan.tracker, m_spec.trackerNoiseExponent);
}

void
DirectedLearners::ConfigureBaseline(PeerRule& rule) const
{
    // Each rule has some of these.
    if (!UsedOptions::HasChosenValue(rule, "StepSchedule"))
    {
        m_options.Give(rule, "StepSize", DoubleValue(m_plan.gamma), m_spec.gamma);
        SetUnlessChosen(rule, "StepExponent", DoubleValue(0));
        SetUnlessChosen(rule, "StepRatio", DoubleValue(1));
    }
    m_options.Give(rule, "Coupling", DoubleValue(1)); // alpha is in the weights
    SetUnlessChosen(rule, "CouplingExponent", DoubleValue(0));
    DoubleValue exponent;
    if (rule.GetAttributeFailSafe("SampleExponent", exponent))
    {
        // floor(a t^p) + 1 is m_K for t = K; the half avoids rounding errors.
        const double last = std::pow(std::max(1U, m_plan.rounds), exponent.Get());
        SetUnlessChosen(rule, "SampleFactor", DoubleValue((m_plan.samples - 0.5) / last));
    }
    if (DynamicCast<Pdop>(Ptr<PeerRule>(&rule)))
    {
        SetUnlessChosen(rule, "NoiseMechanism", TypeIdValue(LaplaceMechanism::GetTypeId()));
    }
    if (!HasAccount(rule.GetInstanceTypeId()))
    {
        rule.SetAttribute("PrivacyLedger", TypeIdValue(PrivacyLedger::GetTypeId()));
    }
    SetUnlessChosen(rule, "Smoothness", DoubleValue(FindSmoothness()));
    ConfigurePrivacy(rule);
    if (const auto ledger = rule.GetPrivacyLedger())
    {
        ConfigureAccount(*ledger);
    }
    ConfigureNoise(*rule.GetNoiseMechanism(), m_plan.state, m_spec.stateNoiseExponent);
}

void
DirectedLearners::SetUnlessChosen(Object& rule,
                                  const std::string& name,
                                  const AttributeValue& value)
{
    if (!UsedOptions::HasChosenValue(rule, name))
    {
        rule.SetAttributeFailSafe(name, value);
    }
}

void
DirectedLearners::ConfigureNoise(NoiseMechanism& noise,
                                 const TrackingNoise& planned,
                                 const std::string& option) const
{
    if (!ConfigureScale(noise))
    {
        return;
    }
    if (m_spec.IsNoiseless())
    {
        m_options.Give(noise, "GrowthExponent", DoubleValue(planned.exponent));
    }
    else
    {
        m_options.Give(noise, "GrowthExponent", DoubleValue(planned.exponent), option);
    }
    m_options.Give(noise, "BaseScale", DoubleValue(planned.base));
}

double
DirectedLearners::FindSmoothness() const
{
    const double smoothness = m_task->GetSmoothness();
    return std::isfinite(smoothness) ? smoothness : 0;
}

bool
DirectedLearners::HasAccount(TypeId rule) const
{
    // Ledgers of other rules need L.
    return std::isfinite(m_task->GetSensitivity()) &&
           (m_spec.IsTracking() || FindSmoothness() > 0 || FindChosenDefault(rule, "Smoothness"));
}

void
DirectedLearners::Describe(std::ostream& title) const
{
    title << m_graph.GetSize() << " learners, states " << m_spec.stateGraph;
    if (m_spec.IsTracking())
    {
        title << ", trackers " << m_spec.trackerGraph;
    }
    title << " over " << m_spec.network << " (" << m_spec.transport << "), " << m_spec.algorithm
          << " (" << m_spec.scheme << ": ";
    if (m_spec.HasAlpha())
    {
        title << "alpha " << m_plan.alpha << ", ";
    }
    if (m_spec.IsTracking())
    {
        title << "beta " << m_plan.beta << ", ";
    }
    title << "gamma " << m_plan.gamma << ", " << m_plan.samples << " samples), "
          << DescribeData(m_task->GetTrain());
}

void
DirectedLearners::Complete(RunResults& results) const
{
    PeerLearners::Complete(results);
    if (m_invariant)
    {
        results.figures["tracking_violation"] = m_invariant->GetLargestViolation();
        AddTheory(results);
        AddSampleWarning(results);
    }
    if (!HasAccount(GetPeers().front()->GetRule()->GetInstanceTypeId()))
    {
        results.warnings.push_back("no privacy account: the gradients of " +
                                   m_task->GetInstanceTypeId().GetName() +
                                   " have no known bound; use option clip");
    }
    AddRadioWarning(results);
}

void
DirectedLearners::AddTheory(RunResults& results) const
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
        network.curvature = convex->GetCurvature(); // strong convexity is a special case
    }
    for (const auto& violation :
         m_spec.GetTrackingChoice().MakeScheme()->FindViolations(m_plan, network))
    {
        results.warnings.push_back(violation);
    }
}

void
DirectedLearners::AddSampleWarning(RunResults& results) const
{
    size_t least = m_shards[0].size();
    for (const SampleIndices& shard : m_shards)
    {
        least = std::min(least, shard.size());
    }
    const auto few = DescribeFewSamples("learners", m_plan.samples, "a gradient", least);
    if (!few.empty())
    {
        results.warnings.push_back(few);
    }
}

void
DirectedLearners::AddRadioWarning(RunResults& results) const
{
    if (m_graphs.powers.empty() || !m_overWifi)
    {
        return;
    }
    if (m_spec.transport != "broadcast" && HasDeafSender(m_graph, m_graphs.radios))
    {
        results.warnings.push_back("radios that hear but are not heard cannot acknowledge: "
                                   "messages to them are mostly lost; use transport broadcast");
    }
    if (LearnerMobility::Parse(m_spec.mobility).IsMoving())
    {
        results.warnings.push_back("the radio graph is that of the first positions, and learners "
                                   "move");
    }
}

} // namespace ns3::dlearn
