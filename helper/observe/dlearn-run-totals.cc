/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-run-totals.h"

#include <algorithm>
#include <cmath>

namespace ns3::dlearn
{

void
RunTotals::Add(const ResultRow& row)
{
    RunTotals one;
    one.bytes = row.record.txBytes;
    if (row.role == "peer" || row.role == "server")
    {
        one.expected = row.record.expected;
        one.received = row.record.received;
    }
    if (row.role != "byzantine") // who has no privacy to lose
    {
        one.epsilon = row.record.epsilon;
    }
    Add(one);
}

void
RunTotals::Add(const RunTotals& other)
{
    bytes += other.bytes;
    expected += other.expected;
    received += other.received;
    epsilon = std::fmax(epsilon, other.epsilon); // of NaN and a number: the number
}

double
RunTotals::GetDeliveredShare() const
{
    return static_cast<double>(received) / expected;
}

std::vector<RunTotals>
AddUpTo(const std::vector<ResultRow>& rows, const std::vector<uint32_t>& rounds)
{
    std::vector<RunTotals> totals(rounds.size());
    for (const ResultRow& row : rows)
    {
        const auto first = std::lower_bound(rounds.begin(), rounds.end(), row.record.round);
        if (first != rounds.end()) // else it is of a round after the last
        {
            totals[first - rounds.begin()].Add(row);
        }
    }
    for (size_t k = 1; k < totals.size(); ++k)
    {
        totals[k].Add(totals[k - 1]);
    }
    return totals;
}

} // namespace ns3::dlearn
