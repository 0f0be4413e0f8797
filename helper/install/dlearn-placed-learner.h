/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PLACED_LEARNER_H
#define DLEARN_PLACED_LEARNER_H

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-learner-application.h"
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
                where,
                ": each learner must have a ",
                what,
                " of its own, but learners ",
                owner->second,
                " and ",
                first + k,
                " have the same");
    }
}

} // namespace ns3::dlearn

#endif // DLEARN_PLACED_LEARNER_H
