/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-neighbor-watch.h"

#include <gtest/gtest.h>

namespace ns3
{
namespace dlearn
{
namespace
{

TEST(NeighborWatch, GivesUpAfterToleranceMissesInARow)
{
    for (const uint32_t tolerance : {1U, 2U, 5U})
    {
        NeighborWatch watch(tolerance);
        for (uint32_t missed = 0; missed < tolerance; ++missed)
        {
            EXPECT_TRUE(watch.IsAlive(3)) << missed << " of " << tolerance;
            watch.Missed(3);
        }
        EXPECT_FALSE(watch.IsAlive(3));
        watch.Missed(3);
        EXPECT_FALSE(watch.IsAlive(3));
        EXPECT_TRUE(watch.IsAlive(4)); // nobody else
    }
}

TEST(NeighborWatch, OneMessageBringsANeighbourBack)
{
    NeighborWatch watch(2);
    watch.Missed(3);
    watch.Heard(3);
    watch.Missed(3);
    EXPECT_TRUE(watch.IsAlive(3)); // not two in a row
    watch.Missed(3);
    EXPECT_FALSE(watch.IsAlive(3));
    watch.Heard(3);
    EXPECT_TRUE(watch.IsAlive(3));
    watch.Missed(3);
    EXPECT_TRUE(watch.IsAlive(3)); // starts from zero
}

TEST(NeighborWatch, ResetForgives)
{
    NeighborWatch watch(1);
    watch.Missed(3);
    watch.Missed(4);
    watch.Reset();
    EXPECT_TRUE(watch.IsAlive(3));
    EXPECT_TRUE(watch.IsAlive(4));
}

TEST(NeighborWatch, RefusesNoTolerance)
{
    ExpectRefused([] { NeighborWatch(0); }, "NeighborWatch: tolerance must be at least 1, got 0");
}

} // namespace
} // namespace dlearn
} // namespace ns3
