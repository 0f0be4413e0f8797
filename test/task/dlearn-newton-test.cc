/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-task-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-gradient-history.h"
#include "ns3/dlearn-linear-tasks.h"
#include "ns3/dlearn-newton.h"
#include "ns3/double.h"

#include <Eigen/QR>
#include <gtest/gtest.h>
#include <set>

using namespace ns3::dlearn::test;
using namespace ns3::dlearn;
using namespace ns3;

namespace
{

/**
 * The least-squares minimum without normal equations: QR of the rows sqrt(w_i) x_i^T, with
 * sqrt(r) I below them for the regularization.
 *
 * @param data the samples
 * @param samples their weights
 * @param regularization r
 * @return the minimum; that of least norm where there are many
 */
ModelVector
SolveByQr(const Dataset& data, const WeightedSamples& samples, double regularization)
{
    const Eigen::Index features = data.features.rows();
    const auto size = static_cast<Eigen::Index>(samples.indices.size());
    Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(size + features, features);
    ModelVector right = ModelVector::Zero(size + features);
    for (Eigen::Index i = 0; i < size; ++i)
    {
        const uint32_t index = samples.indices[static_cast<size_t>(i)];
        rows.row(i) = std::sqrt(samples.weights[i]) * data.features.col(index).transpose();
        right[i] = std::sqrt(samples.weights[i]) * data.labels[index];
    }
    rows.bottomRows(features).diagonal().setConstant(std::sqrt(regularization));
    return rows.completeOrthogonalDecomposition().solve(right);
}

// The objective is quadratic, so the last step leads to the minimum but for rounding errors.
TEST(Minimize, LeastSquaresAgreesWithQr)
{
    Engine engine(8);
    const auto data = RandomData(0, 12, 100);
    WeightedSamples samples = EqualWeights(Range(0, 100));
    samples.weights.array() *= RandomVector(engine, 100).array().abs();
    for (double regularization : {0.0, 0.5})
    {
        auto task = CreateObject<LeastSquaresTask>();
        task->SetAttribute("Regularization", DoubleValue(regularization));
        task->SetAttribute("ClipNorm", DoubleValue(1e-3));
        task->SetData(data, nullptr);
        const ModelVector expected = SolveByQr(*data, samples, regularization);
        for (double scale : {0.0, 1.0, 1e6})
        {
            const ModelVector found = Minimize(*task, samples, RandomVector(engine, 12, scale));
            EXPECT_LE((found - expected).norm(), 1e-13 * expected.norm());
        }
    }
}

// Fewer samples than features, and a feature given twice: many minima, the same scores.
TEST(Minimize, SingularHessian)
{
    const auto data = RandomData(0, 10, 6);
    data->features.row(9) = data->features.row(2);
    auto task = CreateObject<LeastSquaresTask>();
    task->SetData(data, nullptr);
    const WeightedSamples all = EqualWeights(Range(0, 6));
    const ModelVector found = Minimize(*task, all, ModelVector::Zero(10));
    const ModelVector expected = SolveByQr(*data, all, 0);
    EXPECT_LE((data->features.transpose() * (found - expected)).norm(), 1e-8);
}

// Correlated features of very different sizes, as unscaled data have.
TEST(Minimize, IllConditionedLogistic)
{
    Engine engine(12);
    auto data = RandomData(2, 8, 400);
    for (Eigen::Index row = 0; row < 8; ++row)
    {
        data->features.row(row) = std::pow(10.0, row - 4.0) *
                                  (data->features.row(row) + 10 * data->features.row(0)).array();
    }
    auto task = CreateObject<LogisticTask>();
    task->SetAttribute("Regularization", DoubleValue(1e-10));
    task->SetData(data, nullptr);
    const WeightedSamples all = EqualWeights(Range(0, 400));
    const ModelVector found = Minimize(*task, all, ModelVector::Zero(8));
    EXPECT_LE(GradientAt(*task, found, all).norm(), 1e-10 * (1 + found.norm()));
    const double loss = task->GetLoss(found, all);
    for (double scale : {1e-3, 1.0, 1e3})
    {
        for (int trial = 0; trial < 20; ++trial)
        {
            const ModelVector move = RandomVector(engine, 8, scale);
            EXPECT_GE(task->GetLoss(found + move, all), loss - 1e-12);
        }
    }
}

/**
 * One feature: F'(theta) = r theta + mean of -x / (1 + exp(x theta)), where x has the sign of its
 * label; the derivative increases.
 * @return its root, by bisection in more digits than those of double
 */
double
BisectLogistic(const Eigen::VectorXd& signedFeatures, double regularization)
{
    long double low = -1000;
    long double high = 1000;
    for (int step = 0; step < 100; ++step)
    {
        const long double middle = (low + high) / 2;
        long double slope = regularization * middle;
        for (const double x : signedFeatures)
        {
            slope -= x / (1 + std::exp(x * middle)) / signedFeatures.size();
        }
        (slope > 0 ? high : low) = middle;
    }
    return static_cast<double>(low);
}

// Also from a start so near that its gradient, about 2e-3 times the distance, is small already.
TEST(Minimize, EndsAtTheMinimumButForRounding)
{
    for (const double regularization : {1e-2, 1e-4, 1e-6})
    {
        const auto data = RandomData(2, 1, 40);
        data->features.row(0) = 0.1 * data->features.row(0);
        const Eigen::VectorXd signs = 2 * data->labels.array() - 1;
        const Eigen::VectorXd x = data->features.row(0).transpose().cwiseProduct(signs);
        auto task = CreateObject<LogisticTask>();
        task->SetAttribute("Regularization", DoubleValue(regularization));
        task->SetData(data, nullptr);
        const double root = BisectLogistic(x, regularization);
        for (const double distance : {10.0, 0.1, 1e-4, 1e-6, 1e-8, 1e-10})
        {
            const ModelVector start = ModelVector::Constant(1, root + distance);
            const double found = Minimize(*task, EqualWeights(Range(0, 40)), start)[0];
            EXPECT_NEAR(found, root, 2e-12 * (1 + std::abs(root))) << distance;
        }
    }
}

// Gradients of size 1e16 are only known to about 1, far from what the answer promises.
TEST(Minimize, SaysWhenRoundingForbidsAnAnswer)
{
    auto data = RandomData(0, 3, 50);
    data->features *= 1e8;
    data->labels *= 1e8;
    auto task = CreateObject<LeastSquaresTask>();
    task->SetData(data, nullptr);
    ExpectRefused<std::runtime_error>(
        [&]() { Minimize(*task, EqualWeights(Range(0, 50)), ModelVector::Zero(3)); },
        "Minimize: ns3::dlearn::LeastSquaresTask: the gradient norm must fall to 1e-06 (1 + "
        "||theta||), after ");
}

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
