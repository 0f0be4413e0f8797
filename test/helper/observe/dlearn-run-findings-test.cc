/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "helper/network/dlearn-network-test-support.h"
#include "support/dlearn-short-runs.h"

#include "ns3/dlearn-aggregators.h"
#include "ns3/dlearn-graph-generators.h"
#include "ns3/dlearn-run-findings.h"
#include "ns3/dlearn-run-spec.h"
#include "ns3/dlearn-run-warnings.h"
#include "ns3/dlearn-run.h"
#include "ns3/mobility-model.h"
#include "ns3/simulator.h"
#include "ns3/wifi-mac-queue.h"
#include "ns3/wifi-mac.h"
#include "ns3/wifi-net-device.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

namespace ns3::dlearn
{
namespace
{

/** @return a run of a server with a round of so many milliseconds after the other, and two clients
 */
RunResults
MakeServedRun(const std::vector<int>& rounds)
{
    RunResults results;
    results.roles = {"server", "client", "client"};
    int time = 0;
    for (const int duration : rounds)
    {
        ResultRow row;
        row.role = "server";
        row.record.round = static_cast<uint32_t>(results.rows.size());
        row.record.duration = MilliSeconds(duration);
        row.record.closed = MilliSeconds(time += duration);
        results.rows.push_back(row);
    }
    return results;
}

/** @return names and details of a timeline */
std::vector<std::string>
List(const RunResults& results)
{
    std::vector<std::string> list;
    for (const RunEvent& event : results.timeline)
    {
        list.push_back(std::to_string(event.time.GetMilliSeconds()) + " " +
                       (event.node ? std::to_string(*event.node) : "") + " " + event.event +
                       (event.detail.empty() ? "" : ": " + event.detail));
    }
    return list;
}

// Client 2 is slow in round 0; client 1 is down in rounds 1 to 3, and in 5 only until it restarts.
TEST(FoldTimeouts, SaysWhichRoundsWaitedForALearnerThatWasDown)
{
    RunResults results = MakeServedRun({1000, 1000, 1000, 2000, 100, 1000});
    results.timeline = {{MilliSeconds(1000), 0, 0, "timed-out", "2"},
                        {MilliSeconds(1100), 1, 0, "crashed", ""},
                        {MilliSeconds(2000), 0, 1, "timed-out", "1"},
                        {MilliSeconds(3000), 0, 2, "timed-out", "1"},
                        {MilliSeconds(3000), 0, 2, "timed-out", "2"},
                        {MilliSeconds(5000), 0, 3, "timed-out", "1"},
                        {MilliSeconds(5000), 0, 3, "client-suspected", "1"},
                        {MilliSeconds(5050), 1, 0, "restarted", ""},
                        {MilliSeconds(5080), 1, 4, "battery-empty", ""},
                        {MilliSeconds(6100), 0, 5, "timed-out", "1"}};
    RunWarnings clock;
    clock.SetOrigin(MilliSeconds(100));
    EXPECT_EQ(
        FoldTimeouts(results, clock),
        (std::vector<std::string>{
            "3 rounds waited 1 s to 2 s for client 1, which crashed at 1 s; --timeout, "
            "--deadline and --quorum set how long a round waits",
            "1 round waited 1 s for client 1, which emptied its battery at 4.98 s; --timeout, "
            "--deadline and --quorum set how long a round waits"}));
    EXPECT_EQ(List(results),
              (std::vector<std::string>{
                  "1100 1 crashed",
                  "5000 0 client-suspected: 1",
                  "5000 1 waited-for: by 3 rounds, 1 s to 2 s, as it crashed at 1 s",
                  "5050 1 restarted",
                  "5080 1 battery-empty",
                  "6100 1 waited-for: by 1 round, 1 s, as it emptied its battery at 4.98 s"}));
}

// A server gives a client that has crashed up after two response timeouts.
TEST(FoldTimeouts, IsOfRunsOfServersAndOfPeers)
{
    RunSpec spec = test::TwoClients("100Mbps");
    spec.rounds = 6;
    spec.responseTimeout = "3s";
    spec.churn = "crash:1@1ms";
    RunResults results = test::Execute(spec);
    ASSERT_FALSE(results.warnings.empty());
    EXPECT_EQ(
        results.warnings[0].rfind("2 rounds waited 3 s each for client 1, which crashed at 1 ms;",
                                  0),
        0U)
        << results.warnings[0];
    EXPECT_EQ(List(results).at(2),
              "6001 1 waited-for: by 2 rounds, 3 s each, as it crashed at 1 ms");

    spec = test::ThreePeers();
    spec.responseTimeout = "500ms";
    spec.churn = "crash:2@5ms";
    results = test::Execute(spec);
    ASSERT_FALSE(results.warnings.empty());
    EXPECT_NE(results.warnings[0].find("4 rounds of 2 learners waited 501 ms each for learner 2"),
              std::string::npos)
        << results.warnings[0];
    spec.churn = "";
    EXPECT_TRUE(List(test::Execute(spec)).empty());
}

/** @return a ring of peers that hear each other, after so many rounds */
RunResults
MakeRun(uint32_t learners, uint32_t rounds)
{
    RunResults results;
    results.graph = MakeRing(learners);
    for (LearnerId node = 0; node < learners; ++node)
    {
        for (uint32_t round = 0; round < rounds; ++round)
        {
            ResultRow row;
            row.record.node = node;
            row.record.round = round;
            results.rows.push_back(row);
        }
        for (const auto& [from, weight] : results.graph.GetInNeighbors(node))
        {
            PairRecord pair;
            pair.from = from;
            pair.to = node;
            pair.expected = rounds;
            pair.received = 1;
            pair.lost = rounds - 1;
            results.pairs.push_back(pair);
        }
    }
    return results;
}

/** Take the messages of a pair away. */
void
Silence(RunResults& results, LearnerId from, LearnerId to)
{
    for (PairRecord& pair : results.pairs)
    {
        if (pair.from == from && pair.to == to)
        {
            pair.lost += pair.received;
            pair.received = 0;
        }
    }
}

/** @return the warning of peers that expect messages from their neighbours */
std::string
Describe(const RunResults& results)
{
    std::map<LearnerId, std::set<LearnerId>> senders;
    for (LearnerId node = 0; node < results.graph.GetSize(); ++node)
    {
        for (const auto& [from, weight] : results.graph.GetInNeighbors(node))
        {
            senders[node].insert(from);
        }
    }
    return DescribeSilentPairs(results, senders);
}

TEST(SilentPairs, NamesThoseWithoutAMessage)
{
    RunResults results = MakeRun(4, 5);
    EXPECT_EQ(Describe(results), "");
    Silence(results, 3, 0);
    Silence(results, 2, 1);
    EXPECT_EQ(Describe(results),
              "no message has ever arrived whole from some learners at their neighbours: 3 to 0, 2 "
              "to 1; their nodes may have no route, be out of range of their radio, or lose too "
              "many packets");
    results.pairs[0].late = 1; // from 1 to 0
    results.pairs[0].received = 0;
    EXPECT_EQ(Describe(results).find("1 to 0"), std::string::npos);
    results.pairs.erase(results.pairs.begin()); // where nothing can leave
    EXPECT_EQ(Describe(results).find("0, "), std::string::npos) << "0 gets no message at all";
}

TEST(SilentPairs, AreOfHonestLearnersWithSomeRounds)
{
    RunResults few = MakeRun(4, 4);
    Silence(few, 3, 0);
    EXPECT_EQ(Describe(few), "");
    RunResults attacked = MakeRun(4, 5);
    Silence(attacked, 3, 0);
    for (ResultRow& row : attacked.rows)
    {
        row.role = row.record.node == 3 ? "byzantine" : "peer";
    }
    EXPECT_EQ(Describe(attacked), "");
}

TEST(SilentPairs, AreNotThoseWhoseMessagesAreUsedInPart)
{
    RunResults results = MakeRun(4, 5);
    Silence(results, 3, 0);
    for (PairRecord& pair : results.pairs)
    {
        pair.partly = pair.from == 3;
    }
    EXPECT_EQ(Describe(results), "");
}

// Learner 3 closes its rounds before learner 0 does; or while it closes four or five of its own.
TEST(SilentPairs, AreOfLearnersThatWereThereAtTheSameTime)
{
    for (const uint32_t shared : {0U, 4U, 5U})
    {
        RunResults results = MakeRun(4, 10);
        Silence(results, 3, 0);
        for (ResultRow& row : results.rows)
        {
            const uint32_t begin = row.record.node == 3 ? shared : 10;
            row.record.closed = Seconds(begin + row.record.round);
        }
        EXPECT_EQ(Describe(results).empty(), shared < 5) << shared;
    }
}

// Client 1 moves between two edge servers, and is late at both. Edge servers are no clients.
TEST(LateClients, AreCountedOnceOverAllEdgeServers)
{
    RunResults results;
    results.graph = Graph(7);
    results.roles = {"server", "client", "client", "edge", "edge", "edge-server", "edge-server"};
    for (const auto& [from, to, received] :
         {std::tuple(1, 5, 0), {1, 6, 0}, {2, 6, 1}, {3, 0, 0}, {4, 0, 1}})
    {
        PairRecord pair;
        pair.from = from;
        pair.to = to;
        pair.received = received;
        pair.late = 2;
        results.pairs.push_back(pair);
    }
    EXPECT_EQ(
        DescribeLateClients(results).rfind("no update of 1 of 2 clients arrived in time: 1;", 0),
        0U)
        << DescribeLateClients(results);
}

// A lost message makes the other clients pay more than they had planned for.
TEST(SkippedRounds, ThatABudgetForbidsAreNamed)
{
    RunSpec spec = FedAvgPreset("withheld");
    spec.network = "p2p";
    spec.transport = "udp";
    spec.loss = 0.2;
    spec.deadline = "30ms";
    spec.learners = 5;
    spec.data = "generated";
    spec.rounds = 10;
    spec.threatModel = "cdp";
    spec.targetEpsilon = 8;
    spec.budget = 8;
    dlearn::Run run(spec);
    const auto rule = DynamicCast<ServerRule>(run.GetFederation().server->GetRule());
    std::ostringstream table;
    const RunResults results = run.Execute(table);
    const uint64_t withheld = rule->GetWithheld();
    ASSERT_GT(withheld, 0U);
    EXPECT_EQ(results.totals.at("rounds_skipped"), withheld);
    const std::string words = std::to_string(withheld) + " of 10 rounds left the model as it was";
    EXPECT_TRUE(
        std::any_of(results.warnings.begin(),
                    results.warnings.end(),
                    [&words](const std::string& warning) { return warning.rfind(words, 0) == 0; }));
}

/** @return how many warnings say that an epsilon is infinite, and why */
size_t
CountWarnings(const RunSpec& spec)
{
    dlearn::Run run(spec);
    std::ostringstream table;
    const auto warnings = run.Execute(table).warnings;
    return std::count(warnings.begin(),
                      warnings.end(),
                      "epsilon is infinite for learners 0-2: ternary noise costs delta alone, and "
                      "their messages cost more than the 1e-04 of --delta; ask for "
                      "fewer rounds, add noise, choose another mechanism, or set budget to stop "
                      "before");
}

// The first release is of models that depend on no data and costs nothing; the second one costs
// sqrt(d) Phi / s, which is far more than delta.
TEST(TernaryDelta, IsWhyEpsilonIsInfinite)
{
    RunSpec spec = LdpOnlinePreset("ternary");
    spec.learners = 3;
    spec.dataSamples = 100;
    spec.network = "ideal";
    spec.mechanism = "ternary";
    spec.rounds = 1;
    EXPECT_EQ(CountWarnings(spec), 0U);
    spec.rounds = 5;
    EXPECT_EQ(CountWarnings(spec), 1U);
    spec.mechanism = "laplace";
    EXPECT_EQ(CountWarnings(spec), 0U);

    spec = GradientTrackingPreset("ternary"); // noise of states, and of trackers
    spec.learners = 3;
    spec.stateGraph = "complete";
    spec.trackerGraph = "complete";
    spec.dataSamples = 100;
    spec.network = "ideal";
    spec.rounds = 3;
    EXPECT_EQ(CountWarnings(spec), 0U);
    spec.mechanism = "ternary";
    EXPECT_EQ(CountWarnings(spec), 1U);
}

using Lines = std::vector<std::string>;

class RunWarningsTest : public testing::Test
{
  protected:
    RunWarningsTest()
    {
        warnings.SetListener([this](const std::string& warning) {
            told.push_back(std::to_string(Simulator::Now().GetMilliSeconds()) + " " + warning);
        });
    }

