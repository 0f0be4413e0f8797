/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-skipped-rounds.h"

#include "ns3/dlearn-peer-rule.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3::dlearn
{

namespace
{

/** @return how many rounds the server has closed */
uint64_t
CountServerRounds(const RunResults& results)
{
    return std::count_if(results.rows.begin(), results.rows.end(), [](const ResultRow& row) {
        return row.role == "server";
    });
}

} // namespace

std::string
DescribeSkippedRounds(const RunResults& results, const RobustServer& rule)
{
    const uint64_t few = rule.GetSkipped() - rule.GetWithheld();
    if (few == 0)
    {
        return "";
    }
    UintegerValue byzantine;
    rule.GetAttribute("Byzantine", byzantine);
    return std::to_string(few) + " of " + std::to_string(CountServerRounds(results)) +
           " rounds were skipped, as fewer updates came than the " +
           std::to_string(rule.CountNeeded()) + " that the aggregator needs against " +
           std::to_string(byzantine.Get()) +
           " Byzantine clients: lower --byzantine, or wait for more updates with a larger "
           "--buffer-size, --sample-count, --quorum, --deadline or --timeout";
}

std::string
DescribeSkippedMixings(const std::vector<Ptr<LearnerApplication>>& learners)
{
    uint64_t skipped = 0;
    uint64_t rounds = 0;
    for (const auto& learner : learners)
    {
        const auto rule = DynamicCast<PeerRule>(learner->GetLearnerRule());
        if (rule && !learner->IsByzantine())
        {
            skipped += rule->GetSkippedMixings();
            rounds += learner->GetRecords().size();
        }
    }
    return skipped == 0
               ? ""
               : "in " + std::to_string(skipped) + " of the " + std::to_string(rounds) +
                     " rounds of honest peers nothing was mixed, as fewer vectors came than the "
                     "aggregator needs: lower --byzantine, or wait for more with a larger "
                     "--deadline or --timeout";
}

std::string
DescribeWithheldRounds(const RunResults& results, const ServerRule& rule)
{
    if (rule.GetWithheld() == 0)
    {
        return "";
    }
    return std::to_string(rule.GetWithheld()) + " of " +
           std::to_string(CountServerRounds(results)) +
           " rounds left the model as it was, as what the trusted server would have released would "
           "have cost a client more than its budget: give a larger --budget, or plan for a smaller "
           "--target-epsilon; a mean of fewer clients, as when messages are lost, costs each of "
           "them more";
}

} // namespace ns3::dlearn
