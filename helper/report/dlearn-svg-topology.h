/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_SVG_TOPOLOGY_H
#define DLEARN_SVG_TOPOLOGY_H

#include "ns3/dlearn-graph.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What to know about a learner to draw it.
 */
struct TopologyNode
{
    std::string role{"peer"}; //!< decides the colour
    std::string tip;          //!< shown when pointing at the node; plain text
    bool stopped{false};      //!< drawn hollow
};

/**
 * @ingroup dlearn
 * Draw a graph of learners as an SVG image.
 *
 * An edge without an arrow joins in both directions; an arrow points to the learner that
 * receives. Of more than 4000 edges only evenly chosen ones are drawn, and the title says so.
 *
 * @param graph the learners' graph
 * @param positions of the learners, in any unit, y upwards; unless there is one for each, those
 *        of the graph; else a circle, with a sole server in its centre
 * @param nodes one per learner
 * @param withStyle include the style sheet; see SvgPlot::Draw
 * @return the svg element
 * @throw std::invalid_argument when there is not one node per learner
 */
std::string DrawTopology(const Graph& graph,
                         const std::vector<std::pair<double, double>>& positions,
                         const std::vector<TopologyNode>& nodes,
                         bool withStyle = true);

} // namespace ns3::dlearn

#endif // DLEARN_SVG_TOPOLOGY_H
