/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_SKIPPED_ROUNDS_H
#define DLEARN_SKIPPED_ROUNDS_H

#include "dlearn-run-results.h"

#include "ns3/dlearn-server-rule.h"

#include <cstdint>
#include <string>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * @param results of a federation with a RobustServer
 * @param byzantine most clients f that the server's aggregator takes for Byzantine
 * @return a warning that says in how many rounds updates came, but fewer than the 2 f + 1 that it
 *         needs; empty when there are none
 */
std::string DescribeSkippedRounds(const RunResults& results, uint32_t byzantine);

/**
 * @ingroup dlearn
 * @param results of a federation
 * @param rule of its server
 * @return a warning that says how many rounds a budget kept the server from releasing; empty when
 *         there are none
 */
std::string DescribeWithheldRounds(const RunResults& results, const ServerRule& rule);

} // namespace ns3::dlearn

#endif // DLEARN_SKIPPED_ROUNDS_H
