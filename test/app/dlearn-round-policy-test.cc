/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-greedy-policy.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-round-policy.h"
#include "ns3/double.h"

#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

RoundStatus
Status(uint32_t expected, uint32_t received, uint32_t waitable, Time elapsed = Time(0))
{
    return {expected, received, waitable, elapsed};
}

TEST(RoundPolicy, AllWaitsForAllThatAreAlive)
{
    const auto policy = CreateObject<AllPolicy>();
    EXPECT_EQ(policy->GetDeadline(), Time(0));
    EXPECT_FALSE(policy->ShouldClose(Status(3, 0, 3)));
    EXPECT_FALSE(policy->ShouldClose(Status(3, 2, 1, Hours(1))));
    EXPECT_TRUE(policy->ShouldClose(Status(3, 3, 0)));
    EXPECT_TRUE(policy->ShouldClose(Status(3, 1, 0))); // two are suspected
    EXPECT_TRUE(policy->ShouldClose(Status(0, 0, 0))); // no neighbour
    EXPECT_EQ(policy->CountEnough(3), 3U);
    EXPECT_EQ(policy->CountEnough(0), 0U);
}

TEST(RoundPolicy, OwnPolicyIsNotAskedWhenNothingMayCome)
{
    const auto policy = CreateObject<test::GreedyPolicy>();
    EXPECT_FALSE(policy->ShouldClose(Status(3, 2, 1, Hours(1))));
    EXPECT_TRUE(policy->ShouldClose(Status(3, 2, 0)));
}

TEST(RoundPolicy, DeadlineClosesExactlyThen)
{
    const auto policy = CreateObject<DeadlinePolicy>();
    EXPECT_EQ(policy->GetDeadline(), MilliSeconds(100)); // the documented default
    policy->SetAttribute("Deadline", TimeValue(MilliSeconds(30)));
    EXPECT_EQ(policy->GetDeadline(), MilliSeconds(30));
    EXPECT_FALSE(policy->ShouldClose(Status(3, 2, 1, MilliSeconds(30) - NanoSeconds(1))));
    EXPECT_TRUE(policy->ShouldClose(Status(3, 2, 1, MilliSeconds(30))));
    EXPECT_TRUE(policy->ShouldClose(Status(3, 0, 3, MilliSeconds(31))));
    EXPECT_TRUE(policy->ShouldClose(Status(3, 3, 0, Time(0)))); // all have arrived
    EXPECT_TRUE(policy->ShouldClose(Status(3, 0, 0, Time(0)))); // none will arrive
    EXPECT_EQ(policy->CountEnough(3), 3U) << "they come in time";
    EXPECT_FALSE(policy->SetAttributeFailSafe("Deadline", TimeValue(Time(0))));
}

TEST(RoundPolicy, QuorumCountsTheShareOfTheExpectedRoundedUp)
{
    const struct
    {
        double fraction;
        uint32_t expected;
        uint32_t enough;
    } rows[] = {
        {0.5, 4, 2},
        {0.5, 5, 3},
        {0.5, 1, 1},
        {1.0, 4, 4},
        {0.0, 4, 0},
        {0.3, 10, 3},   // 0.3 * 10 > 3 in binary fractions would ask for 4
        {0.1, 30, 3},   // the same
        {0.55, 20, 11}, // 0.55 * 20 = 11.000000000000002
        {0.31, 10, 4},
        {2.0 / 3, 3, 2},
        {1e-6, 4, 1},
    };

    const auto policy = CreateObject<QuorumPolicy>();
    EXPECT_EQ(policy->GetDeadline(), Time(0));
    for (const auto& row : rows)
    {
        policy->SetAttribute("Fraction", DoubleValue(row.fraction));
        for (uint32_t received = 0; received <= row.expected; ++received)
        {
            const bool closes = policy->ShouldClose(Status(row.expected, received, 1));
            EXPECT_EQ(closes, received >= row.enough)
                << row.fraction << " of " << row.expected << ", " << received << " there";
        }
        EXPECT_TRUE(policy->ShouldClose(Status(row.expected, 0, 0))); // no message will arrive
        EXPECT_EQ(policy->CountEnough(row.expected), row.enough);
    }
    EXPECT_FALSE(policy->SetAttributeFailSafe("Fraction", DoubleValue(1.01)));
    EXPECT_FALSE(policy->SetAttributeFailSafe("Fraction", DoubleValue(-0.01)));
}

TEST(RoundPolicy, AsynchronousLooksAtTheClockOnly)
{
    const auto policy = CreateObject<AsynchronousPolicy>();
    EXPECT_TRUE(policy->IsAsynchronous());
    EXPECT_FALSE(CreateObject<AllPolicy>()->IsAsynchronous());
    EXPECT_EQ(policy->GetDeadline(), Time(0));
    EXPECT_TRUE(policy->ShouldClose(Status(3, 0, 3, NanoSeconds(1))));
    ExpectRefused([&] { policy->ShouldClose(Status(3, 3, 0, Time(0))); },
                  "AsynchronousPolicy: a round must take some time, but neither computation nor "
                  "Period does");
    policy->SetAttribute("Period", TimeValue(MilliSeconds(30)));
    EXPECT_EQ(policy->GetDeadline(), MilliSeconds(30));
    EXPECT_FALSE(policy->ShouldClose(Status(3, 3, 0, Time(0))));
    EXPECT_FALSE(policy->ShouldClose(Status(3, 3, 0, MilliSeconds(30) - NanoSeconds(1))));
    EXPECT_TRUE(policy->ShouldClose(Status(3, 0, 3, MilliSeconds(30))));
}

} // namespace
} // namespace ns3::dlearn
