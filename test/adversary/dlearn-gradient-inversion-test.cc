/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-glyph-generator.h"
#include "ns3/dlearn-gradient-inversion.h"
#include "ns3/dlearn-neural-network-task.h"
#include "ns3/dlearn-softmax-task.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace ns3::dlearn
{
namespace
{

/** A network without kinks. */
const char* const SMOOTH = "conv12x5,sigmoid,fc10";

/** Images that are drawn, with ten classes. */
DatasetPtr
GetImages()
{
    GlyphOptions options;
    options.samples = 60;
    static const auto images = std::make_shared<const Dataset>(MakeGlyphs(options, 11));
    return images;
}

Ptr<SoftmaxTask>
MakeSoftmax()
{
    const auto task = CreateObject<SoftmaxTask>();
    task->SetData(GetImages(), nullptr);
    return task;
}

Ptr<NeuralNetworkTask>
MakeNetwork(const std::string& layers)
{
    const auto task = CreateObject<NeuralNetworkTask>();
    task->SetAttribute("Layers", StringValue(layers));
    task->SetAttribute("FloatBits", UintegerValue(64));
    task->SetData(GetImages(), nullptr);
    return task;
}

Eigen::MatrixXd
Draw(Eigen::Index rows, Eigen::Index columns, uint64_t seed, double scale)
{
    std::mt19937_64 engine(seed);
    std::normal_distribution<double> normal(0, scale);
    return Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return normal(engine); });
}

Ptr<UniformRandomVariable>
MakeRandom()
{
    const auto random = CreateObject<UniformRandomVariable>();
    random->SetStream(5);
    return random;
}

TEST(GradientInversion, SlopeOfTheMismatchIsThatOfItsValue)
{
    const Ptr<SoftmaxTask> softmax = MakeSoftmax();
    const Ptr<NeuralNetworkTask> network = MakeNetwork("conv4x5,relu,pool2,fc20,relu,fc10");
    const std::pair<const SampleLoss*, ModelVector> rows[] = {
        {PeekPointer(softmax), Draw(softmax->GetDimension(), 1, 1, 0.1)},
        {PeekPointer(network), network->DrawInitialModel(3)}};
    for (const auto& [loss, theta] : rows)
    {
        const Eigen::MatrixXd truth = GetImages()->features.leftCols(2);
        const Eigen::VectorXd labels = GetImages()->labels.head(2);
        const ModelVector gradient = loss->GetModelGradient(theta, truth, labels);
        const Eigen::MatrixXd guess = Draw(truth.rows(), 2, 2, 0.5);
        Eigen::MatrixXd slope;
        const double value = GetMismatch(*loss, theta, gradient, guess, labels, &slope);
        EXPECT_NEAR(value,
                    (loss->GetModelGradient(theta, guess, labels) - gradient).squaredNorm() /
                        gradient.squaredNorm(),
                    1e-12);
        for (uint64_t trial = 0; trial < 20; ++trial)
        {
            const Eigen::MatrixXd direction = Draw(truth.rows(), 2, 10 + trial, 1);
            // Both sides are central differences, of steps that cross hardly any kink.
            const double step = 1e-6;
            const double difference =
                GetMismatch(*loss, theta, gradient, guess + step * direction, labels, nullptr) -
                GetMismatch(*loss, theta, gradient, guess - step * direction, labels, nullptr);
            EXPECT_NEAR((slope.array() * direction.array()).sum(),
                        difference / (2 * step),
                        1e-5 * slope.norm() * direction.norm());
        }
        EXPECT_EQ(GetMismatch(*loss, theta, gradient, truth, labels, &slope), 0);
        EXPECT_EQ(slope.norm(), 0);
    }
}

TEST(GradientInversion, LabelsShowInTheGradient)
{
    const Ptr<NeuralNetworkTask> network = MakeNetwork(SMOOTH);
    const ModelVector theta = network->DrawInitialModel(3);
    const Eigen::MatrixXd noise = Draw(network->GetInputs(), 3, 4, 0.2).cwiseAbs();
    for (Eigen::Index k = 0; k < 50; ++k) // a guess is right once in ten
    {
        const ModelVector gradient = network->GetModelGradient(theta,
                                                               GetImages()->features.col(k),
                                                               GetImages()->labels.segment(k, 1));
        EXPECT_EQ(GuessLabels(*network, theta, gradient, noise.leftCols(1))[0],
                  GetImages()->labels[k]);
    }
    Eigen::VectorXd labels = GetImages()->labels.head(3);
    Eigen::VectorXd found =
        GuessLabels(*network,
                    theta,
                    network->GetModelGradient(theta, GetImages()->features.leftCols(3), labels),
                    noise);
    std::sort(labels.begin(), labels.end()); // nothing tells their order
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, labels);
}

