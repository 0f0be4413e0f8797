/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-dataset.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace
{

using namespace ns3::dlearn;

TEST(TrainTestSplit, EverySampleIsInOnePart)
{
    for (const uint32_t samples : {2U, 3U, 10U, 997U})
    {
        const auto split = SplitTrainTest(samples, 0.4, 3);
        EXPECT_EQ(split.test.size(), size_t(std::lround(0.4 * samples)));
        EXPECT_TRUE(std::is_sorted(split.train.begin(), split.train.end()));
        EXPECT_TRUE(std::is_sorted(split.test.begin(), split.test.end()));
        SampleIndices all(split.train);
        all.insert(all.end(), split.test.begin(), split.test.end());
        std::sort(all.begin(), all.end());
        ASSERT_EQ(all.size(), samples);
        for (uint32_t k = 0; k < samples; ++k)
        {
            EXPECT_EQ(all[k], k);
        }
    }
    EXPECT_EQ(SplitTrainTest(997, 0.2, 3).test, SplitTrainTest(997, 0.2, 3).test);
    EXPECT_NE(SplitTrainTest(997, 0.2, 3).test, SplitTrainTest(997, 0.2, 4).test);
}

/** Fails with probability of at most 10 x 4e-8 (normal approximation) for a random seed. */
TEST(TrainTestSplit, EverySampleIsEquallyLikelyToBeATest)
{
    constexpr int repetitions = 4000;
    std::vector<double> counts(10);
    for (int stream = 0; stream < repetitions; ++stream)
    {
        const auto split = SplitTrainTest(10, 0.3, stream);
        for (const auto sample : split.test)
        {
            ++counts[sample];
        }
    }
    const double deviation = std::sqrt(repetitions * 0.3 * 0.7);
    for (const double count : counts)
    {
        EXPECT_NEAR(count, 0.3 * repetitions, 5.5 * deviation);
    }
}

TEST(TrainTestSplit, RefusesEmptyParts)
{
    const auto expectRefused = [](uint32_t samples, double fraction, const std::string& message) {
        ExpectRefused([=] { SplitTrainTest(samples, fraction, 0); }, message);
    };
    const std::string rule = "test fraction must be greater than 0 and less than 1, got ";
    expectRefused(10, 0, rule + "0");
    expectRefused(10, 1, rule + "1");
    expectRefused(10, NAN, rule + "nan");
    const std::string parts = ": both parts must have a sample, got ";
    expectRefused(10, 0.04, parts + "0 of 10 samples for the test");
    expectRefused(10, 0.96, parts + "10 of 10 samples for the test");
    expectRefused(1, 0.5, parts + "1 of 1 samples for the test");
    expectRefused(0, 0.5, parts + "0 of 0 samples for the test");
}

} // namespace
