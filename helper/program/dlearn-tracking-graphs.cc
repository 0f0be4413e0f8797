/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-tracking-graphs.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-graph-generators.h"
#include "ns3/dlearn-graph.h"
#include "ns3/dlearn-mixing-matrix.h"
#include "ns3/dlearn-placement.h"
#include "ns3/dlearn-wifi-radio.h"

namespace ns3::dlearn
{

namespace
{

const std::string RADIO = "radio"; //!< graph of the radios that hear each other

/**
 * @param spec with the square and the powers
 * @param stream random stream of the powers
 * @return positions and powers of all radios, no graphs yet
 */
TrackingGraphs
PlaceRadios(const RunSpec& spec, int64_t stream)
{
    RequirePositive("radio", "side", spec.side);
    TrackingGraphs radios;
    PlacementOptions square;
    square.side = spec.side;
    square.mobility = LearnerMobility::Parse(spec.mobility);
    CheckPositions("radio", square, spec.learners, std::nullopt);
    radios.positions = PlaceLearners(square, spec.learners, std::nullopt);
    radios.powers = DrawPowers(spec.powers, spec.learners, stream);
    const auto loss = ParseComponent(GetPathLossFamily(), spec.pathLoss);
    const auto pathLoss = loss.Create<PropagationLossModel>();
    const PositionTrace* const trace = square.mobility.GetTrace();
    std::vector<Ptr<MobilityModel>> places; // of a trace, which has heights, too
    for (LearnerId id = 0; trace && id < spec.learners; ++id)
    {
        places.push_back(trace->CreateModel(id));
    }
    radios.radios = trace ? RadioGraph(places, radios.powers, pathLoss)
                          : RadioGraph(radios.positions, radios.powers, pathLoss);
    return radios;
}

/**
 * @param spec name of a graph
 * @param learners how many
 * @param stream its random stream
 * @param radios which hears which
 * @return the graph, and whether it came with weights
 */
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
    Require(radio || spec.powers == RunSpec(RunKind::DIRECTED, "").powers,
            "powers are for a graph radio, got powers ",
            spec.powers,
            " and state-graph ",
            spec.stateGraph);
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
        return graphs;
    }
    const DirectedGraph trackers =
        same ? states
             : MakeGraph(spec.trackerGraph, graphs.states.GetSize(), stream + 1, graphs.radios);
    graphs.trackers = trackers.weighted ? trackers.graph : OutDegreeWeights(trackers.graph);
    RequireTrackingAssumption(graphs.states, graphs.trackers);
    return graphs;
}

} // namespace ns3::dlearn
