/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RADIO_GRAPH_H
#define DLEARN_RADIO_GRAPH_H

#include "ns3/dlearn-graph.h"
#include "ns3/mobility-model.h"
#include "ns3/propagation-loss-model.h"
#include "ns3/ptr.h"

#include <utility>
#include <vector>

/**
 * @file
 * The pairs of learners that can receive each other over the air.
 */

namespace ns3::dlearn
{

/** Power with which the radios of this module's wifi networks send, in dBm. */
constexpr double WIFI_POWER_DBM = 23;

/** Power from which on those radios detect a preamble, in dBm. */
constexpr double WIFI_THRESHOLD_DBM = -82;

/**
 * @return a new model of the path loss of those radios, with the defaults of ns-3: 46.6777 dB at
 * one metre, exponent 3
 */
Ptr<PropagationLossModel> CreateWifiPathLoss();

/**
 * @ingroup dlearn
 * Compute which learners can receive which others: an edge of weight 1 goes from j to i when what j
 * sends arrives at i with the threshold or more. Radios that send with different powers make it a
 * directed graph.
 *
 * This is the graph of one sender at a time, at the current positions. Interference, noise and the
 * acknowledgements of one-way links depend on the network. A random path loss is drawn once for
 * each ordered pair, receiver by receiver and sender by sender; the caller assigns its streams.
 *
 * @param places where each learner is, at least one
 * @param powers with which each learner sends, in dBm
 * @param pathLoss the model, with all that are chained to it
 * @param threshold least power with which a message can be received, in dBm, finite
 * @return the graph, connected or not, with Graph::positions x and y in metres
 * @throw std::invalid_argument for as many powers as there are not learners, for powers or a
 *        threshold that are not finite, and when a model or a place is missing
 */
Graph RadioGraph(const std::vector<Ptr<MobilityModel>>& places,
                 const std::vector<double>& powers,
                 Ptr<PropagationLossModel> pathLoss = CreateWifiPathLoss(),
                 double threshold = WIFI_THRESHOLD_DBM);

/**
 * @ingroup dlearn
 * As RadioGraph() above, for learners that stand still on the ground.
 *
 * @param positions x and y of each learner, such as of PlaceLearners(), in metres, all finite
 * @param powers with which each learner sends, in dBm
 * @param pathLoss the model, with all that are chained to it
 * @param threshold least power with which a message can be received, in dBm, finite
 * @return the graph
 * @throw std::invalid_argument as above
 */
Graph RadioGraph(const std::vector<std::pair<double, double>>& positions,
                 const std::vector<double>& powers,
                 Ptr<PropagationLossModel> pathLoss = CreateWifiPathLoss(),
                 double threshold = WIFI_THRESHOLD_DBM);

} // namespace ns3::dlearn

#endif // DLEARN_RADIO_GRAPH_H
