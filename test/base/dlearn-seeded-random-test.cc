/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "data/dlearn-data-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-seeded-random.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>

namespace
{

using namespace ns3;
using namespace ns3::dlearn;
using namespace ns3::dlearn::test;

TEST(SeededRandom, OffsetsSelectStreams)
{
    const auto draw = [](int64_t stream, int64_t offset) {
        return CreateSeeded<UniformRandomVariable>(stream, offset)->GetValue(0, 1);
    };
    EXPECT_EQ(draw(7, 1), draw(7, 1));
    EXPECT_EQ(draw(7, 1), draw(8, 0));
    EXPECT_NE(draw(7, 1), draw(7, 0));
    // Automatic streams: each variable its own, and none of the fixed ones.
    EXPECT_NE(draw(-1, 1), draw(-1, 1));
    EXPECT_NE(draw(-1, 1), draw(0, 0));
}

/** Fails with probability of at most about 1e-6 for a random seed. */
TEST(SeededRandom, EveryOrderIsEquallyLikely)
{
    const auto random = CreateSeeded<UniformRandomVariable>(11, 0);
    std::map<SampleIndices, double> orders;
    for (int repetition = 0; repetition < 24000; ++repetition)
    {
        ++orders[RandomOrder(4, *random)];
    }
    ASSERT_EQ(orders.size(), 24U); // 4!
    std::vector<double> counts;
    for (const auto& [order, count] : orders)
    {
        EXPECT_TRUE(
            std::is_permutation(order.begin(), order.end(), SampleIndices{0, 1, 2, 3}.begin()));
        counts.push_back(count);
    }
    EXPECT_LT(ChiSquare(counts), ChiSquareBound(counts.size()));
}

TEST(SeededRandom, ShufflesNothingAndOne)
{
    const auto random = CreateSeeded<UniformRandomVariable>(11, 0);
    EXPECT_TRUE(RandomOrder(0, *random).empty());
    SampleIndices one{5};
    Shuffle(one, *random);
    EXPECT_EQ(one, SampleIndices{5});
}

} // namespace
