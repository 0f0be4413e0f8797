/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-skipped-rounds.h"

namespace ns3::dlearn
{

std::string
DescribeSkippedRounds(const RunResults& results, uint32_t byzantine)
{
    const uint64_t needed = 2 * uint64_t{byzantine} + 1;
    uint64_t rounds = 0;
    uint64_t few = 0;
    for (const ResultRow& row : results.rows)
    {
        const bool server = row.role == "server";
        rounds += server ? 1 : 0;
        // A round without any update has a warning of its own.
        few += server && row.record.used > 0 && row.record.used < needed ? 1 : 0;
    }
    if (few == 0)
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
