/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-evaluator.h"
#include "ns3/dlearn-least-squares-task.h"
#include "ns3/double.h"

#include <cmath>
#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

/** One feature: losses (y - 2 x)^2 / 2 of y = 1, 2, 3, regularized, clipped. */
Ptr<LeastSquaresTask>
MakeTask()
{
    auto data = std::make_shared<Dataset>();
    data->features = Eigen::MatrixXd::Constant(1, 3, 2);
    data->labels = Eigen::Vector3d(1, 2, 3);
    const auto task = CreateObject<LeastSquaresTask>();
    task->SetAttribute("Regularization", DoubleValue(0.5));
    task->SetAttribute("ClipNorm", DoubleValue(1e-3)); // of learning, not of the observer
    task->SetData(data, nullptr);
    return task;
}

/** Learner 0 has one sample, learner 1 two, and both the same weight. */
const std::vector<SampleIndices> SHARDS{{0}, {1, 2}};

ModelVector
Model(double value)
{
    return ModelVector::Constant(1, value);
}

// By hand: F(x) = ((1 - 2x)^2 + ((2 - 2x)^2 + (3 - 2x)^2) / 2) / 4 + x^2 / 4, so
// F'(x) = -(1 - 2x) - ((2 - 2x) + (3 - 2x)) / 2 + x / 2 = -3.5 + 4.5 x; twice is enough.
TEST(GradientNormEvaluator, MeasuresTheGradientOfTheMeanObjective)
{
    GradientNormEvaluator evaluator(MakeTask(), SHARDS);
    const auto result =
        evaluator.Evaluate(3, {{0, Model(0)}, {4, Model(1)}, {7, Model(3.5 / 4.5)}});
    EXPECT_NEAR(result.at(0).error, 3.5 * 3.5, 1e-13);
    EXPECT_NEAR(result.at(4).error, 1, 1e-13);
    EXPECT_NEAR(result.at(7).error, 0, 1e-28);
    EXPECT_NEAR(result.at(0).loss, (1 + (4 + 9) / 2.0) / 4, 1e-13);
    const double mean = (1 + 3.5 / 4.5) / 3;
    EXPECT_NEAR(result.at(4).consensus, (1 - mean) * (1 - mean), 1e-13);
    EXPECT_TRUE(std::isnan(result.at(0).accuracy)) << "a regression has none";
    EXPECT_TRUE(std::isnan(result.at(0).regret));
    EXPECT_TRUE(evaluator.GetWarnings().empty());
}

TEST(GradientNormEvaluator, MeasuresTheLossElsewhereWhenAsked)
{
    GradientNormEvaluator evaluator(MakeTask(), SHARDS, EqualWeights({2}));
    const auto result = evaluator.Evaluate(0, {{0, Model(0)}});
    EXPECT_NEAR(result.at(0).loss, 4.5, 1e-13);
    EXPECT_NEAR(result.at(0).error, 3.5 * 3.5, 1e-13);
}

TEST(GradientNormEvaluator, ShowsWhatDiverged)
{
    GradientNormEvaluator evaluator(MakeTask(), SHARDS);
    const auto result = evaluator.Evaluate(0, {{0, Model(NAN)}, {1, Model(1e200)}});
    EXPECT_TRUE(std::isinf(result.at(0).error));
    EXPECT_TRUE(std::isinf(result.at(0).loss));
    EXPECT_TRUE(std::isinf(result.at(1).error)) << "its square is more than a double holds";
}

TEST(GradientNormEvaluator, RefusesWhatIsMissing)
{
    ExpectRefused([] { GradientNormEvaluator(nullptr, SHARDS); }, "there must be a task");
    ExpectRefused([] { GradientNormEvaluator(MakeTask(), {}); }, "at least one learner");
    ExpectRefused(
        [] {
            GradientNormEvaluator(MakeTask(), {{0}, {}});
        },
        "learner 1 must have at least one sample");
    GradientNormEvaluator evaluator(MakeTask(), SHARDS);
    ExpectRefused(
        [&] {
            evaluator.Evaluate(0, {{5, ModelVector::Zero(2)}});
        },
        "model of node 5 must have 1 entries, got 2");
}

} // namespace
} // namespace ns3::dlearn
