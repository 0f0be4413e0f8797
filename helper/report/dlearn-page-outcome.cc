/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-page-outcome.h"

#include "dlearn-rounds-csv.h"
#include "dlearn-target.h"

#include "ns3/dlearn-text-format.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>

namespace ns3::dlearn
{

namespace
{

constexpr size_t TABLE_ROWS = 200;     //!< rounds of a table
constexpr size_t EXTREME_LEARNERS = 5; //!< learners at each end of a ranking

/** What a learner achieved. */
struct LearnerScore
{
    LearnerId node{0};                 //!< who
    std::string role;                  //!< as in rounds.csv
    uint64_t rounds{0};                //!< closed
    double accuracy{Evaluation::NONE}; //!< of its last evaluated round
    double loss{Evaluation::NONE};     //!< likewise
    double epsilon{Evaluation::NONE};  //!< spent
    uint64_t expected{0};              //!< of a client: messages that it sent; else that it awaited
    uint64_t received{0};              //!< of these, in time
    bool client{false};                //!< of a server
};

/** @return a number for a table; empty for NaN */
std::string
FormatCell(double value)
{
    return std::isnan(value) ? "" : FormatRounded(value);
}

/** @return the learners of a run, by number */
std::vector<LearnerScore>
ScoreLearners(const RunResults& results)
{
    std::map<LearnerId, LearnerScore> scores;
    const auto server = std::find(results.roles.begin(), results.roles.end(), "server");
    const auto center = static_cast<LearnerId>(server - results.roles.begin());
    for (LearnerId node = 0; node < results.roles.size(); ++node)
    {
        scores[node].node = node; // also one that closes no round
        scores[node].role = NameRole(results.roles[node]);
        scores[node].client = server != results.roles.end() && node != center;
    }
    for (const ResultRow* row : SortRows(results.rows))
    {
        LearnerScore& score = scores[row->record.node];
        score.node = row->record.node;
        score.role = NameRole(row->role);
        score.rounds += IsClosedRound(*row) ? 1 : 0;
        if (!score.client)
        {
            score.expected += row->record.expected;
            score.received += row->record.received;
        }
        score.epsilon = row->record.epsilon;
        if (row->evaluation)
        {
            score.accuracy = row->evaluation->accuracy;
            score.loss = row->evaluation->loss;
        }
    }
    for (const PairRecord& pair : results.pairs)
    {
        const auto client = scores.find(pair.from);
        if (client != scores.end() && client->second.client && pair.to == center)
        {
            client->second.expected = pair.expected;
            client->second.received = pair.received;
        }
    }
    std::vector<LearnerScore> list;
    for (auto& [node, score] : scores)
    {
        const auto spent = results.epsilon.find(node);
        score.epsilon = spent == results.epsilon.end() ? score.epsilon : spent->second;
        list.push_back(score);
    }
    return list;
}

/**
 * Sort learners, the best first: by accuracy, else by loss, else by what arrived.
 *
 * @param learners to sort
 * @return name of what they are sorted by
 */
std::string
Rank(std::vector<LearnerScore>& learners)
{
    const auto count = [&learners](double LearnerScore::*figure) {
        return std::count_if(learners.begin(), learners.end(), [figure](const auto& learner) {
            return std::isfinite(learner.*figure);
        });
    };
    const auto sort = [&learners](auto key) {
        // Those without the figure are last.
        std::stable_sort(learners.begin(), learners.end(), [&key](const auto& a, const auto& b) {
            const double x = key(a);
            const double y = key(b);
            return std::isnan(y) ? !std::isnan(x) : x > y;
        });
    };
    if (count(&LearnerScore::accuracy) > 1)
    {
        sort([](const LearnerScore& learner) { return learner.accuracy; });
        return "accuracy";
    }
    if (count(&LearnerScore::loss) > 1)
    {
        sort([](const LearnerScore& learner) { return -learner.loss; });
        return "loss";
    }
    sort([](const LearnerScore& learner) {
        return GetDeliveredShare(learner.received, learner.expected);
    });
    return "messages in time";
}

/** @return how a run ended, with its reason; empty for a complete one */
std::string
DescribeStatus(const RunResults& results)
{
    return results.status == "complete"
               ? ""
               : "The run is not complete: " + results.status +
                     (results.reason.empty() ? "" : ", " + results.reason) + ". ";
}

/** @return "accuracy 0.846, loss 0.7417": means of a round */
std::string
DescribeMetrics(const EvaluatedRound& round)
{
    std::string text;
    for (const char* name : {"accuracy", "loss", "error"})
    {
        const auto found = round.metrics.find(name);
        if (found != round.metrics.end())
        {
            text += (text.empty() ? "" : ", ") + std::string(name) + " " +
                    FormatRounded(found->second.GetMean());
        }
    }
    return text;
}

} // namespace

std::string
NameRole(const std::string& role)
{
    return role == "byzantine" ? "attacker" : role;
}

std::string
DescribeOutcome(const RunResults& results, const ResultsSummary& summary)
{
    std::string text = DescribeStatus(results);
    const EvaluatedRound& last = summary.last;
    if (last.learners == 0)
    {
        return text + "No round was evaluated.";
    }
    text +=
        "After " + std::to_string(summary.rounds) + (summary.rounds == 1 ? " round" : " rounds") +
        (last.round + 1 < summary.rounds
             ? ", of which round " + std::to_string(last.round) + " was evaluated last, at "
             : " and ") +
        FormatRounded(last.time.GetSeconds()) + " s of simulated time: " + DescribeMetrics(last);
    text += last.learners < summary.evaluated
                ? ", mean over the " + std::to_string(last.learners) + " of " +
                      std::to_string(summary.evaluated) +
                      " learners that closed this round; the others had ended before, and do not "
                      "count."
            : last.learners == 1 ? "."
                                 : ", mean over " + std::to_string(last.learners) + " learners.";
    const std::map<std::string, std::string> settings(results.parameters.begin(),
                                                      results.parameters.end());
    if (results.readySeconds > 0)
    {
        const auto from = settings.find("time-from");
        text +=
            " All learners were ready after " + FormatRounded(results.readySeconds) +
            (from != settings.end() && from->second == "start" ? " s, which are in all times."
                                                               : " s; times count from then on.");
    }
    const auto runs = settings.find("runs");
    if (runs != settings.end() && runs->second != "1")
    {
        text += " This page is of the first of " + runs->second +
                " runs; model_error.csv has the mean error of all.";
    }
    if (std::isinf(summary.epsilonMax))
    {
        text += " No privacy is guaranteed: epsilon is infinite.";
    }
    else if (summary.epsilonMax > 0)
    {
        text += " The largest epsilon spent is " + FormatRounded(summary.epsilonMax) + ".";
    }
    if (!std::isnan(summary.delivered))
    {
        text += " Of the messages that rounds waited for, " + FormatShare(summary.delivered) +
                " arrived in time.";
    }
    return text;
}

std::string
DescribeLearners(const RunResults& results)
{
    const size_t all = results.graph.GetSize();
    const size_t servers = std::count(results.roles.begin(), results.roles.end(), "server");
    const size_t others = all - std::min(all, servers);
    return std::to_string(others) + (servers > 0 ? " client" : " learner") +
           (others == 1 ? "" : "s") + (servers > 0 ? " and a server" : "");
}

PageJson
MakeTiles(const ResultsSummary& summary)
{
    PageJson tiles = PageJson::array();
    const auto add = [&tiles](const std::string& name, const std::string& value) {
        tiles.push_back({value, name});
    };
    for (const char* name : {"accuracy", "loss", "error"})
    {
        const auto found = summary.last.metrics.find(name);
        if (found != summary.last.metrics.end())
        {
            add("final " + std::string(name), FormatRounded(found->second.GetMean()));
        }
    }
    add("rounds closed", std::to_string(summary.rounds));
    if (summary.rows > 0)
    {
        add("simulated time", FormatRounded(summary.end.GetSeconds()) + " s");
    }
    add("sent in all", FormatBytes(static_cast<double>(summary.txBytes)));
    if (!std::isnan(summary.energy))
    {
        add("spent by all", FormatRounded(summary.energy) + " J");
    }
    if (!std::isnan(summary.delivered))
    {
        add("delivered in all rounds", FormatShare(summary.delivered));
    }
    if (!std::isnan(summary.epsilonMax))
    {
        add("largest epsilon", FormatRounded(summary.epsilonMax));
    }
    return tiles;
}

PageJson
GroupWarnings(const std::vector<std::string>& warnings)
{
    PageJson groups = PageJson::array();
    std::map<std::string, size_t> places;
    for (const std::string& warning : warnings)
    {
        std::string kind;
        for (const char c : warning)
        {
            const bool number = std::isdigit(static_cast<unsigned char>(c)) || c == '.' || c == ',';
            if (!number || kind.empty() || kind.back() != '#')
            {
                kind += number ? '#' : c;
            }
        }
        const auto [place, isNew] = places.emplace(kind, groups.size());
        if (isNew)
        {
            groups.push_back({{"text", warning}, {"more", PageJson::array()}});
        }
        else
        {
            groups[place->second]["more"].push_back(warning);
        }
    }
    return groups;
}

PageJson
MakeRoundsTable(const std::vector<EvaluatedRound>& rounds)
{
    const size_t every = rounds.size() / TABLE_ROWS + 1;
    std::vector<std::vector<std::string>> rows;
    for (size_t k = 0; k < rounds.size(); ++k)
    {
        if (k % every != 0 && k + 1 != rounds.size())
        {
            continue;
        }
        const EvaluatedRound& round = rounds[k];
        std::vector<std::string> row{FormatRounded(round.time.GetSeconds()),
                                     std::to_string(round.round),
                                     std::to_string(round.learners)};
        for (const char* name : {"loss", "accuracy", "error"})
        {
            const auto found = round.metrics.find(name);
            row.push_back(found == round.metrics.end() ? ""
                                                       : FormatRounded(found->second.GetMean()));
        }
        row.push_back(FormatCell(round.epsilon));
        row.push_back(FormatShare(GetDeliveredShare(round.received, round.expected)));
        rows.push_back(row);
    }
    const std::string title = every == 1 ? "All evaluated rounds"
                                         : "Every " + std::to_string(every) + "th evaluated round";
    return MakePageTable(
        title,
        {"time (s)", "round", "learners", "loss", "accuracy", "error", "epsilon", "delivered"},
        rows,
        true);
}

PageJson
MakeLadderTable(const std::vector<EvaluatedRound>& rounds)
{
    std::vector<std::vector<std::string>> rows;
    for (const double accuracy : GetAccuracyLadder())
    {
        if (const EvaluatedRound* const round = Target{"accuracy", accuracy}.Find(rounds))
        {
            rows.push_back({FormatRounded(accuracy),
                            FormatRounded(round->time.GetSeconds()),
                            std::to_string(round->round),
                            std::to_string(round->learners),
                            FormatBytes(static_cast<double>(round->txBytes)),
                            FormatCell(round->epsilon)});
        }
    }
    return MakePageTable("Time to accuracy",
                         {"accuracy", "time (s)", "round", "learners", "sent", "epsilon"},
                         rows);
}

PageJson
MakeLearnersTable(const RunResults& results)
{
    auto learners = ScoreLearners(results);
    const std::string figure = Rank(learners);
    std::vector<std::vector<std::string>> rows;
    for (size_t k = 0; k < learners.size(); ++k)
    {
        const bool all = learners.size() <= 2 * EXTREME_LEARNERS + 2;
        if (all || k < EXTREME_LEARNERS || k + EXTREME_LEARNERS >= learners.size())
        {
            const LearnerScore& learner = learners[k];
            const double delivered = GetDeliveredShare(learner.received, learner.expected);
            rows.push_back({std::to_string(k + 1),
                            std::to_string(learner.node),
                            learner.role,
                            std::to_string(learner.rounds),
                            FormatCell(learner.accuracy),
                            FormatCell(learner.loss),
                            FormatCell(learner.epsilon),
                            learner.client ? "" : FormatShare(delivered),
                            !learner.client ? ""
                                            : std::to_string(learner.received) + " of " +
                                                  std::to_string(learner.expected)});
        }
    }
    return MakePageTable(
        std::string(rows.size() < learners.size() ? "Best and worst learners" : "Learners") +
            " by " + figure,
        {"rank",
         "learner",
         "role",
         "rounds",
         "accuracy",
         "loss",
         "epsilon",
         "delivered",
         "its messages in time"},
        rows);
}

} // namespace ns3::dlearn
