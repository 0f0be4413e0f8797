/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-task-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-data-generator.h"
#include "ns3/dlearn-sine-task.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::dlearn;
using namespace ns3::dlearn::test;

namespace
{

/**
 * @param xi features, one a sample
 * @param labels one a sample
 * @return the task on data of one feature
 */
Ptr<SineTask>
MakeTask(const Eigen::VectorXd& xi, const Eigen::VectorXd& labels)
{
    auto data = std::make_shared<Dataset>();
    data->features = xi.transpose();
    data->labels = labels;
    auto task = CreateObject<SineTask>();
    task->SetData(data, nullptr);
    return task;
}

double
LossAt(const Task& task, double x)
{
    return task.GetLoss(Eigen::VectorXd::Constant(1, x),
                        EqualWeights(Range(0, task.GetTrain().GetSize())));
}

// The example as the paper prints it, and the mean over xi that it states.
TEST(SineTask, IsTheExampleOfThePaper)
{
    const auto one = MakeTask(Eigen::VectorXd::Constant(1, 0.7), Eigen::VectorXd::Zero(1));
    const auto mean = MakeTask(Eigen::Vector2d(1.3, -1.3), Eigen::Vector2d::Zero());
    for (double x = -5; x <= 5; x += 0.37)
    {
        const double squared = std::sin(x) * std::sin(x);
        EXPECT_NEAR(LossAt(*one, x), x * x + 3.7 * squared + 1.4 * std::cos(x), 1e-13);
        EXPECT_NEAR(LossAt(*mean, x), x * x + 3 * squared, 1e-13);
    }
    EXPECT_LT(LossAt(*mean, 2.9), LossAt(*mean, 2.2) * 0.5 + LossAt(*mean, 3.6) * 0.5);
    EXPECT_GT(LossAt(*mean, 2.0), LossAt(*mean, 1.2) * 0.5 + LossAt(*mean, 2.8) * 0.5)
        << "it is not convex";
}

// On a grid of steps of 0.001 over [-30, 30], beyond which the parabola wins; mean labels are 0.
// With |F'|^2 >= 2 mu (F - F(0)) there is no other stationary point.
TEST(SineTask, ZeroIsTheMinimumAndPolyakLojasiewiczHolds)
{
    for (const double mean : {-3.0, 0.0, 1.0, 2.15})
    {
        const auto task = MakeTask(Eigen::Vector2d(mean + 1, mean - 1), Eigen::Vector2d(0.8, -0.8));
        const auto all = EqualWeights({0, 1});
        const double least = LossAt(*task, 0);
        EXPECT_NEAR(least, 0.64 + 2 * mean, 1e-14);
        EXPECT_EQ(GradientAt(*task, Eigen::VectorXd::Zero(1), all)[0], 0);
        for (double x = -30; x <= 30; x += 0.001)
        {
            const double gap = LossAt(*task, x) - least;
            ASSERT_GE(gap, std::abs(x) < 1e-6 ? -1e-14 : 0) << mean << " " << x;
            if (mean == 0)
            {
                const double slope = GradientAt(*task, Eigen::VectorXd::Constant(1, x), all)[0];
                ASSERT_GE(slope * slope, 2 / 32.0 * gap - 1e-12) << x;
            }
        }
    }
}

TEST(SineTask, LabelsMakeLearnersDiffer)
{
    const auto task = MakeTask(Eigen::Vector2d::Zero(), Eigen::Vector2d(1, -1));
    // The slope of sample 0 at 0 is -2 y: its minimum lies to the right, that of sample 1 left.
    EXPECT_EQ(GradientAt(*task, Eigen::VectorXd::Zero(1), EqualWeights({0}))[0], -2);
    EXPECT_EQ(GradientAt(*task, Eigen::VectorXd::Zero(1), EqualWeights({1}))[0], 2);
}

// Differences of gradients over steps of 0.001 attain the bound for xi >= 0 at 0 less what the
// last term takes, and never exceed it.
TEST(SineTask, SmoothnessBoundsTheSlopeOfTheGradient)
{
    for (const double xi : {-4.0, -1.0, 0.0, 2.0})
    {
        const auto task = MakeTask(Eigen::VectorXd::Constant(1, xi), Eigen::VectorXd::Zero(1));
        double steepest = 0;
        double last = GradientAt(*task, Eigen::VectorXd::Constant(1, -4.001), EqualWeights({0}))[0];
        for (double x = -4; x <= 4; x += 0.001)
        {
            const double next =
                GradientAt(*task, Eigen::VectorXd::Constant(1, x), EqualWeights({0}))[0];
            steepest = std::max(steepest, std::abs(next - last) / 0.001);
            last = next;
        }
        EXPECT_LE(steepest, task->GetSmoothness() * (1 + 1e-9));
        if (xi == 0)
        {
            EXPECT_NEAR(steepest, 8, 1e-4);
            EXPECT_EQ(task->GetSmoothness(), 8);
        }
    }
}

// Gradient descent from far away ends at 0 for data of the generator. With mean features near 0, mu
// = 1/32 and steps of 0.05 < 1/L, F - F(0) falls by 1 - 0.05/32 a step at least: 20,000 steps take
// it from 200 to below 1e-11, and the error is less than its square root.
TEST(SineTask, GradientDescentFindsTheMinimum)
{
    auto task = CreateObject<SineTask>();
    task->SetData(std::make_shared<Dataset>(MakeSineData({400, 3, 1.5}, 7)), nullptr);
    const auto all = EqualWeights(Range(0, 400));
    ModelVector theta(3);
    theta << 9, -4, 2.5;
    for (int k = 0; k < 20000; ++k)
    {
        theta -= 0.05 * GradientAt(*task, theta, all);
    }
    EXPECT_LT(theta.norm(), 1e-10);
}

} // namespace
