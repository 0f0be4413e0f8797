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
 * Find problems that only a whole run shows.
 *
 * @param results of the run, with rows and pairs
 * @param outcomes of its learners
 * @param learners the same, in the same order
 * @return warnings: those of rules, of which similar learners have the same, once, with the numbers
 *         of the learners; of a server's rounds that were skipped, withheld, without any update,
 *         whose updates were useless, or that were not closed, and of clients that never trained;
 *         of rounds in which peers mixed nothing; and DescribeSilentPairs(). Empty texts: none
 */
std::vector<std::string> DescribeRun(const RunResults& results,
                                     const std::vector<LearnerOutcome>& outcomes,
                                     const std::vector<Ptr<LearnerApplication>>& learners);

/** Rounds after which a pair of neighbours without a message has a warning. */
constexpr uint32_t MIN_SILENT_ROUNDS = 5;

/**
 * @ingroup dlearn
 * Neighbours whose messages never arrive leave a run that looks like any other, on a graph that is
 * not the one that was asked for. Of learners that get no message at all RunWatch warns.
 *
 * @param results of peers, from the end of a run
 * @param senders learners from which each peer expects messages
 * @return a warning that names pairs of honest neighbours none of whose messages has arrived, nor
 *         a part that was used, though the receiver has closed MIN_SILENT_ROUNDS while the sender
 *         closed rounds, too; empty when there are none
 */
std::string DescribeSilentPairs(const RunResults& results,
                                const std::map<LearnerId, std::set<LearnerId>>& senders);

/**
 * @ingroup dlearn
 * @param results of a federation
 * @return a warning that names the clients whose updates all came after the end of their rounds;
 *         empty when there are none
 */
std::string DescribeLateClients(const RunResults& results);

/**
 * @ingroup dlearn
 * @param learners peers of a run
 * @param results of the run
 * @return a warning that says why the epsilon of honest peers with ternary noise is infinite: the
 *         vectors that they released have used up more than the delta of their accounts; empty when
 *         there are none
 */
std::string DescribeTernaryDelta(const std::vector<Ptr<PeerApplication>>& learners,
                                 const RunResults& results);

} // namespace ns3::dlearn

#endif // DLEARN_RUN_FINDINGS_H