/** Tests that search for images need the library. */
class GradientInversionSearch : public testing::Test
{
  protected:
    void SetUp() override
    {
        if (!HasLbfgs())
        {
            GTEST_SKIP() << "built without liblbfgs";
        }
    }
};

TEST_F(GradientInversionSearch, FindsTheImageBehindAGradient)
{
    const Ptr<SoftmaxTask> softmax = MakeSoftmax();
    const Ptr<NeuralNetworkTask> dense = MakeNetwork("fc30,sigmoid,fc10");
    const Ptr<NeuralNetworkTask> convolution = MakeNetwork(SMOOTH);
    const std::pair<const SampleLoss*, ModelVector> rows[] = {
        {PeekPointer(softmax), Draw(softmax->GetDimension(), 1, 1, 0.01)},
        {PeekPointer(dense), dense->DrawInitialModel(3)},
        {PeekPointer(convolution), convolution->DrawInitialModel(3)}};
    InversionOptions options;
    options.starts = 1;
    for (const auto& [loss, theta] : rows)
    {
        for (Eigen::Index k = 0; k < 3; ++k)
        {
            const Eigen::MatrixXd truth = GetImages()->features.col(k);
            const Eigen::VectorXd label = GetImages()->labels.segment(k, 1);
            const ModelVector gradient = loss->GetModelGradient(theta, truth, label);
            const InvertedGradient found =
                InvertGradient(*loss, theta, gradient, options, *MakeRandom());
            EXPECT_EQ(found.labels, label);
            EXPECT_LT(found.mismatch, 1e-9);
            // Every pixel to three digits; an empty image would have an error of about 0.1.
            EXPECT_LT(GetInversionError(truth, found.features, 0, 1), 1e-6);
        }
    }
}

TEST_F(GradientInversionSearch, FindsTheImagesBehindTheGradientOfABatch)
{
    const Ptr<NeuralNetworkTask> network = MakeNetwork("fc30,sigmoid,fc10");
    const ModelVector theta = network->DrawInitialModel(3);
    const Eigen::MatrixXd truth = GetImages()->features.leftCols(2);
    const ModelVector gradient =
        network->GetModelGradient(theta, truth, GetImages()->labels.head(2));
    InversionOptions options;
    options.samples = 2;
    const InvertedGradient found =
        InvertGradient(*network, theta, gradient, options, *MakeRandom());
    EXPECT_LT(GetInversionError(truth, found.features, 0, 1), 1e-4);
}

TEST_F(GradientInversionSearch, NoiseOnTheGradientProtectsTheImage)
{
    const Ptr<NeuralNetworkTask> network = MakeNetwork(SMOOTH);
    const ModelVector theta = network->DrawInitialModel(3);
    const Eigen::MatrixXd truth = GetImages()->features.col(0);
    const ModelVector gradient =
        network->GetModelGradient(theta, truth, GetImages()->labels.head(1));
    InversionOptions options;
    options.starts = 1;
    double last = -1;
    for (const double deviation : {0.0, 1e-3, 1e-2, 1e-1}) // far apart: the trend is no chance
    {
        const ModelVector noisy = gradient + Draw(theta.size(), 1, 9, deviation);
        const InvertedGradient found =
            InvertGradient(*network, theta, noisy, options, *MakeRandom());
        const double error = GetInversionError(truth, found.features, 0, 1);
        EXPECT_GT(error, last);
        last = error;
    }
    EXPECT_GT(last, 0.5 * truth.squaredNorm() / 784); // half of what a black image has
}

TEST(SoftmaxInversion, IsExactForWhatOneSampleLeft)
{
    const Ptr<SoftmaxTask> task = MakeSoftmax();
    for (const double scale : {0.0, 0.01, 0.1, 0.5}) // the last makes p nearly certain
    {
        const ModelVector theta = Draw(task->GetDimension(), 1, 1, scale);
        for (Eigen::Index k = 0; k < 20; ++k)
        {
            const Eigen::MatrixXd truth = GetImages()->features.col(k);
            const Eigen::VectorXd label = GetImages()->labels.segment(k, 1);
            const ModelVector gradient = task->GetModelGradient(theta, truth, label);
            if (gradient.norm() < 1e-3 * truth.norm())
            {
                continue; // the model is so sure that nothing is left to see
            }
            const InvertedGradient found =
                InvertSoftmaxGradient(task->GetInputs(), theta, gradient, 28);
            EXPECT_EQ(found.labels, label);
            // The factor is found where the mismatch, a square, is flat to rounding.
            EXPECT_LT((found.features - truth).norm(), 1e-5 * truth.norm()) << scale << " " << k;
            EXPECT_LT(found.mismatch, 1e-9);
        }
    }
}

