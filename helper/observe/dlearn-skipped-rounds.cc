/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-skipped-rounds.h"

#include <algorithm>

namespace ns3::dlearn
{

std::string
DescribeSkippedRounds(const RunResults& results, uint32_t byzantine, uint64_t needed)
{
    uint64_t rounds = 0;
    uint64_t few = 0;
    for (const ResultRow& row : results.rows)
    {
        const bool server = row.role == "server";
        rounds += server ? 1 : 0;
        few += server && row.record.used < needed ? 1 : 0;
    }
    // The server counts what it skipped for a budget, too, but not a round without any update.
    const auto skipped = results.totals.find("rounds_skipped");
    few = std::min(few, skipped == results.totals.end() ? 0 : skipped->second);
    if (byzantine == 0 || few == 0)
    {
        return "";
    }
    return std::to_string(few) + " of " + std::to_string(rounds) +
           " rounds were skipped, as fewer updates came than the " + std::to_string(needed) +
           " that the aggregator needs against " + std::to_string(byzantine) +
           " Byzantine clients: lower --byzantine, or wait for more updates with a larger "
           "--buffer-size, --sample-count, --quorum, --deadline or --timeout";
}

} // namespace ns3::dlearn
