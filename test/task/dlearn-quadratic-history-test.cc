/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-task-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-gradient-history.h"
#include "ns3/dlearn-linear-tasks.h"
#include "ns3/double.h"

#include <gtest/gtest.h>
#include <set>

using namespace ns3;
using namespace ns3::dlearn;
using namespace ns3::dlearn::test;

namespace
{

// Both sum 2000 batches in their own order; sums of that length agree to about 1e-13.
TEST(QuadraticHistory, EqualsReplayAtConstantCost)
{
    Engine engine(3);
    auto task = CreateObject<LeastSquaresTask>();
    task->SetAttribute("Regularization", DoubleValue(0.1));
    task->SetData(RandomData(0, 7, 300), nullptr);
    QuadraticHistory quadratic(*task);
    ReplayHistory replay(*task, 0);
    EXPECT_EQ(quadratic.GetCost(), 4U);
    ModelVector fast(7);
    ModelVector slow(7);
    std::set<uint32_t> distinct;
    for (uint32_t round = 1; round <= 2000; ++round)
    {
        SampleIndices batch(1 + engine() % 4);
        for (uint32_t& index : batch)
        {
            index = engine() % 300;
        }
        distinct.insert(batch.begin(), batch.end());
        quadratic.Add(batch);
        replay.Add(batch);
        if (round % 100 == 1)
        {
            const ModelVector theta = RandomVector(engine, 7, 10);
            quadratic.Gradient(theta, fast);
            replay.Gradient(theta, slow);
            EXPECT_LE((fast - slow).norm(), 1e-9 * slow.norm());
            EXPECT_EQ(quadratic.GetBatches(), round);
            EXPECT_EQ(quadratic.GetCost(), 4U);
            EXPECT_EQ(replay.GetBatches(), round);
            EXPECT_GE(replay.GetCost(), distinct.size()); // what an average really costs
        }
    }
}

TEST(QuadraticHistory, IsWhatLeastSquaresUsesWhenItCan)
{
    auto task = CreateObject<LeastSquaresTask>();
    task->SetData(RandomData(0, 3, 10), nullptr);
    EXPECT_TRUE(dynamic_cast<QuadraticHistory*>(CreateHistory(*task, 0).get()));
    EXPECT_TRUE(dynamic_cast<ReplayHistory*>(CreateHistory(*task, 5).get()));
    task->SetAttribute("ClipNorm", DoubleValue(1));
    EXPECT_TRUE(dynamic_cast<ReplayHistory*>(CreateHistory(*task, 0).get()));
    ExpectRefused([&]() { QuadraticHistory history(*task); },
                  "QuadraticHistory: ClipNorm must be 0, got 1");
}

} // namespace
