/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_LEARNER_PORTS_H
#define DLEARN_LEARNER_PORTS_H

#include "ns3/address.h"
#include "ns3/dlearn-learner-application.h"
#include "ns3/dlearn-network.h"

#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Give learners that share a node different ports: one whose attribute Port another learner of its
 * node has already gets the next port that is free. Before the learners get their surroundings.
 *
 * @param learners of a network, on their nodes
 * @throw std::invalid_argument for learners of one node whose transport has no attribute Port
 */
void SeparatePorts(const std::vector<Ptr<LearnerApplication>>& learners);

/**
 * @ingroup dlearn
 * @param network built for the learners
 * @param learners of the network, with the ports that they will have
 * @param from number of a learner
 * @param to number of another one
 * @return where @p from reaches @p to; with the port where theirs differ
 */
Address GetLearnerAddress(const Network& network,
                          const std::vector<Ptr<LearnerApplication>>& learners,
                          LearnerId from,
                          LearnerId to);

} // namespace ns3::dlearn

#endif // DLEARN_LEARNER_PORTS_H
