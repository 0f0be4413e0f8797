/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-client-sampling.h"
#include "ns3/double.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <gtest/gtest.h>
#include <map>

namespace ns3::dlearn
{
namespace
{

using Clients = std::vector<LearnerId>;

const Clients TEN{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};

/** @return a sampling of ten clients on a stream of its own */
Ptr<UniformSampling>
MakeUniform(double fraction, uint32_t count, int64_t stream = 7)
{
    auto sampling = CreateObject<UniformSampling>();
    sampling->SetAttribute("Fraction", DoubleValue(fraction));
    sampling->SetAttribute("Count", UintegerValue(count));
    EXPECT_EQ(sampling->AssignStreams(stream), 1);
    sampling->Setup(TEN);
    return sampling;
}

TEST(UniformSampling, TakesAsManyAsItSays)
{
    EXPECT_EQ(MakeUniform(1, 0)->Choose(0), TEN);
    EXPECT_EQ(MakeUniform(1, 10)->Choose(0), TEN);
    const std::map<double, size_t> sizes{{0.01, 1}, {0.14, 1}, {0.16, 2}, {0.3, 3}, {0.95, 10}};
    for (const auto& [fraction, size] : sizes)
    {
        const auto sampling = MakeUniform(fraction, 0);
        EXPECT_EQ(sampling->Choose(0).size(), size) << fraction;
        EXPECT_EQ(sampling->CountChosen().fewest, size) << fraction;
        EXPECT_EQ(sampling->CountChosen().most, size) << fraction;
    }
    EXPECT_EQ(MakeUniform(0.1, 7)->Choose(0).size(), 7U) << "Count goes before Fraction";
}

// 20000 draws of 3 out of 10: each client is in B(20000, 0.3) of them and each pair in
// B(20000, 1/15). Beyond 6 standard deviations with probability 2e-9 each, 1e-7 in all.
TEST(UniformSampling, IsUniformOverSets)
{
    constexpr uint32_t DRAWS = 20000;
    const auto sampling = MakeUniform(0.3, 0);
    std::map<LearnerId, uint32_t> single;
    std::map<std::pair<LearnerId, LearnerId>, uint32_t> pairs;
    for (uint32_t round = 0; round < DRAWS; ++round)
    {
        const Clients chosen = sampling->Choose(round);
        ASSERT_EQ(chosen.size(), 3U);
        for (size_t a = 0; a < 3; ++a)
        {
            ++single[chosen[a]];
            for (size_t b = a + 1; b < 3; ++b)
            {
                ASSERT_LT(chosen[a], chosen[b]); // in order, none twice
                ++pairs[{chosen[a], chosen[b]}];
            }
        }
    }
    ASSERT_EQ(single.size(), 10U);
    ASSERT_EQ(pairs.size(), 45U);
    const auto check = [](uint32_t count, double p) {
        EXPECT_NEAR(count, DRAWS * p, 6 * std::sqrt(DRAWS * p * (1 - p)));
    };
    for (const auto& [client, count] : single)
    {
        check(count, 0.3);
    }
    for (const auto& [pair, count] : pairs)
    {
        check(count, 1.0 / 15);
    }
}

TEST(UniformSampling, IsFixedByItsStream)
{
    const auto same = [](int64_t a, int64_t b) {
        const auto first = MakeUniform(0.5, 0, a);
        const auto second = MakeUniform(0.5, 0, b);
        bool equal = true;
        for (uint32_t round = 0; round < 20; ++round)
        {
            equal = first->Choose(round) == second->Choose(round) && equal;
        }
        return equal;
    };
    EXPECT_TRUE(same(5, 5));
    EXPECT_FALSE(same(5, 6)); // equal with probability 252^-20
}

TEST(UniformSampling, RefusesWhatDoesNotFit)
{
    ExpectRefused([] { MakeUniform(0, 0); }, "UniformSampling: Fraction must be in (0, 1], got 0");
    ExpectRefused([] { MakeUniform(1, 11); },
                  "UniformSampling: Count must be at most the number of clients, 10; got 11");
}

/** @return a plan for ten clients */
Ptr<ScheduledSampling>
MakePlan(const std::string& plan)
{
    auto sampling = CreateObject<ScheduledSampling>();
    sampling->SetAttribute("Plan", StringValue(plan));
    sampling->Setup(TEN);
    EXPECT_EQ(sampling->AssignStreams(1), 0);
    return sampling;
}

TEST(ScheduledSampling, FollowsThePlanAndRepeatsIt)
{
    const auto sampling = MakePlan("1-3;5,4;10");
    for (const uint32_t start : {0, 3, 300})
    {
        EXPECT_EQ(sampling->Choose(start), (Clients{1, 2, 3}));
        EXPECT_EQ(sampling->Choose(start + 1), (Clients{4, 5})); // in order
        EXPECT_EQ(sampling->Choose(start + 2), Clients{10});
    }
    EXPECT_EQ(sampling->CountChosen().fewest, 1U);
    EXPECT_EQ(sampling->CountChosen().most, 3U);
    EXPECT_EQ(MakePlan("1-1")->Choose(9), Clients{1});
    EXPECT_EQ(MakePlan("8,1-3,10")->Choose(0), (Clients{1, 2, 3, 8, 10}));
    EXPECT_EQ(MakePlan("1;2;")->Choose(2), Clients{1}); // a last semicolon changes nothing
}

TEST(ScheduledSampling, RefusesWhatIsNoPlan)
{
    ExpectRefused([] { MakePlan(""); }, "sample plan: must not be empty");
    for (const std::string round : {"x", "3-1,2", "1-2-3", "", "1,,2", "0-1000000"})
    {
        ExpectRefused([&] { MakePlan("1;" + round + ";2"); },
                      "sample plan: must be clients or ranges such as 1-3;4,5, got '" + round +
                          "' in '1;" + round + ";2'");
    }
    ExpectRefused([] { MakePlan("1-3,2"); },
                  "sample plan: a round must name clients, each once; got '1-3,2'");
    for (const std::string client : {"0", "11"})
    {
        ExpectRefused([&] { MakePlan("1;" + client); },
                      "sample plan: there is no client " + client + ", see '1;" + client);
    }
    // The largest number there is must not make the reading of a range run over.
    ExpectRefused([] { MakePlan("4294967295"); }, "there is no client 4294967295");
    ExpectRefused([] { MakePlan("4294967290-4294967295"); }, "there is no client 4294967290");
}

TEST(DrawWithoutReplacement, RefusesToDrawMoreThanThereAre)
{
    const auto random = CreateObject<UniformRandomVariable>();
    EXPECT_TRUE(DrawWithoutReplacement({}, 0, *random).empty());
    EXPECT_EQ(DrawWithoutReplacement({4, 2}, 2, *random), (Clients{2, 4}));
    ExpectRefused([&] { DrawWithoutReplacement({1}, 2, *random); }, "2 of 1");
}

} // namespace
} // namespace ns3::dlearn
