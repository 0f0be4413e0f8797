/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ROUND_READINGS_H
#define DLEARN_ROUND_READINGS_H

#include "dlearn-run-results.h"

#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Find the row of each reading that a meter took when a round closed.
 *
 * @param meters by learner, with readings that have the number of their round, in order
 * @param rows of all learners, of each in the order of its rounds
 * @param use called with a row and its reading
 */
template <typename Meters, typename Use>
void
MatchReadings(const Meters& meters, std::vector<ResultRow>& rows, const Use& use)
{
    std::vector<size_t> next(meters.size());
    for (ResultRow& row : rows)
    {
        if (row.record.node >= meters.size())
        {
            continue;
        }
        const auto& readings = meters[row.record.node]->GetReadings();
        size_t k = next[row.record.node];
        while (k < readings.size() && readings[k].round != row.record.round)
        {
            ++k;
        }
        if (k < readings.size())
        {
            use(row, readings[k]);
            next[row.record.node] = k + 1;
        }
    }
}

} // namespace ns3::dlearn

#endif // DLEARN_ROUND_READINGS_H
