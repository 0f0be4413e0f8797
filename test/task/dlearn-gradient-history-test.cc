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
    const auto quadratic = CreateHistory(*task, 0);
    const auto replay = CreateHistory(*task, 10000); // a window needs the samples
    EXPECT_EQ(quadratic->GetCost(), 4U);
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
        quadratic->Add(batch);
        replay->Add(batch);
        if (round % 100 == 1)
        {
            const ModelVector theta = RandomVector(engine, 7, 10);
            quadratic->Gradient(theta, fast);
            replay->Gradient(theta, slow);
            EXPECT_LE((fast - slow).norm(), 1e-9 * slow.norm());
            EXPECT_EQ(quadratic->GetBatches(), round);
            EXPECT_EQ(quadratic->GetCost(), 4U);
            EXPECT_EQ(replay->GetBatches(), round);
            EXPECT_GE(replay->GetCost(), distinct.size()); // what an average really costs
        }
    }
}

TEST(QuadraticHistory, IsWhatLeastSquaresUsesWhenItCan)
{
    auto task = CreateObject<LeastSquaresTask>();
    task->SetData(RandomData(0, 3, 10), nullptr);
    EXPECT_EQ(CreateHistory(*task, 0)->GetCost(), 2U);
    EXPECT_EQ(CreateHistory(*task, 5)->GetCost(), 0U) << "the samples of no batch";
    task->SetAttribute("ClipNorm", DoubleValue(1));
    EXPECT_EQ(CreateHistory(*task, 0)->GetCost(), 0U);
}

} // namespace

namespace
{

// One feature, x = 1 and y = -2^i: the gradient at 0 is 2^i, so that the average names its terms.
TEST(ReplayHistory, WeighsBatchesAndForgetsTheOldest)
{
    auto data = std::make_shared<Dataset>();
    data->features = Eigen::MatrixXd::Ones(1, 6);
    data->labels.resize(6);
    data->labels << -1, -2, -4, -8, -16, -32;
    auto task = CreateObject<LeastSquaresTask>();
    task->SetData(data, nullptr);
    const auto history = CreateHistory(*task, 2);
    const ModelVector zero = ModelVector::Zero(1);
    const auto expectState = [&](double average, uint32_t batches, uint64_t cost) {
        ModelVector gradient(1);
        history->Gradient(zero, gradient);
        EXPECT_DOUBLE_EQ(gradient[0], average);
        EXPECT_EQ(history->GetBatches(), batches);
        EXPECT_EQ(history->GetCost(), cost);
    };
    EXPECT_EQ(history->GetBatches(), 0U);
    EXPECT_EQ(history->GetCost(), 0U);
    history->Add({0, 1, 2});
    expectState((1 + 2 + 4) / 3.0, 1, 3);
    history->Add({3});
    expectState(((1 + 2 + 4) / 3.0 + 8) / 2, 2, 4);
    history->Add({4, 5});
    expectState((8 + (16 + 32) / 2.0) / 2, 2, 3);
    history->Add({0});
    expectState(((16 + 32) / 2.0 + 1) / 2, 2, 3);
}

// Samples that come again, in batches of other sizes too, and leave the window one by one.
TEST(ReplayHistory, KeepsRepeatedSamplesOnce)
{
    auto data = std::make_shared<Dataset>();
    data->features = Eigen::MatrixXd::Ones(1, 2);
    data->labels.resize(2);
    data->labels << -1, -10;
    auto task = CreateObject<LeastSquaresTask>();
    task->SetData(data, nullptr);
    const ModelVector zero = ModelVector::Zero(1);
    ModelVector gradient(1);
    const auto all = CreateHistory(*task, 2000); // a window needs the samples
    for (int i = 0; i < 1000; ++i)
    {
        all->Add({0, 1, 0, 0});
    }
    EXPECT_EQ(all->GetCost(), 2U);
    EXPECT_EQ(all->GetBatches(), 1000U);
    all->Gradient(zero, gradient);
    EXPECT_DOUBLE_EQ(gradient[0], (3 * 1 + 10) / 4.0);

    const auto newest = CreateHistory(*task, 2);
    newest->Add({0, 0});
    newest->Add({0});
    newest->Add({1, 0, 0, 0});
    EXPECT_EQ(newest->GetCost(), 3U);
    newest->Gradient(zero, gradient);
    EXPECT_DOUBLE_EQ(gradient[0], (1 + (10 + 3) / 4.0) / 2);
}

} // namespace