    void TearDown() override { Simulator::Destroy(); }

    /** Something happens to a learner. */
    void HitAt(Time when, LearnerId learner, const std::string& kind = "fog")
    {
        Simulator::Schedule(when, [this, learner, kind] {
            warnings.Add(kind, learner, kind + " at ", ", sorry");
        });
    }

    RunWarnings warnings;
    Lines told; //!< with the time in milliseconds
};

TEST_F(RunWarningsTest, MayEndBeforeTheyAreTold)
{
    auto others = std::make_unique<RunWarnings>();
    others->SetListener([this](const std::string& warning) { told.push_back(warning); });
    others->Add("fog", 1, "fog at ", "");
    others.reset();
    Simulator::Run();
    EXPECT_TRUE(told.empty());
}

TEST_F(RunWarningsTest, ALoneOneIsToldAtOnce)
{
    Simulator::Schedule(MilliSeconds(3), [this] { warnings.Add("rain"); });
    Simulator::Run();
    EXPECT_EQ(told, Lines{"3 rain"});
    EXPECT_EQ(warnings.Finish(), Lines{"rain"});
    EXPECT_EQ(told.size(), 1U) << "not twice";
}

TEST_F(RunWarningsTest, LearnersOfOneMomentShareALine)
{
    for (const LearnerId learner : {4, 2, 3, 7})
    {
        HitAt(MilliSeconds(5), learner);
    }
    Simulator::Run();
    EXPECT_EQ(told, Lines{"5 fog at learners 2-4, 7, sorry"});
    EXPECT_EQ(warnings.Finish(), Lines{"fog at learners 2-4, 7, sorry"});
    EXPECT_EQ(told.size(), 1U);
}

TEST_F(RunWarningsTest, ThoseWhoFollowAreToldInTheEndAndOnce)
{
    HitAt(MilliSeconds(5), 1);
    HitAt(MilliSeconds(6), 2);
    HitAt(MilliSeconds(7), 9, "ice");
    HitAt(MilliSeconds(8), 1);
    Simulator::Run();
    EXPECT_EQ(told, (Lines{"5 fog at learner 1, sorry", "7 ice at learner 9, sorry"}));
    const Lines all{"fog at learners 1-2, sorry", "ice at learner 9, sorry"};
    EXPECT_EQ(warnings.Finish(), all);
    EXPECT_EQ(told.back(), "8 by the end, fog at learners 1-2") << "what to do was said before";
    EXPECT_EQ(told.size(), 3U);
    EXPECT_EQ(warnings.Finish(), all);
    EXPECT_EQ(told.size(), 3U);
}

TEST(NameLearners, WritesRangesAndStopsAtTen)
{
    EXPECT_EQ(NameLearners({3}), "learner 3");
    EXPECT_EQ(NameLearners({0, 1}), "learners 0-1");
    EXPECT_EQ(NameLearners({0, 2, 3, 4, 8}), "learners 0, 2-4, 8");
    std::set<LearnerId> even;
    for (LearnerId id = 0; id < 30; id += 2)
    {
        even.insert(id);
    }
    EXPECT_EQ(NameLearners(even), "learners 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, ...");
}

TEST(NameTime, ChoosesTheUnit)
{
    EXPECT_EQ(NameTime(Time(0)), "0 s");
    EXPECT_EQ(NameTime(NanoSeconds(417600)), "417.6 us");
    EXPECT_EQ(NameTime(MilliSeconds(30)), "30 ms");
    EXPECT_EQ(NameTime(NanoSeconds(30011815369)), "30.01 s");
}

class WifiWatchTest : public NetworkTest
{
  protected:
    /**
     * The access point sends to both of its stations, of which the second one has gone. ns-3's
     * minstrel-ht repeats the RTS for it until what waits is too old.
     *
     * @param life of frames
     * @return the warnings
     */
    static std::vector<std::string> Watch(Time life)
    {
        NetworkSetup setup;
        setup.server = 0;
        setup.positions = {{30, 30}, {20, 30}, {40, 30}};
        const auto network = Make("wifi-infra,ratemanager=minstrel-ht", Star(3, 0), setup);
        const auto mac =
            DynamicCast<WifiNetDevice>(network->GetNodes().Get(0)->GetDevice(1))->GetMac();
        mac->GetTxopQueue(AC_BE)->SetMaxDelay(life);
        RunWarnings warnings;
        const WifiWatch watch(warnings);
        UdpMesh mesh(*network);
        mesh.Burst(0, network->GetAddress(0, 1), 20);
        mesh.Burst(0, network->GetAddress(0, 2), 20);
        mesh.Burst(0, network->GetAddress(0, 2), 20, 1400, Seconds(1));
        mesh.Burst(0, network->GetAddress(0, 1), 20, 1400, Seconds(1.1));
        Simulator::Schedule(network->GetReadyTime() + Seconds(0.5), [&network] {
            network->GetNodes().Get(2)->GetObject<MobilityModel>()->SetPosition(Vector(5000, 0, 0));
        });
        Simulate(20);
        EXPECT_EQ((mesh.received[{0, 2}]), 20U);
        return warnings.Finish();
    }
};

TEST_F(WifiWatchTest, NamesWhoBlocksTheQueue)
{
    const auto warnings = Watch(Hours(24));
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_EQ(warnings[0].rfind("Wi-Fi stalls: node 0 has delivered nothing for 5 s at ", 0), 0U)
        << warnings[0];
    EXPECT_NE(warnings[0].find(": node 2 has not answered "), std::string::npos) << warnings[0];
    EXPECT_NE(warnings[0].find("set ns3::WifiMacQueue::MaxDelay to 1s"), std::string::npos)
        << warnings[0];
}

TEST_F(WifiWatchTest, IsSilentWhereFramesExpireInTime)
{
    EXPECT_EQ(Watch(Seconds(1)), std::vector<std::string>());
}

TEST_F(WifiWatchTest, WarnsOfFramesThatExpireTooEarly)
{
    const auto warnings = Watch(MilliSeconds(200));
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_EQ(warnings[0],
              "Wi-Fi drops frames that have waited for longer than 200 ms, as those of a burst do; "
              "set ns3::WifiMacQueue::MaxDelay to 1s");
}

} // namespace
} // namespace ns3::dlearn
