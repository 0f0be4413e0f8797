/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RUN_FINDINGS_H
#define DLEARN_RUN_FINDINGS_H

#include "dlearn-run-results.h"
#include "dlearn-run-warnings.h"

#include "ns3/dlearn-learner-application.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace ns3::dlearn
{

class PeerApplication;

/**
 * @ingroup dlearn
 * Find the rounds that waited in vain for a learner that was down: an event `waited-for` of that
 * learner replaces all events `timed-out` of the timeline. Those caused by losses and slow learners
 * are dropped.
 *
 * @param results of a run, with rows, roles and the timeline
 * @param clock names times
 * @return a warning for each time that a learner was down and others waited for it
 */
std::vector<std::string> FoldTimeouts(RunResults& results, const RunWarnings& clock);

/**
 * @ingroup dlearn
 * Find problems of a whole run.
 *
 * @param results of the run, with rows and pairs
 * @param outcomes of its learners
 * @param learners the same, in the same order
 * @return warnings of rules, once for all learners with the same warning; of a server's rounds that
 *         were skipped, withheld, not closed, or without a usable update, and of clients that never
 *         trained; of rounds in which peers mixed nothing; and DescribeSilentPairs(). They may be
 *         empty
 */
std::vector<std::string> DescribeRun(const RunResults& results,
                                     const std::vector<LearnerOutcome>& outcomes,
                                     const std::vector<Ptr<LearnerApplication>>& learners);

/**
 * @ingroup dlearn
 * Without messages between some neighbours, a run has another graph than the given one. For
 * learners without any message, see RunWatch.
 *
 * @param results of peers, from the end of a run
 * @param senders learners from which each peer expects messages
 * @return a warning that names pairs of honest neighbours without an arrived message, or a part
 *         that was used, though the receiver has closed 5 rounds while the sender closed rounds,
 *         too; empty: none
 */
std::string DescribeSilentPairs(const RunResults& results,
                                const std::map<LearnerId, std::set<LearnerId>>& senders);

/**
 * @ingroup dlearn
 * @param results of a federation
 * @return a warning that names the clients whose updates were all late; empty: none
 */
std::string DescribeLateClients(const RunResults& results);

/**
 * @ingroup dlearn
 * @param learners peers of a run
 * @param results of the run
 * @return a warning that the epsilon of honest peers with ternary noise is infinite, as their
 *         messages cost more than the delta of their accounts; empty: none
 */
std::string DescribeTernaryDelta(const std::vector<Ptr<PeerApplication>>& learners,
                                 const RunResults& results);

} // namespace ns3::dlearn

#endif // DLEARN_RUN_FINDINGS_H
