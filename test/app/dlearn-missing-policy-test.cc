/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-missing-policy.h"

#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

using Source = std::pair<LearnerId, ModelChannel>;

const Source STATE{4, ModelChannel::STATE};
const Source TRACKER{4, ModelChannel::TRACKER};

Arrival
Make(uint32_t round)
{
    Arrival arrival;
    arrival.values = ModelVector::Constant(2, round);
    arrival.round = round;
    return arrival;
}

TEST(MissingPolicy, OnlyWaitForMissingHoldsARound)
{
    EXPECT_TRUE(CreateObject<SkipMissing>()->MayClose());
    EXPECT_TRUE(CreateObject<LastReceived>()->MayClose());
    EXPECT_FALSE(CreateObject<WaitForMissing>()->MayClose());
}

TEST(MissingPolicy, SkipAndWaitRememberNothing)
{
    const Ptr<MissingPolicy> policies[] = {CreateObject<SkipMissing>(),
                                           CreateObject<WaitForMissing>()};
    for (const auto& policy : policies)
    {
        policy->Remember(STATE, Make(1));
        EXPECT_EQ(policy->GetStandIn(STATE), nullptr);
    }
}

TEST(MissingPolicy, LastReceivedKeepsTheNewestRoundOfEachSource)
{
    const auto policy = CreateObject<LastReceived>();
    EXPECT_EQ(policy->GetStandIn(STATE), nullptr);
    policy->Remember(STATE, Make(3));
    ASSERT_NE(policy->GetStandIn(STATE), nullptr);
    EXPECT_EQ(policy->GetStandIn(STATE)->round, 3U);
    EXPECT_EQ(policy->GetStandIn(TRACKER), nullptr);
    policy->Remember(STATE, Make(2)); // late: older than what there is
    EXPECT_EQ(policy->GetStandIn(STATE)->round, 3U);
    EXPECT_EQ(policy->GetStandIn(STATE)->values, Make(3).values);
    policy->Remember(STATE, Make(8));
    policy->Remember(TRACKER, Make(5));
    EXPECT_EQ(policy->GetStandIn(STATE)->round, 8U);
    EXPECT_EQ(policy->GetStandIn(TRACKER)->round, 5U);
    EXPECT_EQ(policy->GetStandIn({5, ModelChannel::STATE}), nullptr);
}

} // namespace
} // namespace ns3::dlearn
