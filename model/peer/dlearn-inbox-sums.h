/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_INBOX_SUMS_H
#define DLEARN_INBOX_SUMS_H

#include "ns3/dlearn-graph.h"
#include "ns3/dlearn-message.h"
#include "ns3/dlearn-types.h"

#include <string>

/**
 * @file
 * Sums over the neighbours that a round heard, for rules that mix what arrives with weights.
 */

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * How much of the weight that a learner gives to its neighbours a round brought.
 */
struct HeardWeight
{
    double all{0};      //!< sum over all neighbours
    double complete{0}; //!< sum over those whose vector arrived completely
    double partial{0};  //!< sum over those of whose vector only some entries arrived
};

/**
 * @ingroup dlearn
 * @param row weights of the neighbours
 * @return their sum
 */
double SumWeights(const Graph::Row& row);

/**
 * @ingroup dlearn
 * @param row weights of the neighbours
 * @param inbox what arrived
 * @param channel which of it
 * @return how much of the weights arrived
 */
HeardWeight MeasureHeard(const Graph::Row& row, const Inbox& inbox, ModelChannel channel);

/**
 * @ingroup dlearn
 * own + coupling sum_j w_j (arrived_j - own) over what arrived, by entry and in increasing order
 * of the neighbours. What did not arrive leaves its weight with the learner's own vector.
 *
 * @param own the learner's own vector, d entries
 * @param row weights w_j of the neighbours
 * @param inbox what arrived; its vectors have d entries
 * @param channel which of it
 * @param coupling factor on all weights
 * @return the mixture
 */
ModelVector MixHeard(const ModelVector& own,
                     const Graph::Row& row,
                     const Inbox& inbox,
                     ModelChannel channel,
                     double coupling);

/**
 * @ingroup dlearn
 * Refuse vectors of the wrong length.
 *
 * @param name of the rule, for the message
 * @param row the neighbours
 * @param inbox what arrived
 * @param channel which of it
 * @param size entries that a vector must have
 * @throw std::invalid_argument naming the neighbour and both sizes
 */
void CheckHeard(const std::string& name,
                const Graph::Row& row,
                const Inbox& inbox,
                ModelChannel channel,
                size_t size);

} // namespace ns3::dlearn

#endif // DLEARN_INBOX_SUMS_H
