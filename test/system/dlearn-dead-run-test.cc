/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Runs that are dead, from their beginning or from some time on: each says so at once, leaves an
 * event behind, and ends when nothing can change any more.
 */

#include "dlearn-federated-fixture.h"
#include "dlearn-system-fixture.h"

#include "ns3/config.h"
#include "ns3/double.h"

#include <algorithm>
#include <map>

namespace ns3::dlearn
{
namespace
{

/** What a dead run leaves behind. */
struct DeadRun
{
    RunResults results;                  //!< of the run
    std::vector<RoundSummary> summaries; //!< evaluated rounds
    std::string title;                   //!< two lines
    std::vector<std::string> told;       //!< warnings, as they came
};

/** @return a run to its end */
DeadRun
Execute(const RunSpec& spec)
{
    dlearn::Run run(spec);
    DeadRun dead;
    run.SetWarningListener([&](const std::string& warning) { dead.told.push_back(warning); });
    std::ostringstream table;
    dead.results = run.Execute(table);
    dead.summaries = run.GetSummaries();
    const std::string text = table.str();
    dead.title = text.substr(0, text.find("\n\n"));
    return dead;
}

/** @return the events of a name */
std::vector<RunEvent>
Find(const RunResults& results, const std::string& name)
{
    std::vector<RunEvent> events;
    std::copy_if(results.timeline.begin(),
                 results.timeline.end(),
                 std::back_inserter(events),
                 [&](const RunEvent& event) { return event.event == name; });
    return events;
}

/** @return whether a line begins like this */
bool
HasLine(const std::vector<std::string>& lines, const std::string& beginning)
{
    return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
        return line.rfind(beginning, 0) == 0;
    });
}

/** A run of three peers with rounds of 1 ms and more. */
RunSpec
SmallPeers(const std::string& network = "p2p")
{
    RunSpec spec = LdpOnlinePreset("dead");
    spec.learners = 3;
    spec.rounds = 100;
    spec.network = network;
    spec.dataSamples = 100;
    return spec;
}

class DeadRunTest : public testing::Test
{
  protected:
    void TearDown() override { Config::Reset(); }
};

TEST_F(DeadRunTest, AllPeersDown)
{
    RunSpec spec = SmallPeers();
    spec.churn = "crash:0@10ms,leave:1@10ms,crash:2@11ms";
    const DeadRun dead = Execute(spec);
    EXPECT_LT(dead.results.simulatedSeconds, 2);
    EXPECT_EQ(Find(dead.results, "crashed").size(), 2U);
    EXPECT_EQ(Find(dead.results, "left").size(), 1U);
    EXPECT_EQ(Find(dead.results, "all-down").size(), 1U);
    EXPECT_EQ(Find(dead.results, "ended-early").size(), 1U);
    EXPECT_TRUE(HasLine(dead.told, "the run ends early at 1.0"));
    EXPECT_TRUE(HasLine(dead.results.warnings, "the run ends early at 1.0"));
}

TEST_F(DeadRunTest, ARestartOfAPeerKeepsTheRunAlive)
{
    RunSpec spec = SmallPeers();
    spec.churn = "crash:0@10ms,crash:1@10ms,crash:2@10ms,restart:1@30s";
    const DeadRun dead = Execute(spec);
    EXPECT_GT(dead.results.simulatedSeconds, 30);
    EXPECT_TRUE(Find(dead.results, "ended-early").empty());
    uint32_t last = 0;
    for (const ResultRow& row : dead.results.rows)
    {
        last = row.record.node == 1 ? std::max(last, row.record.round) : last;
    }
    EXPECT_EQ(last, 99U) << "it does its rounds alone";
}

// A year of beacons would take days to simulate.
TEST_F(DeadRunTest, LateChurnDoesNotKeepARunAlive)
{
    RunSpec spec = SmallPeers("wifi-infra");
    spec.rounds = 3;
    spec.churn = "crash:1@8760h,restart:1@8761h,leave:2@8760h";
    const DeadRun dead = Execute(spec);
    EXPECT_LT(dead.results.simulatedSeconds, 10);
    EXPECT_EQ(dead.results.timeline.size(), Find(dead.results, "associated").size());
    RunSpec federation = SmallFederation("wifi-infra");
    federation.rounds = 3;
    federation.churn = "crash:1@8760h,restart:1@8761h,crash:0@8760h,restart:0@8761h";
    EXPECT_LT(Execute(federation).results.simulatedSeconds, 10);
}

