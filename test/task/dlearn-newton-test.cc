/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-task-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-linear-tasks.h"
#include "ns3/dlearn-newton.h"
#include "ns3/double.h"

#include <Eigen/QR>
#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::dlearn;
using namespace ns3::dlearn::test;

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

} // namespace
