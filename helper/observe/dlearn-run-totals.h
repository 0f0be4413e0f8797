/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RUN_TOTALS_H
#define DLEARN_RUN_TOTALS_H

#include "dlearn-run-results.h"

#include <cstdint>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What the learners of a run have sent, received and spent together from its start on. Unlike
 * ResultsSummary it counts a message once: a server and its clients each expect messages of the
 * other, and only those of the server count.
 */
struct RunTotals
{
    uint64_t bytes{0};                //!< handed to sockets, by all learners
    uint64_t expected{0};             //!< messages expected by honest peers, or by the server
    uint64_t received{0};             //!< of these, in time
    double epsilon{Evaluation::NONE}; //!< realised, largest of all but the byzantine; NaN: none

    /** @param row counts */
    void Add(const ResultRow& row);

    /** @param other counts, too */
    void Add(const RunTotals& other);

    /** @return received / expected; NaN when nothing was expected */
    double GetDeliveredShare() const;
};

/**
 * Add up what rounds cost, those in between included.
 *
 * @param rows of a run, in any order
 * @param rounds numbers of rounds, in increasing order, such as those that were evaluated
 * @return for each of them the totals of all rows up to it
 */
std::vector<RunTotals> AddUpTo(const std::vector<ResultRow>& rows,
                               const std::vector<uint32_t>& rounds);

} // namespace ns3::dlearn

#endif // DLEARN_RUN_TOTALS_H
