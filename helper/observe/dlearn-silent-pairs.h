/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_SILENT_PAIRS_H
#define DLEARN_SILENT_PAIRS_H

#include "dlearn-run-results.h"

#include <map>
#include <set>
#include <string>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Neighbours whose messages never arrive leave a run that looks like any other, on a graph that is
 * not the one that was asked for. Of learners that get no message at all
 * IsolationWatch warns.
 *
 * @param results of peers, from the end of a run
 * @param senders whom each peer expects messages from
 * @return a warning that names pairs of honest neighbours none of whose messages has arrived, nor
 *         a part that was used, though the receiver has closed MIN_SILENT_ROUNDS while the sender
 *         closed rounds, too; empty when there are none
 */
std::string DescribeSilentPairs(const RunResults& results,
                                const std::map<LearnerId, std::set<LearnerId>>& senders);

/** Rounds after which a pair of neighbours without a message has a warning. */
constexpr uint32_t MIN_SILENT_ROUNDS = 5;

} // namespace ns3::dlearn

#endif // DLEARN_SILENT_PAIRS_H
