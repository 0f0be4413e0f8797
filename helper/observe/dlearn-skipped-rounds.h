/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_SKIPPED_ROUNDS_H
#define DLEARN_SKIPPED_ROUNDS_H

#include "dlearn-run-results.h"

#include <cstdint>
#include <string>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * @param results of a federation with the total `rounds_skipped`
 * @param byzantine most clients f that the server's aggregator takes for Byzantine
 * @param needed updates without which it skips a round, see RobustServer
 * @return a warning that says in how many rounds fewer updates came; empty when there are none, or
 *         when f is 0, with which only a round without any update is skipped. What the server
 *         skipped for a budget alone does not count.
 */
std::string DescribeSkippedRounds(const RunResults& results, uint32_t byzantine, uint64_t needed);

} // namespace ns3::dlearn

#endif // DLEARN_SKIPPED_ROUNDS_H
