/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PLACED_LEARNER_H
#define DLEARN_PLACED_LEARNER_H

#include "ns3/address.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-learner-application.h"
#include "ns3/dlearn-network.h"
#include "ns3/node.h"
#include "ns3/nstime.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Put a learner on a node. Where another rank simulates the node (Ranks), the learner has a place
 * there, but never starts: it stands for the one of the other rank.
 *
 * @param learner that has no node yet
 * @param node its node
 * @param start when it starts
 */
void PlaceLearner(const Ptr<LearnerApplication>& learner, const Ptr<Node>& node, Time start);

/**
 * @ingroup dlearn
 * Schedule what happens to a learner; nothing happens where another rank simulates it (Ranks).
 *
 * @param learner a learner
 * @param time when, not before now
 * @param action what happens to it
 */
void ScheduleForLearner(const Ptr<LearnerApplication>& learner,
                        Time time,
                        std::function<void(LearnerApplication&)> action);

/**
 * @ingroup dlearn
 * Refuse a part with a state that two learners would share.
 *
 * @param where the class that checks
 * @param what the part
 * @param parts one of each learner; null: none
 * @param first number of the first learner
 * @throw std::invalid_argument naming two learners with the same part
 */
template <typename Part>
void
RequireOwn(const std::string& where,
           const std::string& what,
           const std::vector<Ptr<Part>>& parts,
           LearnerId first)
{
    std::map<Ptr<Part>, LearnerId> owners;
    for (LearnerId k = 0; k < parts.size(); ++k)
    {
        const auto [owner, fresh] = owners.try_emplace(parts[k], first + k);
        Require(fresh || !parts[k],
                "{}: each learner must have a {} of its own, but learners {} and {} have the same",
                where,
                what,
                owner->second,
                first + k);
    }
}

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

#endif // DLEARN_PLACED_LEARNER_H
