/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-silent-pairs.h"

#include <map>
#include <set>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

namespace
{

/** Pairs that a warning names. */
constexpr size_t MOST_NAMED = 6;

/** @return sender and receiver of all pairs of neighbours with a message that arrived whole */
std::set<std::pair<LearnerId, LearnerId>>
FindHeard(const RunResults& results)
{
    std::set<std::pair<LearnerId, LearnerId>> heard;
    for (const PairRecord& pair : results.pairs)
    {
        if (pair.received + pair.late > 0)
        {
            heard.emplace(pair.from, pair.to);
        }
    }
    return heard;
}

/** @return peers that are honest and have closed MIN_SILENT_ROUNDS */
std::set<LearnerId>
FindActive(const RunResults& results)
{
    std::map<LearnerId, uint32_t> rounds;
    std::set<LearnerId> active;
    for (const ResultRow& row : results.rows)
    {
        if (row.role == "peer" && ++rounds[row.record.node] >= MIN_SILENT_ROUNDS)
        {
            active.insert(row.record.node);
        }
    }
    return active;
}

} // namespace

std::string
DescribeSilentPairs(const RunResults& results)
{
    const auto heard = FindHeard(results);
    const auto active = FindActive(results);
    std::set<LearnerId> listeners; // that hear somebody
    for (const auto& [from, to] : heard)
    {
        listeners.insert(to);
    }
    std::string names;
    size_t silent = 0;
    for (const LearnerId to : active)
    {
        if (listeners.count(to) == 0)
        {
            continue;
        }
        for (const auto& [from, weight] : results.graph.GetInNeighbors(to))
        {
            if (active.count(from) == 0 || heard.count({from, to}) > 0)
            {
                continue;
            }
            if (silent < MOST_NAMED)
            {
                names +=
                    (silent == 0 ? "" : ", ") + std::to_string(from) + " to " + std::to_string(to);
            }
            ++silent;
        }
    }
    if (silent == 0)
    {
        return "";
    }
    if (silent > MOST_NAMED)
    {
        names += ", ... (" + std::to_string(silent) + " pairs, see pairs.csv)";
    }
    return "no message has ever arrived whole from some learners at their neighbours: " + names +
           "; their nodes may have no route, be out of range of their radio, or lose too many "
           "packets";
}

} // namespace ns3::dlearn