// Learners of wifi-infra start at 2.04 s, and those of ideal at 0 s.
TEST_F(DeadRunTest, ChurnBeforeTheStartIsInForce)
{
    for (const auto& [network, when] :
         std::map<std::string, std::string>{{"wifi-infra", "1s"}, {"ideal", "0s"}})
    {
        RunSpec spec = SmallFederation(network);
        spec.timeFrom = "start";
        spec.rounds = 3;
        spec.churn = "crash:1@" + when + ",leave:2@" + when + ",crash:3@" + when + ",restart:3@" +
                     (network == "ideal" ? "1ns" : "1.5s");
        const DeadRun dead = Execute(spec);
        EXPECT_TRUE(GetRows(dead.results, 1).empty()) << network;
        EXPECT_TRUE(GetRows(dead.results, 2).empty()) << network;
        EXPECT_EQ(GetRows(dead.results, 3).size(), 3U) << network;
        EXPECT_EQ(GetRows(dead.results, 4).size(), 3U) << network;
        RunSpec peers = SmallPeers(network);
        peers.timeFrom = "start";
        peers.rounds = 3;
        peers.churn = "crash:1@" + when;
        const Outcome outcome = RunToEnd(peers);
        EXPECT_EQ(CountRows(outcome.results, 1), 0U) << network;
        EXPECT_EQ(CountRows(outcome.results, 0), 3U) << network;
    }
}

TEST_F(DeadRunTest, PeersWithoutBudget)
{
    RunSpec spec = SmallPeers();
    const double all = RunToEnd(spec).results.rows.back().record.epsilon;
    spec.budget = all / 2;
    const DeadRun dead = Execute(spec);
    const auto spent = Find(dead.results, "budget-spent");
    ASSERT_EQ(spent.size(), 3U);
    for (const RunEvent& event : spent)
    {
        // It has closed all rounds before the one in which it cannot send.
        EXPECT_EQ(CountRows(dead.results, *event.node), *event.round);
        EXPECT_GT(*event.round, 0U);
        EXPECT_LT(*event.round, 100U);
    }
    EXPECT_EQ(Find(dead.results, "ended-early").size(), 1U);
    EXPECT_TRUE(HasLine(dead.told, "the privacy budget of "));
    EXPECT_TRUE(HasLine(dead.told, "the run ends early at "));
    EXPECT_LE(dead.told.size(), 4U + dead.results.warnings.size()) << "not a line for each learner";
}

// Only Byzantine peers go on: they have no account.
TEST_F(DeadRunTest, ByzantinePeersAlone)
{
    RunSpec spec = SmallPeers();
    spec.learners = 4;
    spec.graph = "complete";
    spec.byzantine = 1;
    spec.attack = "silent";
    const Outcome whole = RunToEnd(spec);
    double all = 0;
    for (const ResultRow& row : whole.results.rows)
    {
        all = row.record.node == 0 ? row.record.epsilon : all;
    }
    spec.budget = all / 2;
    spec.rounds = 2000;
    const DeadRun dead = Execute(spec);
    EXPECT_EQ(Find(dead.results, "ended-early").size(), 1U);
    EXPECT_LT(CountRows(dead.results, 3), 2000U);
}

