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
 * Put a learner on a node. On a node of another rank (Ranks), the learner never starts: it stands
 * for the learner of that rank.
 *
 * @param learner without a node
 * @param node its node
 * @param start start time
 */
void PlaceLearner(const Ptr<LearnerApplication>& learner, const Ptr<Node>& node, Time start);

/**
 * @ingroup dlearn
 * Schedule an event of a learner; without effect where another rank simulates it (Ranks).
 *
 * @param learner a learner
 * @param time not before now
 * @param action gets the learner
 */
void ScheduleForLearner(const Ptr<LearnerApplication>& learner,
                        Time time,
                        std::function<void(LearnerApplication&)> action);

/**
 * @ingroup dlearn
 * Refuse a part with a state that two learners would share.
 *
 * @param where the class that checks
 * @param name the part
 * @param parts one of each learner; null: none
 * @param first number of the first learner
 * @throw std::invalid_argument naming two learners with the same part
 */
template <typename Part>
void
RequireOwn(const std::string& where,
           const std::string& name,
           const std::vector<Ptr<Part>>& parts,
           LearnerId first)
{
    std::map<Ptr<Part>, LearnerId> owners;
    for (LearnerId k = 0; k < parts.size(); ++k)
    {
        const auto [owner, fresh] = owners.try_emplace(parts[k], first + k);
        Require(fresh || !parts[k],
                "{}: each learner must have its own {}, but learners {} and {} have the same",
                where,
                name,
                owner->second,
                first + k);
    }
}

/**
 * @ingroup dlearn
 * Give learners that share a node different ports: the next free ports after the attribute Port.
 * To be called before the learners get their surroundings.
 *
 * @param learners of a network, on their nodes
 * @throw std::invalid_argument for learners of one node whose transport has no attribute Port
 */
void SeparatePorts(const std::vector<Ptr<LearnerApplication>>& learners);

/**
 * @ingroup dlearn
 * @param network built for the learners
 * @param learners of the network, with their final ports
 * @param from number of a learner
 * @param to number of another learner
 * @return the address at which @p from reaches @p to; with the port if their ports differ
 */
Address GetLearnerAddress(const Network& network,
                          const std::vector<Ptr<LearnerApplication>>& learners,
                          LearnerId from,
                          LearnerId to);

} // namespace ns3::dlearn

#endif // DLEARN_PLACED_LEARNER_H
