/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-run-findings.h"

#include "dlearn-federation-rounds.h"
#include "dlearn-isolation-watch.h"
#include "dlearn-run-warnings.h"
#include "dlearn-silent-pairs.h"
#include "dlearn-skipped-rounds.h"

#include "ns3/dlearn-federated-server.h"
#include "ns3/dlearn-life-cycle.h"
#include "ns3/dlearn-robust-server.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace ns3::dlearn
{

namespace
{

/** @return what to warn of a server's rule when the run is over; empty texts for nothing */
std::vector<std::string>
DescribeServerRounds(const RunResults& results, const ServerRule& rule)
{
    std::vector<std::string> warnings{DescribeWithheldRounds(results, rule)};
    if (const auto robust = dynamic_cast<const RobustServer*>(&rule))
    {
        warnings.push_back(DescribeSkippedRounds(results, *robust));
    }
    return warnings;
}

/** Rounds that waited for a learner while it was down. */
struct Wait
{
    RunEvent end;                //!< why it was down
    Time last;                   //!< when one of them gave it up last
    uint32_t rounds{0};          //!< how many
    std::set<LearnerId> waiting; //!< whose rounds they were
    Time shortest{Time::Max()};  //!< from the opening of one of them until then
    Time longest;                //!< likewise

    /** @return "3 s each" or "1 s to 3 s" */
    std::string NameTimes() const
    {
        return NameTime(shortest) + (shortest < longest ? " to " + NameTime(longest)
                                     : rounds > 1       ? " each"
                                                        : "");
    }

    /** @return "crashed at 3 s", or what else ended it */
    std::string NameEnd(const RunWarnings& clock) const
    {
        using Kind = LearnerEvent::Kind;
        const std::string what = end.event == ToString(Kind::BUDGET_SPENT) ? "spent its budget"
                                 : end.event == ToString(Kind::BATTERY_EMPTY)
                                     ? "emptied its battery"
                                     : end.event;
        return what + " at " + clock.NameMoment(end.time);
    }
};

/** @return opening times of rounds, by learner and round */
std::map<std::pair<LearnerId, uint32_t>, Time>
FindOpenings(const std::vector<ResultRow>& rows)
{
    std::map<std::pair<LearnerId, uint32_t>, Time> openings;
    for (const ResultRow& row : rows)
    {
        openings[{row.record.node, row.record.round}] = row.record.closed - row.record.duration;
    }
    return openings;
}

/**
 * @param results with the timeline, which loses its events `timed-out`
 * @return what those tell of learners that were down, by learner and when it went down
 */
std::map<std::pair<LearnerId, Time>, Wait>
TakeWaits(RunResults& results)
{
    using Kind = LearnerEvent::Kind;
    const auto openings = FindOpenings(results.rows);
    std::map<LearnerId, RunEvent> down;
    std::map<std::pair<LearnerId, Time>, Wait> waits;
    std::vector<RunEvent> others;
    for (const RunEvent& event : results.timeline)
    {
        if (event.event != ToString(Kind::TIMED_OUT))
        {
            others.push_back(event);
            if (IsEnd(event))
            {
                down[*event.node] = event;
            }
            else if (event.node && event.event == ToString(Kind::RESTARTED))
            {
                down.erase(*event.node);
            }
            continue;
        }
        const auto end = down.find(std::stoul(event.detail));
        const auto opened = openings.find({*event.node, event.round.value_or(0)});
        if (end != down.end() && opened != openings.end())
        {
            Wait& wait = waits[{end->first, end->second.time}];
            const Time waited = event.time - opened->second;
            wait.end = end->second;
            wait.last = event.time;
            ++wait.rounds;
            wait.waiting.insert(*event.node);
            wait.shortest = Min(wait.shortest, waited);
            wait.longest = Max(wait.longest, waited);
        }
    }
    results.timeline = others;
    return waits;
}

} // namespace

std::vector<std::string>
FoldTimeouts(RunResults& results, const RunWarnings& clock)
{
    std::vector<std::string> warnings;
    for (const auto& [which, wait] : TakeWaits(results))
    {
        const LearnerId learner = which.first;
        const bool client = learner < results.roles.size() && results.roles[learner] == "client";
        const std::string rounds =
            std::to_string(wait.rounds) + (wait.rounds == 1 ? " round" : " rounds");
        const auto before =
            std::upper_bound(results.timeline.begin(),
                             results.timeline.end(),
                             wait.last,
                             [](Time time, const RunEvent& event) { return time < event.time; });
        results.timeline.insert(
            before,
            {wait.last,
             learner,
             wait.end.round,
             "waited-for",
             "by " + rounds + ", " + wait.NameTimes() + ", as it " + wait.NameEnd(clock)});
        warnings.push_back(
            rounds +
            (wait.waiting.size() > 1 ? " of " + std::to_string(wait.waiting.size()) + " learners"
                                     : "") +
            " waited " + wait.NameTimes() + " for " + (client ? "client " : "learner ") +
            std::to_string(learner) + ", which " + wait.NameEnd(clock) +
            "; --timeout, --deadline and --quorum say how long a round waits");
    }
    return warnings;
}

std::vector<std::string>
DescribeRun(const RunResults& results, const std::vector<Ptr<LearnerApplication>>& learners)
{
    std::vector<std::string> warnings;
    std::map<LearnerId, std::set<LearnerId>> senders;
    for (const auto& learner : learners)
    {
        if (learner->GetRole() == "peer")
        {
            senders[learner->GetLearnerId()] = GetSenders(*learner, learners);
        }
        if (const auto rule = DynamicCast<ServerRule>(learner->GetLearnerRule()))
        {
            const auto ofRule = DescribeServerRounds(results, *rule);
            warnings.insert(warnings.end(), ofRule.begin(), ofRule.end());
        }
        if (const auto server = DynamicCast<FederatedServer>(learner))
        {
            const auto rounds = DescribeFederationRounds(*server, learners, results.graph);
            warnings.insert(warnings.end(), rounds.begin(), rounds.end());
        }
    }
    warnings.push_back(DescribeSkippedMixings(learners));
    warnings.push_back(DescribeSilentPairs(results, senders));
    return warnings;
}

} // namespace ns3::dlearn
