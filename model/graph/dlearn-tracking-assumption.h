/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TRACKING_ASSUMPTION_H
#define DLEARN_TRACKING_ASSUMPTION_H

#include "dlearn-graph.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Refuse a pair of directed graphs over which gradient tracking cannot agree.
 *
 * Assumption 1 of Chen, Wang and Zhang, "Differentially private gradient-tracking-based
 * distributed stochastic optimization over directed graphs", asks that the graph of R (states)
 * and the graph of C^T (trackers) each contain a spanning tree, and that some learner is a root
 * of spanning trees in both. In the graph of R an edge is a message: a root is a learner whose
 * state reaches all others. In the graph of C^T an edge is a message taken backwards: a root is a
 * learner that the trackers of all others flow to. The paper notes, after the assumption, that it
 * is necessary for consensus of states and trackers. Strong connectivity of both graphs is
 * sufficient.
 *
 * @param states graph of R: learner i receives the state of j when R_ij > 0
 * @param trackers graph of C, not of its transpose: learner i receives the tracker of j when
 *        C_ij > 0; of as many learners
 * @return the learners that are roots in both graphs, at least one, in increasing order
 * @throw std::invalid_argument naming every part that fails and, with names where they have some,
 *        the learners that show it: the groups that nothing from outside reaches (R), the groups
 *        whose trackers reach no learner outside (C^T), or the roots of each graph; also for graphs
 * of different sizes
 */
std::vector<LearnerId> RequireTrackingAssumption(const Graph& states, const Graph& trackers);

} // namespace ns3::dlearn

#endif // DLEARN_TRACKING_ASSUMPTION_H
