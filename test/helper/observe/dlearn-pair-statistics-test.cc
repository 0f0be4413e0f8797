/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-short-runs.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>

namespace ns3::dlearn
{
namespace
{

/** The numbers of a file of results are those of the rounds. */
void
ExpectConservation(const RunResults& results)
{
    std::map<LearnerId, uint64_t> received;
    for (const ResultRow& row : results.rows)
    {
        received[row.record.node] += row.record.received;
    }
    for (const PairRecord& pair : results.pairs)
    {
        EXPECT_EQ(pair.expected, pair.received + pair.late + pair.lost);
        received[pair.to] -= pair.received;
    }
    for (const auto& [node, rest] : received)
    {
        EXPECT_EQ(rest, 0U) << "learner " << node;
    }
}

// A message of 112 numbers of 4 bytes is a packet of 448 + 32 + 28 (UDP, IP) + 2 (PPP) bytes, which
// takes 0.51 ms on the link and 5 ms of propagation.
TEST(PairStatistics, LatencyIsThatOfTheLink)
{
    const RunResults results = test::Execute(test::ThreePeers("5ms"));
    ASSERT_EQ(results.pairs.size(), 6U);
    for (const PairRecord& pair : results.pairs)
    {
        EXPECT_NE(pair.from, pair.to);
        EXPECT_EQ(pair.expected, 10U);
        EXPECT_EQ(pair.received, 10U);
        EXPECT_NEAR(pair.GetMeanLatency(), 5.51, 1e-6);
    }
    ExpectConservation(results);
}

// Others use the link from 0 to 1 to one half, with packets that take 0.544 ms.
TEST(PairStatistics, LatencyGrowsWithTrafficOfOthers)
{
    RunSpec spec = test::ThreePeers("5ms");
    spec.rounds = 100;
    spec.crossTraffic = "constant:4Mbps:0to1";
    std::map<std::pair<LearnerId, LearnerId>, double> latency;
    for (const PairRecord& pair : test::Execute(spec).pairs)
    {
        latency[{pair.from, pair.to}] = pair.GetMeanLatency();
    }
    EXPECT_GT((latency[{0, 1}]), 5.52);
    EXPECT_LT((latency[{0, 1}]), 5.51 + 0.544);
    EXPECT_NEAR((latency[{1, 0}]), 5.51, 1e-6) << "the other direction is free";
    EXPECT_NEAR((latency[{0, 2}]), 5.51, 1e-6);
}

// The probability of a count outside of 4 standard deviations is below 1e-4.
TEST(PairStatistics, CountsWhatIsLost)
{
    RunSpec spec = test::ThreePeers("5ms");
    spec.rounds = 200;
    spec.loss = 0.3;
    spec.deadline = "20ms";
    const RunResults results = test::Execute(spec);
    ExpectConservation(results);
    for (const PairRecord& pair : results.pairs)
    {
        EXPECT_EQ(pair.expected, 200U);
        EXPECT_NEAR(static_cast<double>(pair.lost), 60, 4 * 6.5);
    }
}

TEST(PairStatistics, ALateMessageHasArrived)
{
    RunSpec spec = test::ThreePeers("5ms");
    spec.rounds = 50;
    spec.deadline = "5ms"; // less than the latency
    const RunResults results = test::Execute(spec);
    ExpectConservation(results);
    uint64_t late = 0;
    for (const PairRecord& pair : results.pairs)
    {
        late += pair.late;
        EXPECT_NEAR(pair.GetMeanLatency(), 5.51, 0.6) << "may wait for the one before it";
    }
    EXPECT_GT(late, 100U);
}

// A learner that has left wants nothing, but the network brings it messages: of 22 datagrams with
// 10 % loss, all come with probability 0.098, so that more than 10 of 20 do with less than 1e-5.
TEST(PairStatistics, WhatNobodyWantsHasArrivedWhenItIsWhole)
{
    RunSpec spec = test::TwoClients("10Mbps");
    spec.rounds = 20;
    spec.loss = 0.1;
    spec.churn = "leave:1@5ms";
    spec.responseTimeout = "1s";
    const RunResults results = test::Execute(spec);
    const auto pair = std::find_if(results.pairs.begin(), results.pairs.end(), [](const auto& p) {
        return p.from == 0 && p.to == 1;
    });
    ASSERT_NE(pair, results.pairs.end());
    EXPECT_EQ(pair->expected, 20U);
    EXPECT_LE(pair->received + pair->late, 10U);
    if (pair->received + pair->late > 0)
    {
        // 7840 numbers of 4 bytes and 22 times 62 bytes of headers.
        EXPECT_GE(pair->GetMeanLatency(), (7840 * 4 + 22 * 62) * 8 / 10e3);
    }
}

// Byzantine learners that forge the names of others do not make messages of these.
TEST(PairStatistics, ForgedNamesDoNotCount)
{
    RunSpec spec = test::ThreePeers("5ms");
    spec.learners = 5;
    spec.byzantine = 1;
    spec.attack = "impersonate:1";
    const RunResults results = test::Execute(spec);
    for (const PairRecord& pair : results.pairs)
    {
        EXPECT_EQ(pair.expected, pair.received + pair.late + pair.lost);
        EXPECT_LE(pair.received, 10U);
    }
}

// What a server sends to its clients, and what they send back.
TEST(PairStatistics, CountsModelsAndUpdates)
{
    RunSpec spec = FedAvgPreset("pairs");
    spec.learners = 2;
    spec.rounds = 5;
    spec.network = "p2p";
    const RunResults results = test::Execute(spec);
    ASSERT_EQ(results.pairs.size(), 4U);
    for (const PairRecord& pair : results.pairs)
    {
        EXPECT_TRUE(pair.from == 0 || pair.to == 0);
        EXPECT_EQ(pair.received, 5U);
    }
}

} // namespace
} // namespace ns3::dlearn