TEST(SoftmaxInversion, OfTwoClassesTheLightSideIsTaken)
{
    Dataset data;
    data.name = "two";
    data.features = Draw(30, 8, 3, 1).cwiseAbs();
    data.labels =
        Eigen::VectorXd::LinSpaced(8, 0, 7).unaryExpr([](double k) { return std::fmod(k, 2); });
    data.classes = 2;
    const auto task = CreateObject<SoftmaxTask>();
    task->SetData(std::make_shared<Dataset>(data), nullptr);
    const ModelVector theta = Draw(60, 1, 4, 0.05); // one factor up to 8 only
    for (Eigen::Index k = 0; k < 8; ++k)
    {
        const ModelVector gradient =
            task->GetModelGradient(theta, data.features.col(k), data.labels.segment(k, 1));
        const InvertedGradient found = InvertSoftmaxGradient(30, theta, gradient, 8);
        EXPECT_EQ(found.labels[0], data.labels[k]);
        EXPECT_LT((found.features - data.features.col(k)).norm(), 1e-4);
    }
}

TEST(SoftmaxInversion, NoiseDisturbsTheImageAsMuchAsItsTheorySays)
{
    // At Theta = 0, ||r||^2 = 0.9 is known; noise of deviation s in each of inputs x classes
    // entries turns the direction u by a part of expected square (inputs - 1) s^2 / sigma^2 to
    // first order, sigma = ||x|| ||r||. The factor two leaves room for the second order.
    const Ptr<SoftmaxTask> task = MakeSoftmax();
    const ModelVector theta = ModelVector::Zero(task->GetDimension());
    for (Eigen::Index k = 0; k < 20; ++k)
    {
        const Eigen::MatrixXd truth = GetImages()->features.col(k);
        const double deviation = 0.02;
        const ModelVector gradient =
            task->GetModelGradient(theta, truth, GetImages()->labels.segment(k, 1)) +
            Draw(theta.size(), 1, 100 + k, deviation);
        const InvertedGradient found = InvertSoftmaxGradient(784, theta, gradient, 28);
        EXPECT_EQ(found.labels[0], GetImages()->labels[k]);
        const double cosine = found.features.col(0).normalized().dot(truth.col(0).normalized());
        const double expected = 783 * deviation * deviation / (truth.squaredNorm() * 0.9);
        EXPECT_GT(1 - cosine * cosine, expected / 2);
        EXPECT_LT(1 - cosine * cosine, expected * 2);
    }
}

TEST(InversionError, IsTheMeanSquareWithinTheRangeOfPixels)
{
    Eigen::MatrixXd truth(2, 1);
    truth << 0, 1;
    Eigen::MatrixXd found(2, 2);
    found << 0.5, -7, 0.5, 0.9;
    EXPECT_DOUBLE_EQ(GetInversionError(truth, found.leftCols(1), 0, 1), 0.25);
    EXPECT_NEAR(GetInversionError(truth, found, 0, 1), 0.005, 1e-15); // the nearer one, cut
    EXPECT_NEAR(GetInversionError(10 * truth, 10 * found, 0, 10), 0.005, 1e-15);
    ExpectRefused([&] { GetInversionError(truth, found, 1, 1); },
                  "GetInversionError: low must be less than high, got 1, 1");
    ExpectRefused([&] { GetInversionError(truth, Eigen::MatrixXd::Zero(3, 1), 0, 1); },
                  "GetInversionError: a found image must have 2 entries, got 3");
}

TEST(GradientInversion, RefusesWhatItCanNotInvert)
{
    const Ptr<SoftmaxTask> task = MakeSoftmax();
    const ModelVector theta = ModelVector::Zero(task->GetDimension());
    const ModelVector ones = ModelVector::Ones(theta.size());
    const auto invert = [&](const ModelVector& gradient, const InversionOptions& options) {
        InvertGradient(*task, theta, gradient, options, *MakeRandom());
    };
    ExpectRefused([&] { invert(ModelVector::Ones(3), {}); },
                  "GradientInversion: gradient must have 7840 entries, got 3");
    ExpectRefused([&] { invert(theta, {}); },
                  "GradientInversion: gradient must be finite and not 0");
    InversionOptions none;
    none.starts = 0;
    ExpectRefused([&] { invert(ones, none); },
                  "samples, starts and iterations must be at least 1, got 1, 0 and 200");
    InversionOptions dark;
    dark.high = 0;
    ExpectRefused([&] { invert(ones, dark); },
                  "GradientInversion: low must be less than high, got 0 and 0");
    ExpectRefused([&] { InvertSoftmaxGradient(784, theta, theta, 28); },
                  "InvertSoftmaxGradient: gradient must be finite and not 0");
    ExpectRefused([&] { InvertSoftmaxGradient(7840, theta, ones, 28); },
                  "at least 2 classes, got 7840 for 7840 inputs");
    ExpectRefused([&] { InvertSoftmaxGradient(784, theta, ones, 0); },
                  "InvertSoftmaxGradient: largest must be finite and greater than 0, got 0");
}

} // namespace
} // namespace ns3::dlearn
