/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TRACKING_GRAPHS_H
#define DLEARN_TRACKING_GRAPHS_H

#include "dlearn-run-spec.h"

#include "ns3/dlearn-graph.h"

#include <utility>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The directed graphs of a run, and the radios that they come from.
 */
struct TrackingGraphs
{
    Graph states{1};                                  //!< R
    Graph trackers{1};                                //!< C; without edges when no rule tracks
    std::vector<std::pair<double, double>> positions; //!< of radios, in metres; empty for none
    std::vector<double> powers;                       //!< of radios, in dBm; empty for none
    Graph radios{1}; //!< which hears which; one where there are none
};

/**
 * @ingroup dlearn
 * Make the graphs that a user named.
 *
 * Names are those of DirectedGraphByName() and `radio`: the radios that hear each other when all
 * stand where the radio networks of the same spec place them at the start and send with the powers
 * asked for (RadioGraph()). A tracker graph `same` has the edges of the state graph. Graphs without
 * given weights get R_ij = 1/(in-degree of i) and C_ij = 1/(out-degree of j).
 *
 * Gradient tracking needs Assumption 1 (RequireTrackingAssumption()). Other algorithms exchange
 * states only, w_ij = alpha R_ij as gradient tracking does; their graph must not fall apart.
 *
 * @param spec what to make
 * @param stream first random stream (3 used)
 * @return the graphs
 * @throw std::runtime_error when a file cannot be read
 * @throw std::invalid_argument when a name, a file or a graph will not do
 */
TrackingGraphs MakeTrackingGraphs(const RunSpec& spec, int64_t stream);

} // namespace ns3::dlearn

#endif // DLEARN_TRACKING_GRAPHS_H
