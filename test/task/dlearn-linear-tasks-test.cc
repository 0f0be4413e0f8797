/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-task-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-data-generator.h"
#include "ns3/dlearn-linear-tasks.h"
#include "ns3/dlearn-newton.h"
#include "ns3/dlearn-sine-task.h"
#include "ns3/double.h"

#include <Eigen/LU>
#include <cmath>
#include <gtest/gtest.h>

using namespace ns3::dlearn::test;
using namespace ns3::dlearn;
using namespace ns3;

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

} // namespace

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

} // namespace

namespace
{

/**
 * @param features one row a feature
 * @param labels classes
 * @param classes how many classes there are
 * @return a task on these data
 */
Ptr<SoftmaxTask>
MakeSoftmax(const Eigen::MatrixXd& features, const ModelVector& labels, uint32_t classes)
{
    auto data = std::make_shared<Dataset>();
    data->features = features;
    data->labels = labels;
    data->classes = classes;
    auto task = CreateObject<SoftmaxTask>();
    task->SetData(data, nullptr);
    return task;
}

// Softmax on two classes is logistic regression on the difference of the two columns.
TEST(SoftmaxTask, TwoClassesAreLogisticRegression)
{
    Engine engine(2);
    const auto data = RandomData(2, 4, 100);
    auto softmax = CreateObject<SoftmaxTask>();
    auto logistic = CreateObject<LogisticTask>();
    softmax->SetData(data, nullptr);
    logistic->SetData(data, nullptr);
    const WeightedSamples all = EqualWeights(Range(0, 100));
    const ModelVector theta = RandomVector(engine, 8);
    const ModelVector difference = theta.tail(4) - theta.head(4);
    EXPECT_NEAR(softmax->GetLoss(theta, all), logistic->GetLoss(difference, all), 1e-13);
    EXPECT_EQ(softmax->GetAccuracy(theta), logistic->GetAccuracy(difference));
    const ModelVector gradient = GradientAt(*softmax, theta, all);
    const ModelVector expected = GradientAt(*logistic, difference, all);
    EXPECT_LE((gradient.tail(4) - expected).norm(), 1e-13);
    EXPECT_LE((gradient.head(4) + expected).norm(), 1e-13);
    const Eigen::MatrixXd hessian = softmax->GetHessian(theta, all);
    const Eigen::MatrixXd block = logistic->GetHessian(difference, all);
    EXPECT_LE((hessian.topLeftCorner(4, 4) - block).norm(), 1e-13);
    EXPECT_LE((hessian.topRightCorner(4, 4) + block).norm(), 1e-13);
}

// Features (1, 0) and (0, 1) read single entries of the model: theta[k d + j].
TEST(SoftmaxTask, LayoutIsOneColumnAClass)
{
    auto task = MakeSoftmax(Eigen::Matrix2d::Identity(), Eigen::Vector2d(0, 2), 3);
    EXPECT_EQ(task->GetDimension(), 6U);
    EXPECT_EQ(task->GetFlopsPerSample(), 24);
    ModelVector theta(6);
    theta << 1, -1, 2, -2, 3, -3;
    const double sum = std::exp(1) + std::exp(2) + std::exp(3);
    EXPECT_NEAR(task->GetLoss(theta, EqualWeights({0})), std::log(sum) - 1, 1e-14);
    ModelVector expected(6);
    expected << std::exp(1) / sum - 1, 0, std::exp(2) / sum, 0, std::exp(3) / sum, 0;
    EXPECT_LE((GradientAt(*task, theta, EqualWeights({0})) - expected).norm(), 1e-14);
    const double other = std::exp(-1) + std::exp(-2) + std::exp(-3);
    EXPECT_NEAR(task->GetLoss(theta, EqualWeights({1})), std::log(other) + 3, 1e-14);
}

TEST(SoftmaxTask, HugeScoresStayFinite)
{
    auto task = MakeSoftmax(Eigen::RowVector3d(1, 1, 1), Eigen::Vector3d(0, 1, 2), 3);
    const Eigen::Vector3d theta(1e4, 0, -1e4);
    EXPECT_EQ(task->GetLoss(theta, EqualWeights({0})), 0);
    EXPECT_EQ(task->GetLoss(theta, EqualWeights({1})), 1e4);
    EXPECT_EQ(task->GetLoss(theta, EqualWeights({2})), 2e4);
    EXPECT_EQ(GradientAt(*task, theta, EqualWeights({2})), Eigen::Vector3d(1, 0, -1));
    EXPECT_EQ(task->GetHessian(theta, EqualWeights({2})), Eigen::Matrix3d::Zero());
}

TEST(SoftmaxTask, FirstOfEqualScoresWins)
{
    auto task = MakeSoftmax(Eigen::RowVector3d(1, 1, 1), Eigen::Vector3d(0, 1, 2), 3);
    EXPECT_DOUBLE_EQ(task->GetAccuracy(Eigen::Vector3d(0, 0, 0)), 1.0 / 3);
    auto second = MakeSoftmax(Eigen::RowVector2d(1, 1), Eigen::Vector2d(1, 1), 3);
    EXPECT_EQ(second->GetAccuracy(Eigen::Vector3d(0, 5, 5)), 1);
    EXPECT_EQ(second->GetAccuracy(Eigen::Vector3d(5, 5, 0)), 0);
}

// The bounds cannot be smaller: p = (1, 0) against the other class, and p = (1/2, 1/2).
TEST(SoftmaxTask, BoundsAreAttained)
{
    auto task = MakeSoftmax(Eigen::Vector2d(3, 4), ModelVector::Zero(1), 2);
    EXPECT_DOUBLE_EQ(task->GetSensitivity(), 2 * std::sqrt(2.0) * 5);
    ModelVector theta(4);
    theta << -1e3, 0, 0, 0;
    EXPECT_DOUBLE_EQ(GradientAt(*task, theta, EqualWeights({0})).norm(), std::sqrt(2.0) * 5);
    EXPECT_DOUBLE_EQ(task->GetSmoothness(), 12.5);
    ModelVector direction(4);
    direction << 3, 4, -3, -4;
    const Eigen::MatrixXd hessian = task->GetHessian(ModelVector::Zero(4), EqualWeights({0}));
    EXPECT_DOUBLE_EQ(direction.dot(hessian * direction) / direction.squaredNorm(), 12.5);
}

// Three classes, each at its own corner: nothing but the regularization holds the model.
TEST(SoftmaxTask, SeparableDataConverge)
{
    Engine engine(4);
    auto data = RandomData(3, 5, 90);
    for (uint32_t i = 0; i < 90; ++i)
    {
        data->labels[i] = i % 3;
        data->features.col(i) *= 0.1;
        data->features(i % 3, i) += 1;
    }
    const WeightedSamples all = EqualWeights(Range(0, 90));
    for (double regularization : {1e-6, 1e-12, 0.0})
    {
        auto task = CreateObject<SoftmaxTask>();
        task->SetAttribute("Regularization", DoubleValue(regularization));
        task->SetData(data, nullptr);
        for (double scale : {0.0, 1e3})
        {
            const ModelVector found = Minimize(*task, all, RandomVector(engine, 15, scale));
            EXPECT_EQ(task->GetAccuracy(found), 1);
            EXPECT_LE(GradientAt(*task, found, all).norm(), 1e-10 * (1 + found.norm()));
        }
    }
}

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
