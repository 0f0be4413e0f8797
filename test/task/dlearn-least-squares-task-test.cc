/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-task-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-linear-tasks.h"
#include "ns3/dlearn-newton.h"
#include "ns3/double.h"

#include <Eigen/LU>
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

/**
 * The first example of Chen, Wang and Zhang (see dlearn-sine-task.h for the second), Remark 4:
 * f_i = |A x - d|^2 / (2 n), all learners alike, F their sum. With A = diag(3, 1) and n = 2, so
 * that A^T A has the eigenvalues 9 and 1, the least L of Assumption 2 is 9 / n, and the largest mu
 * of Assumption 3, 2 mu (F - F*) <= |grad F|^2, is 1. The paper prints half that L, and 2 for mu.
 */
TEST(LeastSquaresTask, MeetsTheConditionsOfRemark4)
{
    auto data = std::make_shared<Dataset>();
    data->features = Eigen::Vector2d(3, 1).asDiagonal();
    data->labels = Eigen::Vector2d(6, -1);
    auto task = CreateObject<LeastSquaresTask>();
    task->SetAttribute("Regularization", DoubleValue(0));
    task->SetData(data, nullptr);
    const WeightedSamples all = EqualWeights({0, 1});
    const Eigen::Vector2d optimum(2, -1);
    EXPECT_DOUBLE_EQ(task->GetLoss(optimum, all), 0);
    const Eigen::Vector2d steep = optimum + Eigen::Vector2d(1, 0);
    EXPECT_DOUBLE_EQ(GradientAt(*task, steep, all).norm(), 4.5);
    EXPECT_GE(task->GetSmoothness(), 4.5);
    const Eigen::Vector2d flat = optimum + Eigen::Vector2d(0, 1);
    const double excess = 2 * task->GetLoss(flat, all);
    const double slope = 4 * GradientAt(*task, flat, all).squaredNorm();
    EXPECT_DOUBLE_EQ(slope, 2 * 1 * excess);
    for (double angle = 0; angle < 6.3; angle += 0.1)
    {
        const Eigen::Vector2d x = optimum + Eigen::Vector2d(std::cos(angle), std::sin(angle));
        EXPECT_GE(4 * GradientAt(*task, x, all).squaredNorm(),
                  2 * 1 * 2 * task->GetLoss(x, all) * (1 - 1e-12)); // rounding
    }
}

TEST(LeastSquaresTask, OnlyClippingBoundsTheSensitivity)
{
    auto task = CreateObject<LeastSquaresTask>();
    task->SetData(RandomData(0, 3, 10), nullptr);
    EXPECT_EQ(task->GetSensitivity(), INFINITY);
    task->SetAttribute("ClipNorm", DoubleValue(1.5));
    EXPECT_EQ(task->GetSensitivity(), 3);
}

// More samples than features: the normal equations, wherever it starts.
TEST(LeastSquaresTask, MinimizeFromSolvesTheNormalEquations)
{
    Engine engine(3);
    const auto data = RandomData(0, 6, 40);
    WeightedSamples samples{Range(5, 30), RandomVector(engine, 30).cwiseAbs()};
    samples.indices[3] = samples.indices[7];
    samples.weights[4] = 0;
    for (const double regularization : {0.0, 0.3})
    {
        auto task = CreateObject<LeastSquaresTask>();
        task->SetAttribute("Regularization", DoubleValue(regularization));
        task->SetAttribute("ClipNorm", DoubleValue(1e-3)); // must not matter
        task->SetData(data, nullptr);
        Eigen::MatrixXd matrix = regularization * Eigen::MatrixXd::Identity(6, 6);
        ModelVector right = ModelVector::Zero(6);
        for (size_t k = 0; k < samples.indices.size(); ++k)
        {
            const ModelVector x = data->features.col(samples.indices[k]);
            matrix += samples.weights[k] * x * x.transpose();
            right += samples.weights[k] * data->labels[samples.indices[k]] * x;
        }
        const ModelVector wanted = matrix.inverse() * right;
        for (const double scale : {0.0, 100.0})
        {
            const ModelVector found = MinimizeFrom(*task, RandomVector(engine, 6, scale), samples);
            // Newton's method, for the regularized, ends at gradients of 1e-10 (1 + norm).
            EXPECT_LE((found - wanted).norm(), 1e-9 * (1 + wanted.norm()));
        }
    }
}

