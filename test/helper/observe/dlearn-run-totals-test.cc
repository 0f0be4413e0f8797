/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-run-totals.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace ns3::dlearn
{
namespace
{

const double NONE = Evaluation::NONE;

/** @return a row of a round, with what counts */
ResultRow
MakeRow(const std::string& role,
        uint32_t round,
        uint64_t bytes,
        uint32_t expected,
        uint32_t received,
        double epsilon)
{
    ResultRow row;
    row.role = role;
    row.record.round = round;
    row.record.txBytes = bytes;
    row.record.expected = expected;
    row.record.received = received;
    row.record.epsilon = epsilon;
    return row;
}

// All numbers below are small whole ones or halves: sums are exact.

TEST(RunTotals, PeersCountWithTheRoundsBetweenEvaluations)
{
    // Two peers, rounds 0 to 4; 1 and 3 are evaluated. Peer 2 missed messages in rounds 1 and 4.
    std::vector<ResultRow> rows{MakeRow("peer", 0, 100, 2, 2, 0.5),
                                MakeRow("peer", 0, 10, 2, 2, 1),
                                MakeRow("peer", 1, 100, 2, 2, 1),
                                MakeRow("peer", 1, 20, 2, 0, 2),
                                MakeRow("peer", 2, 100, 2, 1, 1.5),
                                MakeRow("peer", 2, 30, 2, 1, 2.5),
                                MakeRow("peer", 3, 1000, 2, 2, 4),
                                MakeRow("peer", 3, 40, 2, 2, 3),
                                MakeRow("peer", 4, 7777, 2, 0, 99),
                                MakeRow("peer", 4, 7777, 2, 0, 99)};
    for (int order = 0; order < 2; ++order)
    {
        const auto totals = AddUpTo(rows, {1, 3});
        ASSERT_EQ(totals.size(), 2U);
        EXPECT_EQ(totals[0].bytes, 230U); // 100 + 10 + 100 + 20
        EXPECT_EQ(totals[0].expected, 8U);
        EXPECT_EQ(totals[0].received, 6U);
        EXPECT_EQ(totals[0].epsilon, 2);
        EXPECT_EQ(totals[0].GetDeliveredShare(), 0.75);
        EXPECT_EQ(totals[1].bytes, 1400U); // and 130 + 1040; round 4 never
        EXPECT_EQ(totals[1].expected, 16U);
        EXPECT_EQ(totals[1].received, 12U); // and 2 + 4
        EXPECT_EQ(totals[1].epsilon, 4);
        EXPECT_EQ(totals[1].GetDeliveredShare(), 0.75);
        std::reverse(rows.begin(), rows.end()); // rows may come in any order
    }
}

TEST(RunTotals, OnlyTheServersMessagesCountAndOnlyTheHonestSpend)
{
    // Three clients, one of them byzantine; the server has no account, and hears 2 of 3.
    const std::vector<ResultRow> rows{MakeRow("server", 0, 300, 3, 2, NONE),
                                      MakeRow("client", 0, 50, 1, 1, 0.25),
                                      MakeRow("client", 0, 60, 1, 0, 0.75),
                                      MakeRow("byzantine", 0, 7, 1, 1, 1e9),
                                      MakeRow("server", 1, 300, 3, 3, NONE),
                                      MakeRow("client", 1, 50, 1, 1, 0.5)};
    const auto totals = AddUpTo(rows, {0, 1});
    ASSERT_EQ(totals.size(), 2U);
    EXPECT_EQ(totals[0].bytes, 417U); // 300 + 50 + 60 + 7
    EXPECT_EQ(totals[0].expected, 3U);
    EXPECT_EQ(totals[0].received, 2U);
    EXPECT_EQ(totals[0].epsilon, 0.75);
    EXPECT_EQ(totals[1].bytes, 767U); // and 350
    EXPECT_EQ(totals[1].expected, 6U);
    EXPECT_EQ(totals[1].received, 5U);
    EXPECT_EQ(totals[1].epsilon, 0.75) << "what was spent stays spent";
}

TEST(RunTotals, ByzantinePeersAwaitNothing)
{
    const auto totals =
        AddUpTo({MakeRow("peer", 0, 8, 2, 1, 0.5), MakeRow("byzantine", 0, 4, 2, 0, 5)}, {0});
    ASSERT_EQ(totals.size(), 1U);
    EXPECT_EQ(totals[0].bytes, 12U);
    EXPECT_EQ(totals[0].GetDeliveredShare(), 0.5);
    EXPECT_EQ(totals[0].epsilon, 0.5);
}

TEST(RunTotals, WhatIsUnknownIsNotANumber)
{
    // No account anywhere, no message expected, a round that no learner closed.
    const auto totals = AddUpTo({MakeRow("peer", 1, 5, 0, 0, NONE)}, {0, 1, 2});
    ASSERT_EQ(totals.size(), 3U);
    EXPECT_EQ(totals[0].bytes, 0U);
    EXPECT_EQ(totals[1].bytes, 5U);
    EXPECT_EQ(totals[2].bytes, 5U);
    EXPECT_TRUE(std::isnan(totals[2].epsilon));
    EXPECT_TRUE(std::isnan(totals[2].GetDeliveredShare()));
    EXPECT_TRUE(AddUpTo({MakeRow("peer", 1, 5, 0, 0, NONE)}, {}).empty());
    EXPECT_EQ(AddUpTo({}, {3}).at(0).bytes, 0U);
    // An infinite epsilon is one, and stays.
    const auto endless =
        AddUpTo({MakeRow("client", 0, 0, 0, 0, HUGE_VAL), MakeRow("client", 1, 0, 0, 0, 1)},
                {0, 1});
    EXPECT_EQ(endless[1].epsilon, HUGE_VAL);
}

} // namespace
} // namespace ns3::dlearn
