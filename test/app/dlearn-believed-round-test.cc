/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-believed-round.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace ns3::dlearn
{
namespace
{

const auto ALL = [](LearnerId) { return true; };

TEST(BelievedRound, IsTheLowerMedianWithoutByzantineNeighbours)
{
    BelievedRound believed(0, {1, 2, 3, 4});
    EXPECT_FALSE(believed.Get(ALL));
    believed.Note(1, 900);
    believed.Note(2, 40);
    EXPECT_FALSE(believed.Get(ALL)) << "two of four have said nothing";
    believed.Note(3, 41);
    EXPECT_EQ(believed.Get(ALL), 40U) << "of nothing, 40, 41 and 900";
    believed.Note(4, 42);
    EXPECT_EQ(believed.Get(ALL), 41U);
    EXPECT_EQ(believed.Get([](LearnerId n) { return n != 3; }), 42U) << "of 40, 42 and 900";
    EXPECT_EQ(believed.Get([](LearnerId n) { return n == 1; }), 900U);
    EXPECT_FALSE(believed.Get([](LearnerId) { return false; }));
}

TEST(BelievedRound, KeepsTheNewestOfEachNeighbour)
{
    BelievedRound believed(0, {1});
    believed.Note(1, 7);
    believed.Note(1, 5);
    believed.Note(2, 100); // no neighbour
    EXPECT_EQ(believed.Get(ALL), 7U);
    EXPECT_EQ(believed.GetNewest(1), 7U);
    EXPECT_FALSE(believed.GetNewest(2));
    believed.Reset();
    EXPECT_FALSE(believed.Get(ALL));
}

// Whatever f of n neighbours say, the round is one that some honest neighbour has reached, and
// with all heard at least the (f + 1)-th highest of the honest ones.
TEST(BelievedRound, LiesWithinWhatHonestNeighboursReached)
{
    std::mt19937_64 engine(1);
    for (uint32_t trial = 0; trial < 2000; ++trial)
    {
        const uint32_t n = 1 + engine() % 9;
        const uint32_t f = engine() % 4;
        std::set<LearnerId> neighbors;
        for (LearnerId id = 0; id < n; ++id)
        {
            neighbors.insert(id);
        }
        BelievedRound believed(f, neighbors);
        std::vector<uint32_t> honest;
        for (LearnerId id = 0; id < n; ++id)
        {
            const uint32_t round = id < f ? 1000 * (engine() % 2) : 100 + engine() % 50;
            believed.Note(id, round);
            if (id >= f)
            {
                honest.push_back(round);
            }
        }
        const auto round = believed.Get(ALL);
        ASSERT_EQ(round.has_value(), n > f);
        if (round && f > 0)
        {
            std::sort(honest.rbegin(), honest.rend());
            EXPECT_LE(*round, honest.front());
            EXPECT_GE(*round, honest.size() > f ? honest[f] : 0);
        }
    }
}

} // namespace
} // namespace ns3::dlearn
