/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TARGET_H
#define DLEARN_TARGET_H

#include "dlearn-run-groups.h"

#include <optional>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What a run is to reach: a mean of a metric over the learners.
 */
struct Target
{
    std::string metric; //!< name of it
    double value{0};    //!< at least this accuracy; at most this loss, error or consensus

    /**
     * @param text METRIC:VALUE, such as accuracy:0.9
     * @return the target
     * @throw std::invalid_argument naming the text and the rule
     */
    static Target Parse(const std::string& text);

    /**
     * @param rounds of a run, in order
     * @return the one that reaches the target and ended first; null for none
     */
    const EvaluatedRound* Find(const std::vector<EvaluatedRound>& rounds) const;
};

/**
 * @ingroup dlearn
 * What the complete runs of a group needed to reach a target.
 */
struct TargetCost
{
    uint32_t reached{0};  //!< by how many members
    MetricSpread seconds; //!< of simulated time, over these members
    MetricSpread rounds;  //!< number of the round, likewise
    MetricSpread bytes;   //!< sent by all learners, likewise
    MetricSpread joules;  //!< spent by all learners, likewise
    MetricSpread epsilon; //!< largest spent until then, likewise
};

/**
 * @ingroup dlearn
 * @param group runs
 * @param target what they are to reach
 * @return what that took
 */
TargetCost FindCost(const RunGroup& group, const Target& target);

/**
 * @ingroup dlearn
 * @param groups any
 * @return the highest accuracy of a ladder (0.5 to 0.99) that every complete run reaches;
 *         nothing for none
 */
std::optional<Target> FindCommonTarget(const std::vector<RunGroup>& groups);

/** @return accuracies that a report says the time to: 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99 */
const std::vector<double>& GetAccuracyLadder();

} // namespace ns3::dlearn

#endif // DLEARN_TARGET_H
