/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-repair-progress.h"

#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

TEST(RepairMethod, ReadsTheTextsOfTheManual)
{
    struct Case
    {
        const char* text;
        bool polls;
        bool parity;
        double share;
    };

    for (const Case& known : {Case{"none", false, false, 0},
                              Case{"nack", true, false, 0},
                              Case{"fec:0.001", false, true, 0.001},
                              Case{"fec:4", false, true, 4},
                              Case{"both", true, true, 0},
                              Case{"both:0.5", true, true, 0.5}})
    {
        const auto method = RepairMethod::Parse(known.text);
        ASSERT_TRUE(method) << known.text;
        EXPECT_EQ(method->polls, known.polls) << known.text;
        EXPECT_EQ(method->parity, known.parity) << known.text;
        EXPECT_EQ(method->share, known.share) << known.text;
    }
    for (const char* unknown : {"",
                                "fec",
                                "fec:",
                                "fec:0",
                                "fec:4.1",
                                "fec:x",
                                "nack:1",
                                "none:1",
                                "both:",
                                "both:-1",
                                "Nack"})
    {
        EXPECT_FALSE(RepairMethod::Parse(unknown)) << unknown;
    }
}

} // namespace
} // namespace ns3::dlearn
