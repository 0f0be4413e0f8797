/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-skipped-rounds.h"

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
DescribeSkippedRounds(const RunResults& results, uint32_t byzantine)
{
    const uint64_t needed = 2 * uint64_t{byzantine} + 1;
    uint64_t few = 0;
    for (const ResultRow& row : results.rows)
    {
        const bool server = row.role == "server";
        // A round without any update has a warning of its own.
        few += server && row.record.used > 0 && row.record.used < needed ? 1 : 0;
    }
    if (few == 0)
    {
        return "";
    }
    return std::to_string(few) + " of " + std::to_string(CountServerRounds(results)) +
           " rounds were skipped, as fewer updates came than the " + std::to_string(needed) +
           " that the aggregator needs against " + std::to_string(byzantine) +
           " Byzantine clients: lower --byzantine, or wait for more updates with a larger "
           "--buffer-size, --sample-count, --quorum, --deadline or --timeout";
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
