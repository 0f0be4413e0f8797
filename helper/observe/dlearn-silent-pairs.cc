/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-silent-pairs.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

namespace
{

/** Pairs that a warning names. */
constexpr size_t MOST_NAMED = 6;

/** @return sender and receiver of all pairs of neighbours with a message of which something came */
std::set<std::pair<LearnerId, LearnerId>>
FindHeard(const RunResults& results)
{
    std::set<std::pair<LearnerId, LearnerId>> heard;
    for (const PairRecord& pair : results.pairs)
    {
        if (pair.partly || pair.received + pair.late > 0)
        {
            heard.emplace(pair.from, pair.to);
        }
    }
    return heard;
}

/** @return when honest peers have closed rounds, in the order of time */
std::map<LearnerId, std::vector<Time>>
FindRounds(const RunResults& results)
{
    std::map<LearnerId, std::vector<Time>> rounds;
    for (const ResultRow& row : results.rows)
    {
        if (row.role == "peer")
        {
            rounds[row.record.node].push_back(row.record.closed);
        }
    }
    for (auto& [node, times] : rounds)
    {
        std::sort(times.begin(), times.end());
    }
    return rounds;
}

/** @return how many of a learner's rounds were closed while another one closed rounds, too */
size_t
CountShared(const std::vector<Time>& own, const std::vector<Time>& others)
{
    const auto first = std::lower_bound(own.begin(), own.end(), others.front());
    return static_cast<size_t>(std::upper_bound(first, own.end(), others.back()) - first);
}

} // namespace

std::string
DescribeSilentPairs(const RunResults& results,
                    const std::map<LearnerId, std::set<LearnerId>>& senders)
{
    const auto heard = FindHeard(results);
    const auto rounds = FindRounds(results);
    std::set<LearnerId> listeners; // that hear somebody
    for (const auto& [from, to] : heard)
    {
        listeners.insert(to);
    }
    std::string names;
    size_t silent = 0;
    for (const auto& [to, times] : rounds)
    {
        if (listeners.count(to) == 0)
        {
            continue;
        }
        for (const LearnerId from : senders.at(to))
        {
            const auto sender = rounds.find(from);
            if (sender == rounds.end() || heard.count({from, to}) > 0 ||
                CountShared(times, sender->second) < MIN_SILENT_ROUNDS)
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
