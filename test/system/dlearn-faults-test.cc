/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Runs with faults on purpose: they end, no message is counted twice or not at all, and what is
 * learned recovers.
 * Runs that are dead, from their beginning or from some time on: each says so at once, leaves an
 * event behind, and ends when nothing can change any more.
 */

#include "audit/dlearn-audit.h"
#include "audit/dlearn-random-faults.h"
#include "dlearn-federated-fixture.h"
#include "dlearn-system-fixture.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/config.h"
#include "ns3/dlearn-files.h"
#include "ns3/rng-seed-manager.h"

#include <algorithm>

namespace ns3::dlearn
{
namespace
{

const std::string PATH = testing::TempDir() + "faults-of-a-run.txt";

/** Removes the file, and restores defaults and ns-3's run. */
class Faults : public testing::TestWithParam<size_t>
{
  protected:
    void TearDown() override
    {
        std::remove(PATH.c_str());
        Config::Reset();
        RngSeedManager::SetRun(1);
    }

    /** A run whose gradients take 10 ms, with faults. */
    RunSpec TimedRun(const std::string& faults, const std::string& transport = "udp")
    {
        WriteTextFile(PATH, faults);
        Config::SetDefault("ns3::dlearn::LearnerApplication::ComputeModel",
                           TypeIdValue(FixedCompute::GetTypeId()));
        RunSpec spec = SmallRun("p2p", transport);
        spec.rounds = 100;
        spec.faults = faults.empty() ? "" : PATH;
        return spec;
    }
};

TEST_P(Faults, LeaveNothingBroken)
{
    const FaultScenario scenario = GetFaultScenarios("system-test").at(GetParam());
    uint64_t packets = 0;
    for (uint32_t run = 1; run <= 10; ++run)
    {
        RngSeedManager::SetRun(run);
        const FaultTrial trial = TryFaults(scenario.spec, PATH);
        const std::string what = trial.description + ", run " + std::to_string(run);
        EXPECT_TRUE(trial.complete) << what;
        EXPECT_TRUE(trial.conserved) << what;
        EXPECT_TRUE(trial.finite) << what;
        EXPECT_LE(trial.longest, scenario.longest) << what;
        EXPECT_LE(trial.GetRatio(), trial.tcp ? scenario.tcpFactor : scenario.factor) << what;
        packets += trial.packets;
    }
    EXPECT_GT(packets, 20U);
}

INSTANTIATE_TEST_SUITE_P(All, Faults, testing::Range(size_t{0}, size_t{4}), [](const auto& info) {
    std::string name = GetFaultScenarios("system-test").at(info.param).spec.algorithm;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});

TEST_F(Faults, AreInTheTimelineAndCounted)
{
    const Outcome outcome = RunToEnd(TimedRun("partition:0,1@205ms\nheal@405ms\ndown:0to1@505ms\n"
                                              "drift=100:2@1ms\ncrash:3@600ms\nrestart:3@700ms\n"));
    std::vector<std::string> events;
    for (const RunEvent& event : outcome.results.timeline)
    {
        events.push_back(event.event + " " + event.detail);
    }
    for (const std::string event :
         {"drift 100:2", "partition 0,1", "heal ", "link-down 0to1", "crashed ", "restarted "})
    {
        EXPECT_EQ(std::count(events.begin(), events.end(), event), 1) << event;
    }
    EXPECT_GT(outcome.results.totals.at("fault_cut_packets"), 0U);
    EXPECT_EQ(outcome.results.totals.at("fault_lost_packets"), 0U);
}

TEST_F(Faults, OfTheOrderOfTcpAreRefused)
{
    ExpectRefused([&] { dlearn::Run run(TimedRun("reorder=0.1,1ms:*@0s\n", "tcp")); },
                  "can be held back with transport udp or broadcast only");
}

TEST_F(Faults, OnlyAServerGoesBack)
{
    ExpectRefused(
        [&] { dlearn::Run run(TimedRun("checkpoint=7:1@0s\ncrash:1@1ms\nrestart:1@2ms\n")); },
        PATH + ":1: checkpoint 7:1: only a server goes back to a checkpoint");
}

// Crashes and bursts of losses on a bus with TCP: a socket that was closed with data under way sent
// again and followed a null pointer of ns-3.37.
TEST_F(Faults, SocketsThatAreGivenUpDoNotSendAgain)
{
    RngSeedManager::SetRun(59);
    const FaultTrial trial = TryFaults(GetFaultScenarios("system-test").at(1).spec, PATH);
    EXPECT_EQ(trial.description, "csma, tcp");
    EXPECT_TRUE(trial.complete);
}

class FaultyAudit : public testing::TestWithParam<std::string>
{
};

TEST_P(FaultyAudit, FindsNoAccountBelowTheTruth)
{
    const AuditResult result = AuditAlgorithm(GetParam(), 50, 1, true);
    EXPECT_TRUE(result.IsGood()) << result.worst;
    EXPECT_LT(result.worst, 1.001);
}

INSTANTIATE_TEST_SUITE_P(All,
                         FaultyAudit,
                         testing::Values("ldp-online", "dp-gt", "dsgd", "cafcor"),
                         [](const auto& info) {
                             std::string name = info.param;
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

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

// The run takes a fraction of a second, and learner 3 is never down.
// Two of the three updates of a round have come, and the server crashes before it makes a model.
TEST(ChurnWarnings, SayThatACrashCanMakeUpdatesUseless)
{
    RunSpec spec = FedAvgPreset("system-test");
    spec.network = "p2p";
    spec.transport = "udp";
    spec.responseTimeout = "15ms";
    spec.churn = "crash:0@20ms,restart:0@40ms,crash:2@50ms";
    dlearn::Run run(spec);
    std::ostringstream table;
    const RunResults results = run.Execute(table);
    EXPECT_GT(results.totals.at("updates_lost_in_crash"), 0U);
    EXPECT_TRUE(std::any_of(results.warnings.begin(),
                            results.warnings.end(),
                            [](const std::string& warning) {
                                return warning.find("none was usable (rejected: not finite, "
                                                    "malformed, not of the model's size, or lost "
                                                    "in a crash of the server)") !=
                                       std::string::npos;
                            }));
}

TEST(ChurnWarnings, NameWhatHadNoEffect)
{
    RunSpec spec = SmallRun("p2p");
    spec.churn = "crash:1@5ms,restart:1@8ms,restart:3@5ms,crash:2@50s";
    spec.links = "down:0-1@50s,up:0-1@60s";
    const auto warnings = RunToEnd(spec).results.warnings;
    const auto count = [&warnings](const std::string& beginning) {
        return std::count_if(warnings.begin(), warnings.end(), [&](const std::string& warning) {
            return warning.rfind(beginning, 0) == 0;
        });
    };
    EXPECT_EQ(count("2 of 4 events of churn had no effect"), 1);
    EXPECT_TRUE(std::any_of(warnings.begin(), warnings.end(), [](const std::string& warning) {
        return warning.find("before 4 of 4 changes of links; the first of these is of ") !=
               std::string::npos;
    }));
    spec.churn = "crash:1@5ms,restart:1@8ms";
    spec.links = "";
    for (const std::string& warning : RunToEnd(spec).results.warnings)
    {
        EXPECT_EQ(warning.find("no effect"), std::string::npos) << warning;
    }
}

} // namespace
} // namespace ns3::dlearn
