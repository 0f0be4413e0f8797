/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Where the time of rounds goes, in whole runs, against calculation by hand.
 */

#include "dlearn-federated-fixture.h"
#include "dlearn-system-fixture.h"
#include "support/dlearn-parameter-name.h"

#include "ns3/config.h"
#include "ns3/dlearn-compute-model.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <map>

namespace ns3::dlearn
{
namespace
{

/** @return seconds in which the learner did not compute */
double
GetRest(const ResultRow& row)
{
    return row.phases.queue + row.phases.air + row.phases.again + row.phases.wait;
}

/** Expect that computing and the phases of each learner's rows are the time from row to row. */
void
ExpectPartition(const RunResults& results)
{
    ASSERT_FALSE(results.rows.empty());
    std::map<LearnerId, Time> before;
    for (const ResultRow& row : results.rows)
    {
        const RoundRecord& record = row.record;
        const Time first = record.closed - record.duration;
        const Time begin = before.try_emplace(record.node, first).first->second;
        const double span = (record.closed - begin).GetSeconds();
        EXPECT_NEAR(record.compute.GetSeconds() + GetRest(row), span, 2e-9)
            << "learner " << record.node << ", round " << record.round;
        before[record.node] = record.closed;
        EXPECT_GE(std::min({row.phases.queue, row.phases.again, row.phases.wait}), 0);
    }
}

/** Phases of all networks whose devices are watched. */
class EveryPhase : public testing::TestWithParam<std::pair<const char*, const char*>>
{
  protected:
    ~EveryPhase() override { Config::Reset(); }
};

TEST_P(EveryPhase, IsAPartOfTheTimeFromRoundToRound)
{
    RunSpec spec = SmallRun(GetParam().first, GetParam().second);
    spec.loss = 0.1;
    const RunResults results = RunToEnd(spec).results;
    ExpectPartition(results);
    double air = 0;
    for (const ResultRow& row : results.rows)
    {
        air += row.phases.air;
    }
    EXPECT_GT(air, 0);
}

// Learner 1 crashes while it computes, and learner 2 when it has computed and waits for learner 1.
TEST_P(EveryPhase, IsAPartOfTheTimeAlsoAroundCrashes)
{
    Config::SetDefault("ns3::dlearn::LearnerApplication::ComputeModel",
                       TypeIdValue(FixedCompute::GetTypeId()));
    Config::SetDefault("ns3::dlearn::FixedCompute::Duration", TimeValue(Seconds(1)));
    RunSpec spec = SmallRun(GetParam().first, GetParam().second);
    spec.rounds = 6;
    spec.churn = "crash:1@2500ms,restart:1@6s,crash:2@3500ms,restart:2@7s";
    const RunResults results = RunToEnd(spec).results;
    for (const LearnerId learner : {1, 2})
    {
        EXPECT_TRUE(std::any_of(results.rows.begin(), results.rows.end(), [&](const auto& row) {
            return row.record.node == learner && row.record.closed > Seconds(7);
        })) << learner;
    }
    ExpectPartition(results);
}

INSTANTIATE_TEST_SUITE_P(Networks,
                         EveryPhase,
                         testing::Values(std::make_pair("p2p", "udp"),
                                         std::make_pair("p2p", "tcp"),
                                         std::make_pair("csma", "udp"),
                                         std::make_pair("csma", "broadcast"),
                                         std::make_pair("wifi-adhoc", "tcp"),
                                         std::make_pair("wifi-adhoc", "udp"),
                                         std::make_pair("wifi-infra", "udp"),
                                         std::make_pair("tree:2", "tcp")),
                         [](const auto& info) { return test::MakeParameterName(info.param); });

// A frame to each of two neighbours, both at the same time: its bytes at 1 Mbit/s, with headers of
// UDP, IP and PPP.
TEST(Phases, AFrameIsOnTheAirAsLongAsItsBitsTake)
{
    RunSpec spec = SmallRun("p2p");
    spec.rate = "1Mbps";
    for (const ResultRow& row : RunToEnd(spec).results.rows)
    {
        const double bytes = static_cast<double>(row.record.txBytes) / 2 + 8 + 20 + 2;
        EXPECT_NEAR(row.phases.air, bytes * 8 / 1e6, 1e-9);
        EXPECT_EQ(row.phases.again, 0);
    }
}

// Over p2p only TCP sends again, and only where segments are lost; over Wi-Fi frames are.
TEST(Phases, WhatIsSentAgainIsToldApart)
{
    const auto sum = [](const char* network, const char* transport, double loss) {
        RunSpec spec = SmallRun(network, transport);
        spec.loss = loss;
        double again = 0;
        for (const ResultRow& row : RunToEnd(spec).results.rows)
        {
            again += row.phases.again;
        }
        return again;
    };
    EXPECT_EQ(sum("p2p", "tcp", 0), 0);
    EXPECT_EQ(sum("p2p", "udp", 0.2), 0);
    EXPECT_GT(sum("p2p", "tcp", 0.2), 0);
    EXPECT_GT(sum("wifi-adhoc", "udp", 0.2), 0);
}

TEST(Phases, AreUnknownWhereNoDeviceIsWatched)
{
    for (const ResultRow& row : RunToEnd(SmallRun("ideal")).results.rows)
    {
        EXPECT_FALSE(row.phases.IsKnown());
    }
}

} // namespace
} // namespace ns3::dlearn
