/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Runs with faults on purpose: they end, no message is counted twice or not at all, and what is
 * learned recovers.
 */

#include "audit/dlearn-audit.h"
#include "audit/dlearn-random-faults.h"
#include "dlearn-federated-fixture.h"
#include "dlearn-system-fixture.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/config.h"
#include "audit/dlearn-audit.h"
#include "ns3/dlearn-files.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/tcp-socket-base.h"

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

// Three groups on the ring of five: nothing comes from 1 to 2, from 3 to 4, from 4 to 0, nor back.
// All lack a message, so that all rounds end with the deadline, and are in step.
TEST_F(Faults, APartitionStopsAllMessagesBetweenGroupsAndNoOthers)
{
    RunSpec spec = TimedRun("partition:0,1|2,3|4@0s\n");
    spec.rounds = 20;
    spec.deadline = "30ms";
    const Outcome outcome = RunToEnd(spec);
    for (const ResultRow& row : outcome.results.rows)
    {
        EXPECT_EQ(row.record.received, row.record.node == 4 ? 0U : 1U) << row.record.node;
    }
}

// Every message is one datagram, so each flipped bit costs one message, which the checksum of the
// header finds; no vector may differ from what was sent.
TEST_F(Faults, EveryFlippedBitOfADatagramIsFound)
{
    RunSpec spec = TimedRun("corrupt=0.3:*@0s\n");
    spec.deadline = "30ms";
    const Outcome outcome = RunToEnd(spec);
    const auto& totals = outcome.results.totals;
    EXPECT_GT(totals.at("fault_corrupted_packets"), 200U);
    uint64_t lost = 0;
    for (const ResultRow& row : outcome.results.rows)
    {
        lost += row.record.lost;
    }
    // Those of the last round may come when the run is over.
    EXPECT_LE(totals.at("malformed"), totals.at("fault_corrupted_packets"));
    EXPECT_GE(totals.at("malformed") + 10, totals.at("fault_corrupted_packets"));
    EXPECT_NEAR(lost, totals.at("malformed"), 10);
}

// A flipped bit breaks the stream of TCP; it is opened again, and the run goes on.
TEST_F(Faults, AFlippedBitBreaksAConnectionThatIsMadeAgain)
{
    RunSpec spec = TimedRun("corrupt=0.3:*@300ms\ncorrupt=0:*@400ms\n", "tcp");
    spec.rounds = 300;
    spec.deadline = "30ms";
    const Outcome outcome = RunToEnd(spec);
    const auto& totals = outcome.results.totals;
    EXPECT_GT(totals.at("fault_corrupted_packets"), 0U);
    EXPECT_GT(totals.at("malformed"), 0U);
    EXPECT_GT(totals.at("broken_connections"), 0U);
    for (const ResultRow& row : outcome.results.rows)
    {
        if (row.record.round >= 280)
        {
            EXPECT_EQ(row.record.received, row.record.expected) << row.record.node;
        }
    }
}

// Copies and other orders change nothing that is learned: messages are put together by number.
TEST_F(Faults, CopiesAndOrderChangeNoModel)
{
    RunSpec spec = TimedRun("");
    const auto calm = RunToEnd(spec);
    spec = TimedRun("duplicate=0.5:*@0s\nreorder=0.5,3ms:*@0s\n");
    const auto faulty = RunToEnd(spec);
    EXPECT_GT(faulty.results.totals.at("fault_duplicated_packets"), 100U);
    EXPECT_GT(faulty.results.totals.at("fault_reordered_packets"), 100U);
    ASSERT_EQ(calm.models.size(), faulty.models.size());
    for (size_t k = 0; k < calm.models.size(); ++k)
    {
        EXPECT_EQ(calm.models[k], faulty.models[k]) << k;
    }
}

