/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * The events of a transcript, against each other and against the records of the same run.
 */

#include "ns3/config.h"
#include "ns3/dlearn-peer-learners.h"
#include "ns3/dlearn-run-spec.h"
#include "ns3/dlearn-run.h"
#include "ns3/dlearn-state-archive.h"
#include "ns3/dlearn-transcript.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <unistd.h>
#include <vector>

namespace ns3::dlearn
{
namespace
{

using Kind = TranscriptEvent::Kind;
using Reception = LearnerApplication::Reception;

/** What a run leaves behind. */
struct Recorded
{
    std::vector<TranscriptEvent> events; //!< in their order
    RunResults results;                  //!< of the run
};

template <typename Learners>
Recorded
Record(dlearn::Run& scenario, const Learners& learners)
{
    Recorded recorded;
    const Transcript transcript({learners.begin(), learners.end()},
                                [&](const TranscriptEvent& e) { recorded.events.push_back(e); });
    std::ostringstream table;
    recorded.results = scenario.Execute(table);
    return recorded;
}

/** @return how many events there are of a kind, a node and a round */
size_t
Count(const Recorded& run, Kind kind, LearnerId node, uint32_t round)
{
    return std::count_if(run.events.begin(), run.events.end(), [&](const TranscriptEvent& e) {
        return e.kind == kind && e.node == node && e.round == round;
    });
}

/** A message on its way: sender, round, channel. */
using MessageKey = std::tuple<LearnerId, uint32_t, std::optional<ModelChannel>>;

/**
 * Time does not decrease; a message leaves or is withdrawn, once and never both; no learner
 * receives a message that did not leave for it before.
 */
void
ExpectConsistent(const Recorded& run)
{
    std::map<MessageKey, std::vector<LearnerId>> left;
    std::set<MessageKey> withdrawn;
    std::set<std::tuple<LearnerId, MessageKey>> received;
    Time last;
    for (const TranscriptEvent& e : run.events)
    {
        EXPECT_GE(e.time, last);
        last = e.time;
        const MessageKey own{e.node, e.round, e.channel};
        if (e.kind == Kind::SEND)
        {
            EXPECT_TRUE(left.emplace(own, e.numbers).second) << e.node << " " << e.round;
            EXPECT_EQ(withdrawn.count(own), 0U) << e.node << " " << e.round;
        }
        else if (e.kind == Kind::WITHDRAW)
        {
            EXPECT_TRUE(withdrawn.insert(own).second) << e.node << " " << e.round;
            EXPECT_EQ(left.count(own), 0U) << e.node << " " << e.round;
        }
        else if (e.kind == Kind::RECEIVE && e.reception != Reception::UNUSABLE)
        {
            ASSERT_TRUE(e.peer);
            const MessageKey theirs{*e.peer, e.round, e.channel};
            ASSERT_EQ(left.count(theirs), 1U) << *e.peer << " to " << e.node << " " << e.round;
            const auto& to = left[theirs];
            EXPECT_TRUE(std::find(to.begin(), to.end(), e.node) != to.end());
            EXPECT_TRUE(received.insert({e.node, theirs}).second) << "twice";
        }
    }
}

RunSpec
LossyPeers()
{
    RunSpec options = LdpOnlinePreset("transcript-test");
    options.rounds = 30;
    options.batchSize = 4;
    options.dataSamples = 200;
    options.floatBits = 64;
    options.network = "p2p";
    options.loss = 0.2;
    options.deadline = "20ms";
    options.evaluateEvery = 30;
    return options;
}

// The records of the rounds count the same messages by other means (MessageTable).
TEST(Transcript, CountsWhatTheRecordsCount)
{
    dlearn::Run scenario(LossyPeers());
    const Recorded run = Record(scenario, scenario.GetPeers());
    ExpectConsistent(run);
    std::map<std::pair<LearnerId, uint32_t>, uint32_t> onTime;
    std::map<std::pair<LearnerId, uint32_t>, uint32_t> late;
    for (const TranscriptEvent& e : run.events)
    {
        if (e.kind == Kind::RECEIVE)
        {
            EXPECT_NE(e.reception, Reception::UNUSABLE);
            ++(e.reception == Reception::LATE ? late : onTime)[{e.node, e.round}];
        }
    }
    uint32_t lost = 0;
    ASSERT_EQ(run.results.rows.size(), 150U);
    for (const ResultRow& row : run.results.rows)
    {
        const RoundRecord& r = row.record;
        EXPECT_EQ(onTime[std::make_pair(r.node, r.round)], r.received) << r.node << " " << r.round;
        EXPECT_EQ(late[std::make_pair(r.node, r.round)], r.late) << r.node << " " << r.round;
        EXPECT_EQ(Count(run, Kind::DRAW, r.node, r.round), 1U) << r.node << " " << r.round;
        EXPECT_EQ(Count(run, Kind::SEND, r.node, r.round), 1U) << r.node << " " << r.round;
        lost += r.lost;
    }
    EXPECT_GT(lost, 20U) << "else nothing is tested";
}

/** What the last learner of a run draws, and how good the first one is then. */
struct LastDraws
{
    std::vector<std::string> lines; //!< of its draws in transcript.csv
    double loss{0};                 //!< of the first learner, in the end
};

LastDraws
RunWithAttack(RunSpec spec, const std::string& attack)
{
    spec.attack = attack;
    spec.byzantine = 1;
    spec.learners = 4;
    spec.dataSamples = 100;
    spec.transcript = true;
    spec.out = testing::TempDir() + "dlearn-flipped-" + std::to_string(getpid());
    dlearn::Run run(spec);
    std::ostringstream table;
    const RunResults results = run.Execute(table);
    LastDraws last;
    last.loss = results.rows.front().evaluation.value().loss;
    const LearnerId node = results.roles.size() - 1;
    std::ifstream file(spec.out + "/transcript.csv");
    for (std::string line; std::getline(file, line);)
    {
        if (line.find(",draw," + std::to_string(node) + ",") != std::string::npos)
        {
            last.lines.push_back(line);
        }
    }
    std::filesystem::remove_all(spec.out);
    return last;
}

// An attacker that flips labels draws the samples that it would draw otherwise; and what it learns
// from is no matter of what honest learners are measured on.
TEST(Transcript, PositionsOfFlippedSamplesAreThoseInTheTrainingSet)
{
    RunSpec federation = FedAvgPreset("flip");
    federation.data = "generated";
    federation.aggregator = "Median";
    federation.rounds = 3;
    RunSpec peers = LossyPeers();
    peers.rounds = 3;
    RunSpec directed = GradientTrackingPreset("flip");
    directed.rounds = 1;
    directed.evaluateEvery = 1;
    for (const RunSpec& spec : {federation, peers, directed})
    {
        const LastDraws honest = RunWithAttack(spec, "none");
        const LastDraws flipped = RunWithAttack(spec, "LabelFlip");
        EXPECT_EQ(honest.lines.size(), spec.rounds);
        EXPECT_EQ(flipped.lines, honest.lines);
        EXPECT_TRUE(spec.kind != RunKind::DIRECTED || flipped.loss == honest.loss);
    }
}

// Learner 1 of two is down: over TCP no message of learner 0 can leave, and its rounds close as
// they are. The bytes in rounds.csv show whether anything left.
TEST(Transcript, TellsWhatWasWithdrawn)
{
    RunSpec options = LossyPeers();
    options.learners = 2;
    options.graph = "path";
    options.loss = 0;
    options.transport = "tcp";
    options.churn = "crash:1@20ms,restart:1@200ms";
    dlearn::Run scenario(options);
    const Recorded run = Record(scenario, scenario.GetPeers());
    ExpectConsistent(run);
    size_t withdrawn = 0;
    for (const ResultRow& row : run.results.rows)
    {
        const RoundRecord& r = row.record;
        const size_t sent = Count(run, Kind::SEND, r.node, r.round);
        EXPECT_EQ(sent, r.txBytes > 0 ? 1U : 0U) << r.node << " " << r.round;
        EXPECT_EQ(Count(run, Kind::WITHDRAW, r.node, r.round), 1 - sent)
            << r.node << " " << r.round;
        withdrawn += 1 - sent;
    }
    EXPECT_GT(withdrawn, 3U) << "else nothing is tested";
}

// Two ranks, of which each has seen every second learner, have together seen the same events.
TEST(Transcript, OfRanksIsTheSameInTheOrderOfTimeAndLearner)
{
    dlearn::Run scenario(LossyPeers());
    Recorded run = Record(scenario, scenario.GetPeers());
    std::vector<TranscriptEvent> all;
    for (const LearnerId rank : {1U, 0U})
    {
        std::vector<TranscriptEvent> own;
        std::copy_if(run.events.begin(), run.events.end(), std::back_inserter(own), [=](auto& e) {
            return e.node % 2 == rank;
        });
        own = LoadState<std::vector<TranscriptEvent>>(SaveState(own));
        all.insert(all.end(), own.begin(), own.end());
    }
    std::stable_sort(run.events.begin(), run.events.end(), [](const auto& a, const auto& b) {
        return std::make_pair(a.time, a.node) < std::make_pair(b.time, b.node);
    });
    const auto tie = [](const TranscriptEvent& e) {
        return std::tie(e.time, e.kind, e.node, e.peer, e.round, e.channel, e.numbers, e.reception);
    };
    size_t k = 0;
    ReplayTranscript(all, [&](const TranscriptEvent& e) {
        ASSERT_LT(k, run.events.size());
        EXPECT_EQ(tie(e), tie(run.events[k])) << k;
        ++k;
    });
    EXPECT_EQ(k, run.events.size());
}

} // namespace
} // namespace ns3::dlearn
