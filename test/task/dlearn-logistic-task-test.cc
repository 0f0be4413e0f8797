/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-task-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-linear-tasks.h"
#include "ns3/dlearn-newton.h"
#include "ns3/double.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::dlearn;
using namespace ns3::dlearn::test;

namespace
{

/**
 * @param features one row a feature
 * @param labels classes
 * @param regularization attribute Regularization
 * @return a task on these data
 */
Ptr<LogisticTask>
MakeLogistic(const Eigen::MatrixXd& features, const ModelVector& labels, double regularization = 0)
{
    auto data = std::make_shared<Dataset>();
    data->features = features;
    data->labels = labels;
    data->classes = 2;
    auto task = CreateObject<LogisticTask>();
    task->SetAttribute("Regularization", DoubleValue(regularization));
    task->SetData(data, nullptr);
    return task;
}

// Chen and Wang's form, (1 - y) z - log s(z), in extended precision; then far outside of where
// that form can be evaluated. Feature 1, so that the model is the score.
TEST(LogisticTask, LossAndDerivativesOfAnyScore)
{
    auto task = MakeLogistic(Eigen::RowVector2d(1, 1), Eigen::Vector2d(0, 1));
    for (uint32_t y : {0, 1})
    {
        const WeightedSamples one = EqualWeights({y});
        for (long double z : {-700.0L, -30.0L, -1.5L, 0.0L, 0.3L, 40.0L, 700.0L})
        {
            const ModelVector theta = ModelVector::Constant(1, static_cast<double>(z));
            const long double right = 1 / (1 + std::exp(-z));
            const long double wrong = 1 / (1 + std::exp(z));
            const double loss = static_cast<double>((1 - y) * z + std::log1p(std::exp(-z)));
            // With y = 0 this form subtracts numbers of size |z| for negative scores.
            EXPECT_NEAR(task->GetLoss(theta, one), loss, 1e-14 * loss + (y == 0 ? 1e-16 : 0));
            const double slope = static_cast<double>(y == 0 ? right : -wrong);
            const double curvature = static_cast<double>(right * wrong);
            EXPECT_NEAR(GradientAt(*task, theta, one)[0], slope, 1e-14 * std::abs(slope));
            EXPECT_NEAR(task->GetHessian(theta, one)(0, 0), curvature, 1e-14 * curvature);
        }
        for (double z : {-1e4, 1e4})
        {
            const ModelVector theta = ModelVector::Constant(1, z);
            const bool isRight = (z > 0) == (y == 1);
            EXPECT_NEAR(task->GetLoss(theta, one), isRight ? 0 : 1e4, 1e-300);
            const double slope = isRight ? 0 : 1 - 2.0 * y;
            EXPECT_NEAR(GradientAt(*task, theta, one)[0], slope, 1e-300);
            EXPECT_NEAR(task->GetHessian(theta, one)(0, 0), 0, 1e-300);
        }
    }
}

TEST(LogisticTask, ScoreZeroIsClassZero)
{
    auto task = MakeLogistic(Eigen::RowVector4d(0, 0, 1, -1), Eigen::Vector4d(0, 1, 1, 1));
    EXPECT_EQ(task->GetAccuracy(ModelVector::Ones(1)), 0.5);
    EXPECT_EQ(task->GetAccuracy(ModelVector::Zero(1)), 0.25);
}

// The bounds cannot be smaller: two samples of largest norm attain them.
TEST(LogisticTask, BoundsAreAttained)
{
    const Eigen::Vector2d x(3, 4);
    Eigen::Matrix2d features;
    features << x, -x;
    auto task = MakeLogistic(features, Eigen::Vector2d::Zero(), 0.125);
    const Eigen::Vector2d zero(0, 0);
    EXPECT_DOUBLE_EQ(task->GetSmoothness(), 25 / 4.0 + 0.125);
    const double curvature = x.dot(task->GetHessian(zero, EqualWeights({0})) * x) / 25;
    EXPECT_DOUBLE_EQ(curvature, task->GetSmoothness());

    // Exactly opposite samples cannot both be far on the wrong side, but nearly opposite ones
    // can, and then nearly attain twice the norm.
    EXPECT_DOUBLE_EQ(task->GetSensitivity(), 10);
    Eigen::Matrix2d leaning;
    leaning << 0.01, 0.01, 1, -1;
    task = MakeLogistic(leaning, Eigen::Vector2d(0, 0));
    const Eigen::Vector2d far(1e6, 0);
    const double distance =
        (GradientAt(*task, far, EqualWeights({0})) - GradientAt(*task, far, EqualWeights({1})))
            .norm();
    EXPECT_NEAR(distance, task->GetSensitivity(), 1e-3);
    EXPECT_LE(distance, task->GetSensitivity());
}

// Gradients of a convex function are monotone: <g(a) - g(b), a - b> >= 0.
TEST(LogisticTask, ClippingKeepsTheObjectiveConvex)
{
    Engine engine(5);
    auto task = CreateObject<LogisticTask>();
    task->SetData(RandomData(2, 4, 60), nullptr);
    const WeightedSamples all = EqualWeights(Range(0, 60));
    for (int pair = 0; pair < 500; ++pair)
    {
        const ModelVector a = RandomVector(engine, 4, 2);
        const ModelVector b = a + RandomVector(engine, 4, std::pow(10.0, pair % 4 - 3));
        const ModelVector change = GradientAt(*task, a, all, 0.3) - GradientAt(*task, b, all, 0.3);
        EXPECT_GE(change.dot(a - b), -1e-15);
    }
}

// One feature x = +-1, fully separated: the minimum solves s(-theta) = r theta.
TEST(LogisticTask, SeparableDataConverge)
{
    for (double regularization : {1e-2, 1e-6, 1e-12})
    {
        auto task = MakeLogistic(Eigen::RowVector2d(1, -1), Eigen::Vector2d(1, 0), regularization);
        double low = 0;
        double high = 100;
        for (int i = 0; i < 200; ++i)
        {
            const double middle = (low + high) / 2;
            (1 / (1 + std::exp(middle)) > regularization * middle ? low : high) = middle;
        }
        for (double start : {0.0, -50.0, 1e4, -1e4})
        {
            const ModelVector minimum =
                Minimize(*task, EqualWeights({0, 1}), ModelVector::Constant(1, start));
            // The gradient is good to 1e-10 (1 + theta); its slope at the minimum is at
            // least r (1 + theta), which means nothing for the smallest r.
            if (regularization > 1e-8)
            {
                EXPECT_NEAR(minimum[0], low, 1e-10 / regularization) << start;
            }
            EXPECT_LE(GradientAt(*task, minimum, EqualWeights({0, 1})).norm(),
                      1e-10 * (1 + minimum.norm()));
        }
    }
    // Without regularization there is no minimum, but a point that nearly is one.
    Engine engine(11);
    auto data = RandomData(2, 6, 200);
    const ModelVector normal = RandomVector(engine, 6);
    data->labels = ((data->features.transpose() * normal).array() > 0).cast<double>();
    auto task = CreateObject<LogisticTask>();
    task->SetData(data, nullptr);
    const ModelVector found = Minimize(*task, EqualWeights(Range(0, 200)), ModelVector::Zero(6));
    EXPECT_EQ(task->GetAccuracy(found), 1);
}

TEST(LogisticTask, RefusesOtherThanTwoClasses)
{
    auto task = CreateObject<LogisticTask>();
    for (uint32_t classes : {0, 3})
    {
        ExpectRefused([&]() { task->SetData(RandomData(classes, 3, 10), nullptr); },
                      "LogisticTask: data must have 2 classes, got " + std::to_string(classes) +
                          " in 'random'");
    }
}

} // namespace
