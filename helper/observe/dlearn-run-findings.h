/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RUN_FINDINGS_H
#define DLEARN_RUN_FINDINGS_H

#include "dlearn-run-results.h"
#include "dlearn-run-warnings.h"

#include "ns3/dlearn-learner-application.h"

#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Say which rounds waited in vain for a learner that was down: an event `waited-for` of that
 * learner replaces all events `timed-out` of the timeline, of which those because of losses and
 * slow learners are left out.
 *
 * @param results of a run, with rows, roles and the timeline
 * @param clock names times
 * @return a warning for each time that a learner was down and waited for
 */
std::vector<std::string> FoldTimeouts(RunResults& results, const RunWarnings& clock);

/**
 * @ingroup dlearn
 * What only a whole run shows.
 *
 * @param results of the run, with rows and pairs
 * @param learners all of the run
 * @return warnings of the rounds of servers, and of pairs of peers that never reach each other;
 *         empty texts for nothing
 */
std::vector<std::string> DescribeRun(const RunResults& results,
                                     const std::vector<Ptr<LearnerApplication>>& learners);

} // namespace ns3::dlearn

#endif // DLEARN_RUN_FINDINGS_H
