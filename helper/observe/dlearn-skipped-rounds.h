/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_SKIPPED_ROUNDS_H
#define DLEARN_SKIPPED_ROUNDS_H

#include "dlearn-run-results.h"

#include "ns3/dlearn-learner-application.h"
#include "ns3/dlearn-robust-server.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * @param results of a federation
 * @param rule of its server
 * @return a warning that says in how many rounds updates came, but fewer than the aggregator needs;
 *         empty when there are none
 */
std::string DescribeSkippedRounds(const RunResults& results, const RobustServer& rule);

/**
 * @ingroup dlearn
 * @param learners of a run
 * @return a warning that says in how many rounds honest peers mixed nothing, as fewer vectors came
 *         than their aggregator needs; empty when there are none
 */
std::string DescribeSkippedMixings(const std::vector<Ptr<LearnerApplication>>& learners);

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
