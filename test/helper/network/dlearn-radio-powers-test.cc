/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-placement.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

TEST(RadioPowers, AreTheSameForAllOrDrawnFromARange)
{
    EXPECT_EQ(DrawPowers("17.5", 3, 1), std::vector<double>(3, 17.5));
    EXPECT_EQ(DrawPowers("-3:-3", 2, 1), std::vector<double>(2, -3));
    const auto powers = DrawPowers("10:20", 1000, 1);
    EXPECT_EQ(DrawPowers("10:20", 1000, 1), powers) << "the stream decides";
    EXPECT_NE(DrawPowers("10:20", 1000, 2), powers);
    const auto [least, most] = std::minmax_element(powers.begin(), powers.end());
    // Missing the outer 2 percent at either end has probability 2 * 0.98^1000 < 4e-9.
    EXPECT_GE(*least, 10);
    EXPECT_LT(*least, 10.2);
    EXPECT_LE(*most, 20);
    EXPECT_GT(*most, 19.8);
}

TEST(RadioPowers, RefuseWhatIsNoRange)
{
    for (const std::string text : {"", "x", "20:10", "1:2:3", ":", "5:", "nan", "1:inf"})
    {
        ExpectRefused([&] { DrawPowers(text, 2, 1); },
                      "powers must be a number of dBm or a range of two, LOW:HIGH, got '" + text +
                          "'");
    }
}

} // namespace
} // namespace ns3::dlearn