/**
 * More features than samples. Nearest to the start under X^T w = y, by its conditions of
 * Karush, Kuhn and Tucker: the samples are interpolated, and the change is a combination of
 * them. Both hold for one w only. Weights do not matter, nor does a sample that comes twice.
 */
TEST(LeastSquaresTask, MinimizeFromInterpolatesWithTheLeastChange)
{
    Engine engine(4);
    auto task = CreateObject<LeastSquaresTask>();
    const auto data = RandomData(0, 50, 30);
    task->SetData(data, nullptr);
    for (const double scale : {0.0, 1.0, 1e3})
    {
        const ModelVector start = RandomVector(engine, 50, scale);
        WeightedSamples samples = EqualWeights(Range(10, 20));
        const ModelVector found = MinimizeFrom(*task, start, samples);
        const Eigen::MatrixXd X = data->features.middleCols(10, 20);
        const ModelVector y = data->labels.segment(10, 20);
        const double slack = 1e-12 * (1 + start.norm());
        EXPECT_LE((X.transpose() * found - y).norm(), 10 * slack);
        const ModelVector change = found - start;
        const ModelVector multipliers = (X.transpose() * X).inverse() * X.transpose() * change;
        EXPECT_LE((X * multipliers - change).norm(), slack);
        EXPECT_GT(change.norm(), 0.1);

        samples.indices.push_back(12);
        samples.weights = RandomVector(engine, 21).cwiseAbs().array() + 0.1;
        EXPECT_LE((MinimizeFrom(*task, start, samples) - found).norm(), slack);
        // The limit of gradient descent; the smallest curvature of these data is 2.
        ModelVector theta = start;
        ModelVector gradient(50);
        for (int step = 0; step < 4000; ++step)
        {
            task->BatchGradient(theta, Range(10, 20), gradient);
            theta -= 0.1 * gradient;
        }
        EXPECT_LE((theta - found).norm(), 1e-9 * (1 + start.norm()));
    }
}

// A feature given twice, and samples that contradict each other: neither regime.
TEST(LeastSquaresTask, MinimizeFromOfDeficientRank)
{
    Engine engine(5);
    const auto data = RandomData(0, 5, 8);
    data->features.row(4) = data->features.row(1);
    auto task = CreateObject<LeastSquaresTask>();
    task->SetData(data, nullptr);
    const ModelVector start = RandomVector(engine, 5);
    const ModelVector found = MinimizeFrom(*task, start, EqualWeights(Range(0, 8)));
    EXPECT_LE(GradientAt(*task, found, EqualWeights(Range(0, 8))).norm(), 1e-12);
    // Moving along (0, 1, 0, 0, -1) changes no score, so the nearest minimum does not.
    EXPECT_NEAR(found[1] - found[4], start[1] - start[4], 1e-12);
}

TEST(LeastSquaresTask, MinimizeFromRefusesWrongArguments)
{
    auto task = CreateObject<LeastSquaresTask>();
    task->SetData(RandomData(0, 3, 5), nullptr);
    const ModelVector start = ModelVector::Zero(3);
    ExpectRefused([&]() { MinimizeFrom(*task, ModelVector::Zero(2), EqualWeights({0})); },
                  "theta must have 3 entries, got 2");
    ExpectRefused([&]() { MinimizeFrom(*task, start, EqualWeights({5})); },
                  "sample index must be less than 5, got 5");
    ExpectRefused(
        [&]() {
            MinimizeFrom(*task, start, {{0}, -ModelVector::Ones(1)});
        },
        "weights must be finite and at least 0, got -1");
}

TEST(LeastSquaresTask, RefusesClasses)
{
    auto task = CreateObject<LeastSquaresTask>();
    ExpectRefused([&]() { task->SetData(RandomData(2, 3, 10), nullptr); },
                  "LeastSquaresTask: data must be those of a regression (classes = 0), got 2 "
                  "classes in 'random'");
}

} // namespace