TEST_F(DeadRunTest, AFederationWhoseClientsHaveSpentTheirBudgets)
{
    RunSpec spec = CafCorPreset("dead");
    spec.learners = 5;
    spec.byzantine = 1;
    spec.rounds = 30;
    spec.dataSamples = 200;
    spec.budget = 10;
    const DeadRun dead = Execute(spec);
    const auto spent = Find(dead.results, "budget-spent");
    ASSERT_EQ(spent.size(), 5U);
    const uint32_t round = *spent.front().round;
    // Two rounds of a second without updates, after which the server suspects them, and no more.
    EXPECT_EQ(GetRows(dead.results, 0).size(), round + 2);
    EXPECT_LT(dead.results.simulatedSeconds, 3);
    EXPECT_EQ(Find(dead.results, "ended-early").size(), 1U);
    EXPECT_EQ(std::count_if(dead.told.begin(),
                            dead.told.end(),
                            [](const std::string& line) {
                                return line.rfind("the privacy budget of 10 is spent", 0) == 0;
                            }),
              1);
    // The table has what the clients have spent: in each round, also in the last.
    ASSERT_EQ(dead.summaries.size(), round + 2);
    for (const RoundSummary& summary : dead.summaries)
    {
        double largest = 0;
        for (const ResultRow& row : dead.results.rows)
        {
            if (row.role == "client" && row.record.round <= summary.round)
            {
                largest = std::max(largest, row.record.epsilon);
            }
        }
        EXPECT_GT(largest, 0);
        EXPECT_DOUBLE_EQ(summary.epsilon, largest) << summary.round;
    }
}

TEST_F(DeadRunTest, AFederationThatAllLeave)
{
    for (const char* mode : {"sync", "buffered"})
    {
        RunSpec spec = SmallFederation("p2p");
        spec.mode = mode;
        spec.bufferSize = 2;
        spec.rounds = 1000;
        spec.churn = "leave:1@50ms,crash:2@60ms,leave:3@55ms,crash:4@50ms";
        const DeadRun dead = Execute(spec);
        EXPECT_EQ(Find(dead.results, "ended-early").size(), 1U) << mode;
        EXPECT_LT(dead.results.simulatedSeconds, 100) << mode;
        // A client that comes back keeps the server at work.
        spec.rounds = 60;
        spec.churn += ",restart:3@70s";
        const DeadRun alive = Execute(spec);
        EXPECT_TRUE(Find(alive.results, "ended-early").empty()) << mode;
        EXPECT_EQ(GetRows(alive.results, 0).size(), 60U) << mode;
    }
}

TEST_F(DeadRunTest, AServerThatIsDown)
{
    RunSpec spec = SmallFederation("p2p");
    spec.rounds = 1000;
    spec.churn = "crash:0@100ms,crash:1@8760h,restart:1@8761h";
    const DeadRun dead = Execute(spec);
    EXPECT_EQ(Find(dead.results, "ended-early").size(), 1U);
    EXPECT_LT(dead.results.simulatedSeconds, 10);
    spec.rounds = 60;
    spec.churn = "crash:0@100ms,restart:0@10s";
    const DeadRun alive = Execute(spec);
    EXPECT_TRUE(Find(alive.results, "ended-early").empty());
    EXPECT_EQ(GetRows(alive.results, 0).size(), 60U);
}

TEST_F(DeadRunTest, PeersOutOfRange)
{
    RunSpec spec = SmallPeers("wifi-adhoc");
    spec.side = 20000;
    spec.rounds = 8;
    const DeadRun dead = Execute(spec);
    EXPECT_EQ(Find(dead.results, "isolated").size(), 3U);
    EXPECT_TRUE(HasLine(dead.results.warnings,
                        "no message has arrived in time in the first 5 rounds of learners 0-2: not "
                        "one packet comes"));
    EXPECT_TRUE(Find(dead.results, "ended-early").empty()) << "they train alone";
    spec.side = 20;
    EXPECT_TRUE(Find(Execute(spec).results, "isolated").empty());
}

// 22 datagrams of which a fifth is lost: no model arrives whole.
TEST_F(DeadRunTest, ModelsThatDoNotArriveWhole)
{
    RunSpec spec = FedAvgPreset("dead");
    spec.learners = 2;
    spec.data = "glyphs";
    spec.dataSamples = 60;
    spec.network = "p2p";
    spec.transport = "udp";
    spec.loss = 0.3;
    spec.rounds = 5;
    const DeadRun dead = Execute(spec);
    EXPECT_NE(dead.title.find("\nSoftmaxTask, 7840 parameters, message of 32.1 kB in 22 packets "
                              "(whole with probability 0.000391), training of "),
              std::string::npos)
        << dead.title;
    ASSERT_FALSE(dead.told.empty());
    EXPECT_EQ(dead.told.front().rfind("every model is 22 packets", 0), 0U) << dead.told.front();
    EXPECT_TRUE(HasLine(dead.told,
                        "no message has arrived in time in the first 5 rounds of learner 0: "
                        "packets come, but no whole message"));
}

