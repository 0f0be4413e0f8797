/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-run-findings.h"

#include "dlearn-run-watch.h"

#include "ns3/dlearn-federated-server.h"
#include "ns3/dlearn-gradient-tracking.h"
#include "ns3/dlearn-life-cycle.h"
#include "ns3/dlearn-noise-mechanism.h"
#include "ns3/dlearn-peer-application.h"
#include "ns3/dlearn-peer-rule.h"
#include "ns3/dlearn-robust-server.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace ns3::dlearn
{

namespace
{

using Learners = std::vector<Ptr<LearnerApplication>>;
using Texts = std::vector<std::string>;

void
AddWarningsOfRules(const std::vector<LearnerOutcome>& outcomes, Texts& warnings)
{
    std::map<std::string, std::set<LearnerId>> learners;
    Texts order;
    for (const LearnerOutcome& outcome : outcomes)
    {
        for (const std::string& warning : outcome.warnings)
        {
            if (learners[warning].empty())
            {
                order.push_back(warning);
            }
            learners[warning].insert(outcome.node);
        }
    }
    for (const std::string& warning : order)
    {
        warnings.push_back(NameLearners(learners[warning]) + ": " + warning);
    }
}

/** Warn of rounds that the rule of a server withheld, or skipped for lack of updates. */
void
AddSkippedRounds(const LearnerOutcome& server, const ServerRule& rule, Texts& warnings)
{
    const std::string of = " of " + std::to_string(server.rows.size()) + " rounds ";
    if (server.withheld > 0)
    {
        warnings.push_back(
            std::to_string(server.withheld) + of +
            "left the model as it was, as its release by the trusted server would have cost a "
            "client more than its budget: give a larger --budget, or plan for a smaller "
            "--target-epsilon; a mean of fewer clients, as when messages are lost, costs each of "
            "them more");
    }
    const uint64_t few = server.skipped - server.withheld;
    if (few > 0 && dynamic_cast<const RobustServer*>(&rule))
    {
        UintegerValue byzantine;
        rule.GetAttribute("Byzantine", byzantine);
        warnings.push_back(
            std::to_string(few) + of + "were skipped, as fewer updates came than the " +
            std::to_string(rule.CountNeeded()) + " that the aggregator needs against " +
            std::to_string(byzantine.Get()) +
            " Byzantine clients: lower --byzantine, or wait for more updates with a larger "
            "--buffer-size, --sample-count, --quorum, --deadline or --timeout");
    }
}

/** Warn of rounds of a server whose figures look normal. */
void
AddServerRounds(const std::vector<LearnerOutcome>& outcomes,
                const FederatedServer& server,
                const Graph& graph,
                Texts& warnings)
{
    const auto& rows = outcomes[server.GetLearnerId()].rows;
    const std::string who = server.GetRole() == "server"
                                ? ""
                                : "edge server " + std::to_string(server.GetLearnerId()) + ": ";
    const std::string of = " of " + std::to_string(rows.size());
    const auto add = [&](const auto& predicate, const std::string& text) {
        const auto count = std::count_if(rows.begin(), rows.end(), [&](const ResultRow& row) {
            return predicate(row.record);
        });
        if (count > 0)
        {
            warnings.push_back(who + std::to_string(count) + of + text);
        }
    };
    add([](const RoundRecord& round) { return round.expected > 0 && round.received == 0; },
        " rounds closed without any update in time");
    add([](const RoundRecord& round) { return round.received > 0 && round.used == 0; },
        " rounds closed with updates of which none was usable (rejected: not finite, malformed, "
        "not of the model's size, or lost in a crash of the server)");
    if (rows.size() < server.GetRounds())
    {
        warnings.push_back("only " + std::to_string(rows.size()) + " of " +
                           std::to_string(server.GetRounds()) + " rounds were closed");
    }
    const auto& clients = server.GetClients();
    std::vector<LearnerId> silent;
    for (const LearnerOutcome& outcome : outcomes)
    {
        if (outcome.rows.empty() && std::count(clients.begin(), clients.end(), outcome.node) > 0)
        {
            silent.push_back(outcome.node);
        }
    }
    if (!silent.empty())
    {
        warnings.push_back(who + std::to_string(silent.size()) + " of " +
                           std::to_string(clients.size()) +
                           " clients never trained on a model: " + ListLearners(graph, silent));
    }
}

/** Warn of rounds in which honest peers had too few vectors for their aggregator. */
void
AddSkippedMixings(const std::vector<LearnerOutcome>& outcomes,
                  const Learners& learners,
                  Texts& warnings)
{
    uint64_t skipped = 0;
    uint64_t rounds = 0;
    for (size_t k = 0; k < learners.size(); ++k)
    {
        if (DynamicCast<PeerRule>(learners[k]->GetLearnerRule()) && !learners[k]->IsByzantine())
        {
            skipped += outcomes[k].skipped;
            rounds += outcomes[k].rows.size();
        }
    }
    if (skipped > 0)
    {
        warnings.push_back(
            "in " + std::to_string(skipped) + " of the " + std::to_string(rounds) +
            " rounds of honest peers nothing was mixed, as fewer vectors came than "
            "the aggregator needs: lower --byzantine, or wait for more with a larger "
            "--deadline or --timeout");
    }
}

constexpr size_t MOST_NAMED = 6;          //!< pairs in a warning
constexpr uint32_t MIN_SILENT_ROUNDS = 5; //!< of a pair with a warning

/** @return sender and receiver of all pairs with a message that has arrived, at least in part */
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

/** @return times at which honest peers have closed rounds, in order */
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

/** @return number of rounds closed while another learner closed rounds, too */
size_t
CountShared(const std::vector<Time>& own, const std::vector<Time>& others)
{
    const auto first = std::lower_bound(own.begin(), own.end(), others.front());
    return static_cast<size_t>(std::upper_bound(first, own.end(), others.back()) - first);
}

/** @return whether a rule adds ternary noise to its messages */
bool
HasTernaryNoise(const Ptr<UpdateRule>& rule)
{
    const auto isTernary = [](const Ptr<NoiseMechanism>& noise) {
        return noise && noise->GetLaw() == NoiseLaw::TERNARY;
    };
    if (const auto tracking = DynamicCast<GradientTracking>(rule))
    {
        return isTernary(tracking->GetStateNoise()) || isTernary(tracking->GetTrackerNoise());
    }
    const auto peer = DynamicCast<PeerRule>(rule);
    return peer && isTernary(peer->GetNoiseMechanism());
}

/** Rounds that timed out while a learner was down. */
struct Wait
{
    RunEvent end;                //!< of the learner
    Time last;                   //!< time of the last timeout
    uint32_t rounds{0};          //!< number of rounds
    std::set<LearnerId> waiting; //!< learners of the rounds
    Time shortest{Time::Max()};  //!< time from the opening of a round
    Time longest;                //!< time from the opening of a round

    /** @return "3 s each" or "1 s to 3 s" */
    std::string NameTimes() const
    {
        return NameTime(shortest) + (shortest < longest ? " to " + NameTime(longest)
                                     : rounds > 1       ? " each"
                                                        : "");
    }

    /** @return end and time, such as "crashed at 3 s" */
    std::string NameEnd(const RunWarnings& clock) const
    {
        using Kind = LearnerEvent::Kind;
        const std::string action = end.event == ToString(Kind::BUDGET_SPENT) ? "spent its budget"
                                   : end.event == ToString(Kind::BATTERY_EMPTY)
                                       ? "emptied its battery"
                                       : end.event;
        return action + " at " + clock.NameMoment(end.time);
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

/** @return waits for learners that were down, by learner and the time of its end */
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
            "; --timeout, --deadline and --quorum set how long a round waits");
    }
    return warnings;
}

std::vector<std::string>
DescribeRun(const RunResults& results,
            const std::vector<LearnerOutcome>& outcomes,
            const Learners& learners)
{
    std::vector<std::string> warnings;
    AddWarningsOfRules(outcomes, warnings);
    std::map<LearnerId, std::set<LearnerId>> senders;
    for (const auto& learner : learners)
    {
        const LearnerId id = learner->GetLearnerId();
        if (learner->GetRole() == "peer")
        {
            senders[id] = GetSenders(*learner, learners);
        }
        if (const auto rule = DynamicCast<ServerRule>(learner->GetLearnerRule()))
        {
            AddSkippedRounds(outcomes[id], *rule, warnings);
        }
        if (const auto server = DynamicCast<FederatedServer>(learner))
        {
            AddServerRounds(outcomes, *server, results.graph, warnings);
        }
    }
    AddSkippedMixings(outcomes, learners, warnings);
    warnings.push_back(DescribeSilentPairs(results, senders));
    return warnings;
}

std::string
DescribeSilentPairs(const RunResults& results,
                    const std::map<LearnerId, std::set<LearnerId>>& senders)
{
    const auto heard = FindHeard(results);
    const auto rounds = FindRounds(results);
    std::set<LearnerId> listeners; // with a message of any neighbour
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

std::string
DescribeLateClients(const RunResults& results)
{
    std::map<LearnerId, std::pair<uint64_t, uint64_t>> updates; // of a client, in time and late
    for (const PairRecord& pair : results.pairs)
    {
        const std::string& role = results.roles.at(pair.to);
        if (role == "edge-server" || (role == "server" && results.roles.at(pair.from) != "edge"))
        {
            updates[pair.from].first += pair.received;
            updates[pair.from].second += pair.late;
        }
    }
    std::vector<LearnerId> late;
    for (const auto& [client, counts] : updates)
    {
        if (counts.first == 0 && counts.second > 0)
        {
            late.push_back(client);
        }
    }
    if (late.empty())
    {
        return "";
    }
    const auto used = results.totals.find("updates_late_used");
    return "no update of " + std::to_string(late.size()) + " of " + std::to_string(updates.size()) +
           " clients arrived in time: " + ListLearners(results.graph, late) +
           "; of all late updates " +
           std::to_string(used == results.totals.end() ? 0 : used->second) +
           " were used; --deadline, --quorum and --timeout set how long a round waits, --staleness "
           "the weight of late updates";
}

std::string
DescribeTernaryDelta(const std::vector<Ptr<PeerApplication>>& learners, const RunResults& results)
{
    std::set<LearnerId> spent;
    double delta = 0;
    for (const auto& learner : learners)
    {
        const auto epsilon = results.epsilon.find(learner->GetLearnerId());
        if (epsilon != results.epsilon.end() && std::isinf(epsilon->second) &&
            !learner->IsByzantine() && HasTernaryNoise(learner->GetRule()))
        {
            spent.insert(learner->GetLearnerId());
            delta = learner->GetRule()->GetLedger()->GetDelta();
        }
    }
    return spent.empty()
               ? ""
               : "epsilon is infinite for " + NameLearners(spent) +
                     ": ternary noise costs delta alone, and their messages cost more than the " +
                     FormatShortest(delta) +
                     " of --delta; ask for fewer rounds, add noise, choose another mechanism, or "
                     "set budget to stop before";
}

} // namespace ns3::dlearn
