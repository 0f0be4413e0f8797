/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-task-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-least-squares-task.h"
#include "ns3/double.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::dlearn;
using namespace ns3::dlearn::test;

namespace
{

// By hand: x = (1, 2), y = 5, theta = (3, -1): the residual x^T theta - y is -4.
TEST(LeastSquaresTask, KnownValues)
{
    auto data = std::make_shared<Dataset>();
    data->features = Eigen::Vector2d(1, 2);
    data->labels = ModelVector::Constant(1, 5);
    auto task = CreateObject<LeastSquaresTask>();
    task->SetAttribute("Regularization", DoubleValue(0.5));
    task->SetData(data, nullptr);
    const Eigen::Vector2d theta(3, -1);
    EXPECT_EQ(task->GetDimension(), 2U);
    EXPECT_DOUBLE_EQ(task->GetLoss(theta, EqualWeights({0})), 8 + 0.25 * 10);
    EXPECT_TRUE(GradientAt(*task, theta, EqualWeights({0}))
                    .isApprox(Eigen::Vector2d(-4 + 1.5, -8 - 0.5), 1e-15));
    const Eigen::Matrix2d hessian = (Eigen::Matrix2d() << 1.5, 2, 2, 4.5).finished();
    EXPECT_TRUE(task->GetHessian(theta, EqualWeights({0})).isApprox(hessian, 1e-15));
    EXPECT_DOUBLE_EQ(task->GetSmoothness(), 5.5);
    EXPECT_EQ(task->GetFlopsPerSample(), 8);
    EXPECT_TRUE(std::isnan(task->GetAccuracy(theta)));
}

TEST(LeastSquaresTask, OnlyClippingBoundsTheSensitivity)
{
    auto task = CreateObject<LeastSquaresTask>();
    task->SetData(RandomData(0, 3, 10), nullptr);
    EXPECT_EQ(task->GetSensitivity(), INFINITY);
    task->SetAttribute("ClipNorm", DoubleValue(1.5));
    EXPECT_EQ(task->GetSensitivity(), 3);
}

TEST(LeastSquaresTask, RefusesClasses)
{
    auto task = CreateObject<LeastSquaresTask>();
    ExpectRefused([&]() { task->SetData(RandomData(2, 3, 10), nullptr); },
                  "LeastSquaresTask: data must be those of a regression (classes = 0), got 2 "
                  "classes in 'random'");
}

} // namespace