TEST_F(DeadRunTest, ClientsThatTrainLongerThanTheServerWaits)
{
    Config::SetDefault("ns3::dlearn::FlopsCompute::Flops", DoubleValue(1e4));
    RunSpec spec = SmallFederation("p2p");
    spec.responseTimeout = "20ms"; // 10 samples of 20 numbers take much longer
    spec.rounds = 6;
    const DeadRun dead = Execute(spec);
    ASSERT_FALSE(dead.told.empty());
    EXPECT_EQ(dead.told.front().rfind("timeout is 20 ms, but 4 of 4 clients train longer", 0), 0U)
        << dead.told.front();
}

TEST_F(DeadRunTest, ClientsThatAreAlwaysLate)
{
    RunSpec spec = SmallFederation("p2p");
    spec.rounds = 6;
    spec.deadline = "20ms";
    spec.clientFlops = "uniform:1e4:1e5"; // some train longer than the deadline
    const DeadRun slow = Execute(spec);
    std::string never;
    size_t late = 0;
    for (const PairRecord& pair : slow.results.pairs)
    {
        if (pair.to == 0 && pair.received == 0 && pair.late > 0)
        {
            never += (late++ == 0 ? "" : ", ") + std::to_string(pair.from);
        }
    }
    ASSERT_GT(late, 0U);
    ASSERT_LT(late, 4U);
    EXPECT_TRUE(HasLine(slow.told,
                        "no update of " + std::to_string(late) + " of 4 clients arrived in time: " +
                            never + "; of all late updates 0 were used"));
}

TEST_F(DeadRunTest, LinksThatGoDownAndUpAreEvents)
{
    RunSpec spec = SmallPeers();
    spec.rounds = 10;
    spec.links = "down:0-1@2ms,up:0to1@4ms,loss=0.1:1-2@1ms,down:1-2@1h";
    const RunResults results = Execute(spec).results;
    const auto down = Find(results, "link-down");
    ASSERT_EQ(down.size(), 2U) << "both directions, but not what comes after the end";
    EXPECT_EQ(down[0].time, MilliSeconds(2));
    EXPECT_EQ(down[0].detail, "0 to 1");
    EXPECT_FALSE(down[0].node);
    EXPECT_EQ(Find(results, "link-up").size(), 1U);
}

TEST_F(DeadRunTest, ALivelyRunIsSilent)
{
    RunSpec spec = SmallFederation("csma");
    const DeadRun alive = Execute(spec);
    EXPECT_TRUE(alive.results.timeline.empty());
    EXPECT_TRUE(alive.told.empty());
    EXPECT_TRUE(alive.results.warnings.empty());
}

// A model that the server gives up after its last round is in no row, and not forgotten either:
// what the server sent is what its rows expected and what was not answered at the end.
TEST(DeadRun, CountsModelsThatAreGivenUpAfterTheLastRound)
{
    for (const char* timeout : {"40ms", "30s"})
    {
        RunSpec spec = SmallFederation("p2p", "udp");
        spec.rounds = 8;
        spec.loss = 0.05;
        spec.mode = "buffered";
        spec.bufferSize = 2;
        spec.responseTimeout = timeout;
        const RunResults results = RunFederation(spec).results;
        uint64_t models = 0;
        for (const PairRecord& pair : results.pairs)
        {
            models += pair.from == 0 ? pair.expected : 0;
        }
        uint64_t ended = 0;
        for (const RoundRecord& record : GetRows(results, 0))
        {
            ended += record.expected;
        }
        EXPECT_GT(models, ended) << timeout;
        EXPECT_EQ(results.totals.at("updates_unanswered"), models - ended) << timeout;
    }
}

} // namespace
} // namespace ns3::dlearn
