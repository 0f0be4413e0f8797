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

} // namespace
} // namespace ns3::dlearn