// A clock that is fast by a quarter computes for 10 ms / 1.25, one that is slow by a fifth for
// 10 ms / 0.8; from the round on that opens after the event.
TEST_F(Faults, AWrongClockScalesComputingAndDeadlines)
{
    RunSpec spec = TimedRun("drift=250000:0@15ms\ndrift=-200000:1@15ms\npartition:0|1|2|3|4@0s\n");
    spec.deadline = "40ms";
    spec.rounds = 20;
    const Outcome outcome = RunToEnd(spec);
    for (const ResultRow& row : outcome.results.rows)
    {
        const RoundRecord& record = row.record;
        const double rate = record.round == 0 || record.node > 1 ? 1
                            : record.node == 0                   ? 1.25
                                                                 : 0.8;
        EXPECT_EQ(record.compute, NanoSeconds(std::llround(10e6 / rate))) << record.node;
        EXPECT_EQ(record.duration, NanoSeconds(std::llround(40e6 / rate))) << record.node;
    }
}

TEST_F(Faults, AreTheSameForTheSameRun)
{
    const RunSpec spec = TimedRun("burst=0,1,0.1,0.5:*@0s\ncorrupt=0.1:*@0s\n");
    const auto one = RunToEnd(spec);
    const auto other = RunToEnd(spec);
    EXPECT_EQ(one.results.totals, other.results.totals);
    EXPECT_EQ(one.models, other.models);
}

TEST_F(Faults, ThatDoNotHappenAreNamed)
{
    RunSpec spec = TimedRun("crash:0@1h\n");
    spec.rounds = 5;
    const Outcome outcome = RunToEnd(spec);
    const auto& warnings = outcome.results.warnings;
    EXPECT_TRUE(std::any_of(warnings.begin(), warnings.end(), [](const std::string& warning) {
        return warning.find("before 1 of 1 faults of " + PATH) != std::string::npos;
    }));
}

TEST_F(Faults, OfNoEffectAreRefused)
{
    ExpectRefused([&] { dlearn::Run run(TimedRun("down:0-2@1s\n")); },
                  PATH + ":1: down 0-2: learners 0 and 2 are not neighbours");
}

TEST_F(Faults, OfTheOrderOfTcpAreRefused)
{
    ExpectRefused([&] { dlearn::Run run(TimedRun("reorder=0.1,1ms:*@0s\n", "tcp")); },
                  "can be held back with transport udp or broadcast only");
}

// The server crashes early in round 18; models 14 to 17 are lost. The next model is made of model
// 13 again, and all rounds have their own numbers.
TEST_F(Faults, AServerGoesBackToItsCheckpoint)
{
    RunSpec spec = SmallFederation("p2p", "udp");
    spec.rounds = 40;
    spec.responseTimeout = "100ms";
    TimedRun("");
    const auto calm = RunFederation(spec);
    const Time crash = GetRows(calm.results, 0).at(17).closed + MilliSeconds(2);
    std::ostringstream faults;
    faults << "checkpoint=7:0@0s\ncrash:0@" << crash.GetNanoSeconds() << "ns\nrestart:0@1s\n";
    TimedRun(faults.str());
    spec.faults = PATH;
    const auto faulty = RunFederation(spec);
    const auto rows = GetRows(faulty.results, 0);
    ASSERT_EQ(rows.size(), 40U);
    for (uint32_t round = 0; round < rows.size(); ++round)
    {
        EXPECT_EQ(rows[round].round, round);
    }
    EXPECT_EQ(faulty.results.totals.at("server_rounds_lost"), 4U);
    EXPECT_EQ(calm.results.totals.count("server_rounds_lost"), 0U);
    EXPECT_EQ(faulty.models[17], calm.models[17]);
    const auto far = [&](size_t from, size_t to) {
        return (faulty.models[to] - faulty.models[from]).norm();
    };
    EXPECT_LT(far(13, 18), 0.5 * far(17, 18));
    const auto& timeline = faulty.results.timeline;
    EXPECT_EQ(std::count_if(timeline.begin(),
                            timeline.end(),
                            [](const RunEvent& event) { return event.event == "checkpoint"; }),
              1);
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

} // namespace
} // namespace ns3::dlearn
