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

TEST(SoftmaxTask, RefusesFewerThanTwoClasses)
{
    auto task = CreateObject<SoftmaxTask>();
    for (uint32_t classes : {0, 1})
    {
        ExpectRefused([&]() { task->SetData(RandomData(classes, 3, 10), nullptr); },
                      "SoftmaxTask: data must have at least 2 classes, got " +
                          std::to_string(classes) + " in 'random'");
    }
}

} // namespace
