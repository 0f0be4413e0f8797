/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-evaluator.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace ns3::dlearn
{
namespace
{

Ptr<LinearGaussianProblem>
MakeProblem()
{
    LinearGaussianProblemOptions options;
    options.clients = 3;
    options.dimension = 6;
    options.sparsity = 4;
    options.heterogeneity = 0.8;
    options.noiseStds = {0.5, 1, 0.2};
    options.drift = 0.3;
    const auto problem = CreateObject<LinearGaussianProblem>();
    problem->AssignStreams(5);
    problem->Draw(options);
    return problem;
}

// Samples y = x^T (w* - gamma_i) + sigma_i e, drawn here. Of l = (y - x^T w)^2 / 2 = s^2 chi^2 / 2
// the variance is s^4 / 2, so the mean of n has the standard deviation s^2 / sqrt(2 n); 6 of them
// are exceeded with probability 2e-9.
TEST(LinearGaussianEvaluator, LossIsWhatAMonteCarloSees)
{
    constexpr uint32_t SAMPLES = 200000;
    constexpr uint32_t ROUND = 3;
    const auto problem = MakeProblem();
    LinearGaussianEvaluator evaluator(problem);
    const ModelVector model = ModelVector::LinSpaced(6, -0.5, 1);
    const Evaluation got = evaluator.Evaluate(ROUND, {{0, model}}).at(0);
    std::mt19937_64 engine(1);
    std::normal_distribution<double> normal;
    double loss = 0;
    double variance = 0;
    for (uint32_t client = 0; client < 3; ++client)
    {
        const Eigen::VectorXd truth = problem->GetClientTruth(client, ROUND + 1);
        double sum = 0;
        for (uint32_t k = 0; k < SAMPLES; ++k)
        {
            const Eigen::VectorXd x =
                Eigen::VectorXd::NullaryExpr(6, [&](auto) { return normal(engine); });
            const double y = x.dot(truth) + problem->GetNoiseStd(client) * normal(engine);
            sum += (y - x.dot(model)) * (y - x.dot(model)) / 2;
        }
        const double mean = sum / SAMPLES;
        loss += mean / 3;
        variance += 2 * mean * mean / SAMPLES / 9; // s^2 = 2 mean
    }
    EXPECT_NEAR(got.loss, loss, 6 * std::sqrt(variance));
    EXPECT_DOUBLE_EQ(got.error, (problem->GetTruth(ROUND + 1) - model).squaredNorm());
    EXPECT_EQ(got.consensus, 0);
    EXPECT_TRUE(std::isnan(got.accuracy));
    EXPECT_TRUE(std::isnan(got.regret));
    EXPECT_TRUE(evaluator.GetWarnings().empty());
}

TEST(LinearGaussianEvaluator, ModelsThatDivergedAreInfinitelyBad)
{
    LinearGaussianEvaluator evaluator(MakeProblem());
    ModelVector bad = ModelVector::Zero(6);
    bad[2] = std::nan("");
    const auto all = evaluator.Evaluate(0, {{1, ModelVector::Zero(6)}, {2, bad}});
    EXPECT_TRUE(std::isfinite(all.at(1).error));
    EXPECT_TRUE(std::isfinite(all.at(1).loss));
    EXPECT_TRUE(std::isinf(all.at(2).error));
    EXPECT_TRUE(std::isinf(all.at(2).loss));
    EXPECT_TRUE(std::isinf(all.at(2).consensus));
}

TEST(LinearGaussianEvaluator, ConsensusIsMeasuredFromTheMean)
{
    LinearGaussianEvaluator evaluator(MakeProblem());
    const auto all =
        evaluator.Evaluate(0, {{0, ModelVector::Zero(6)}, {7, ModelVector::Constant(6, 2)}});
    EXPECT_DOUBLE_EQ(all.at(0).consensus, 6);
    EXPECT_DOUBLE_EQ(all.at(7).consensus, 6);
}

TEST(LinearGaussianEvaluator, RefusesWhatDoesNotFit)
{
    ExpectRefused([] { LinearGaussianEvaluator(nullptr); },
                  "LinearGaussianEvaluator: there must be a problem");
    LinearGaussianEvaluator evaluator(MakeProblem());
    ExpectRefused(
        [&] {
            evaluator.Evaluate(0, {{0, ModelVector::Zero(5)}});
        },
        "LinearGaussianEvaluator: model must have 6 entries, got 5");
}

} // namespace
} // namespace ns3::dlearn
