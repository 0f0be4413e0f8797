/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-privacy-unit.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace
{

using namespace ns3;
using namespace ns3::dlearn;

// By definition: the gradient is the mean over the batches in the window, each the mean of its
// samples; the share of a record is its part in that.
TEST(SampleUnit, SharesAreThoseOfTheDefinition)
{
    const SampleIndices shard{7, 3, 11, 5};
    std::mt19937 generator(5);
    for (const uint32_t window : {0U, 1U, 3U})
    {
        const auto unit = CreateObject<SampleUnit>();
        unit->Setup(shard, window);
        EXPECT_EQ(unit->GetUnits(), 4U);
        std::vector<SampleIndices> batches;
        for (uint32_t t = 0; t < 20; ++t)
        {
            SampleIndices batch(1 + t % 3);
            for (uint32_t& sample : batch)
            {
                sample = shard[generator() % shard.size()];
            }
            batches.push_back(batch);
            unit->Take(batch);
            EXPECT_EQ(unit->GetParts(batch.size()), batch.size());
            const size_t kept = window == 0 ? t + 1 : std::min(t + 1, window);
            const Eigen::ArrayXd shares = unit->GetShares();
            for (size_t record = 0; record < shard.size(); ++record)
            {
                double share = 0;
                for (size_t k = batches.size() - kept; k < batches.size(); ++k)
                {
                    const auto times =
                        std::count(batches[k].begin(), batches[k].end(), shard[record]);
                    share += 1.0 * times / batches[k].size() / kept;
                }
                ASSERT_NEAR(shares[record], share, 1e-15) << window << " " << t;
            }
            ASSERT_NEAR(shares.sum(), 1, 1e-14);
        }
    }
}

TEST(BatchUnit, IsOnePartOfTheWindow)
{
    const auto all = CreateObject<BatchUnit>();
    all->Setup({0, 1}, 0);
    const auto newest = CreateObject<BatchUnit>();
    newest->Setup({0, 1}, 2);
    for (uint32_t t = 0; t < 5; ++t)
    {
        all->Take({0});
        newest->Take({1});
        EXPECT_EQ(all->GetParts(1), t + 1);
        EXPECT_EQ(all->GetShares()[0], 1.0 / (t + 1));
        EXPECT_EQ(newest->GetParts(1), std::min(t + 1, 2U));
    }
    EXPECT_EQ(all->GetUnits(), 1U);
}

TEST(LearnerUnit, IsTheWholeGradient)
{
    const auto unit = CreateObject<LearnerUnit>();
    unit->Setup({0, 1}, 0);
    unit->Take({0});
    EXPECT_EQ(unit->GetParts(1), 1U);
    EXPECT_EQ(unit->GetUnits(), 1U);
    EXPECT_EQ(unit->GetShares()[0], 1);
}

TEST(SampleUnit, RefusesNothing)
{
    const auto unit = CreateObject<SampleUnit>();
    ExpectRefused([&] { unit->Setup({}, 0); }, "SampleUnit: the shard must not be empty");
    unit->Setup({1}, 0);
    ExpectRefused([&] { unit->Take({}); }, "SampleUnit: a batch must not be empty");
}

} // namespace
