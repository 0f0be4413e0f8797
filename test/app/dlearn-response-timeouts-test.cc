/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-response-timeouts.h"

#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

TEST(ResponseTimeouts, AreWhatIsChosen)
{
    const auto timeouts = ChooseTimeouts({MilliSeconds(5), MilliSeconds(7)}, Seconds(1), Hours(1));
    EXPECT_EQ(timeouts.response, MilliSeconds(5));
    EXPECT_EQ(timeouts.suspicion, MilliSeconds(7));
}

TEST(ResponseTimeouts, AreTheLeastWhereNothingIsKnown)
{
    const auto timeouts = ChooseTimeouts({}, Seconds(3), Time(0));
    EXPECT_EQ(timeouts.response, Seconds(3));
    EXPECT_EQ(timeouts.suspicion, Seconds(6));
}

TEST(ResponseTimeouts, FollowTheTimeOfMessages)
{
    const auto timeouts = ChooseTimeouts({}, Seconds(3), Seconds(10));
    EXPECT_EQ(timeouts.response, Seconds(40));
    EXPECT_EQ(timeouts.suspicion, Seconds(80));
}

TEST(ResponseTimeouts, OneMayBeChosenAlone)
{
    const auto soon = ChooseTimeouts({MilliSeconds(5), Time(0)}, Seconds(1), Seconds(10));
    EXPECT_EQ(soon.response, MilliSeconds(5));
    EXPECT_EQ(soon.suspicion, Seconds(2)); // several messages may be late
    const auto late = ChooseTimeouts({Seconds(8), Time(0)}, Seconds(1), Time(0));
    EXPECT_EQ(late.suspicion, Seconds(16));
    const auto other = ChooseTimeouts({Time(0), Seconds(3)}, Seconds(1), Seconds(10));
    EXPECT_EQ(other.response, Seconds(40));
    EXPECT_EQ(other.suspicion, Seconds(3));
}

} // namespace
} // namespace ns3::dlearn
