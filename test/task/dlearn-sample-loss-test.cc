/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Every task that is a SampleLoss, against the loss of a task whose data are the samples.
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-linear-tasks.h"
#include "ns3/dlearn-neural-network-task.h"
#include "ns3/double.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace ns3::dlearn
{
namespace
{

constexpr uint32_t CLASSES = 3;
constexpr uint32_t FEATURES = 2 * 7 * 6;

/** Makes a task of each kind. */
using Maker = Ptr<Task> (*)();

Ptr<Task>
MakeSoftmax()
{
    return CreateObject<SoftmaxTask>();
}

/** @return layers before the first with parameters, a ReLU before the input, all kinds */
Ptr<Task>
MakeNetwork(const char* layers)
{
    const auto task = CreateObject<NeuralNetworkTask>();
    task->SetAttribute("Layers", StringValue(layers));
    task->SetAttribute("FloatBits", UintegerValue(64));
    task->SetAttribute("Channels", UintegerValue(2));
    task->SetAttribute("Height", UintegerValue(7));
    task->SetAttribute("Width", UintegerValue(6));
    return task;
}

Ptr<Task>
MakeConvolutions()
{
    return MakeNetwork("conv3x3,relu,pool2,conv4x2,relu,fc6,relu,fc3");
}

Ptr<Task>
MakeDense()
{
    return MakeNetwork("relu,pool2,fc5,relu,fc3");
}

Eigen::MatrixXd
Draw(Eigen::Index rows, Eigen::Index columns, std::mt19937_64& engine, double scale)
{
    std::normal_distribution<double> normal(0, scale);
    return Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return normal(engine); });
}

std::shared_ptr<Dataset>
MakeData(const Eigen::MatrixXd& features, const Eigen::VectorXd& labels)
{
    const auto data = std::make_shared<Dataset>();
    data->name = "test";
    data->features = features;
    data->labels = labels;
    data->classes = CLASSES;
    return data;
}

class SampleLossTest : public testing::TestWithParam<Maker>
{
  protected:
    SampleLossTest()
    {
        task = GetParam()();
        task->SetAttribute("Regularization", DoubleValue(0)); // is no part of the sample's loss
        task->SetData(MakeData(features, labels), nullptr);
        theta = Draw(task->GetDimension(), 1, engine, 0.3);
        loss = dynamic_cast<const SampleLoss*>(PeekPointer(task));
    }

    std::mt19937_64 engine{7};
    Eigen::MatrixXd features{Draw(FEATURES, 70, engine, 1)}; // more than one pass of a network
    Eigen::VectorXd labels{
        Eigen::VectorXd::NullaryExpr(70, [](Eigen::Index k) { return k * k % CLASSES; })};
    Ptr<Task> task;
    ModelVector theta;
    const SampleLoss* loss{nullptr};
};

TEST_P(SampleLossTest, ModelGradientIsThatOfTheTaskOnTheseSamples)
{
    ModelVector expected(theta.size());
    SampleIndices all(70);
    std::iota(all.begin(), all.end(), 0);
    task->BatchGradient(theta, all, expected);
    // Sums of 70 numbers in double, in another order.
    EXPECT_NEAR((loss->GetModelGradient(theta, features, labels) - expected).norm(),
                0,
                1e-13 * (1 + expected.norm()));
}

TEST_P(SampleLossTest, InputGradientIsTheSlopeOfTheLoss)
{
    const Eigen::MatrixXd gradient = loss->GetInputGradient(theta, features, labels);
    ASSERT_EQ(gradient.rows(), FEATURES);
    ASSERT_EQ(gradient.cols(), 70);
    EXPECT_GT(gradient.col(69).norm(), 0);
    SampleIndices all(70);
    std::iota(all.begin(), all.end(), 0);
    const auto getLoss = [&](const Eigen::MatrixXd& moved) {
        task->SetData(MakeData(moved, labels), nullptr);
        return task->GetLoss(theta, EqualWeights(all));
    };
    for (uint32_t trial = 0; trial < 30; ++trial)
    {
        // One sample moves, in a random direction; the step is small enough to cross no kink of
        // a ReLU (a network of 64-bit numbers), the error of rounding is 1e-16 / 1e-6.
        Eigen::MatrixXd direction = Eigen::MatrixXd::Zero(FEATURES, 70);
        direction.col(trial * 7 % 70) = Draw(FEATURES, 1, engine, 1);
        const double step = 1e-6;
        const double slope =
            (getLoss(features + step * direction) - getLoss(features - step * direction)) /
            (2 * step);
        EXPECT_NEAR((gradient.array() * direction.array()).sum(), slope, 1e-8);
    }
}

std::string
GetName(const testing::TestParamInfo<Maker>& info)
{
    const char* const names[] = {"Softmax", "Convolutions", "Dense"};
    return names[info.index];
}

INSTANTIATE_TEST_SUITE_P(Tasks,
                         SampleLossTest,
                         testing::Values(&MakeSoftmax, &MakeConvolutions, &MakeDense),
                         GetName);

} // namespace
} // namespace ns3::dlearn
