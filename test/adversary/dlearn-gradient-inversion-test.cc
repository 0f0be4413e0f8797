/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"
#include "system/dlearn-system-fixture.h"

#include "ns3/dlearn-data-generator.h"
#include "ns3/dlearn-eavesdropper.h"
#include "ns3/dlearn-gradient-inversion.h"
#include "ns3/dlearn-linear-tasks.h"
#include "ns3/dlearn-neural-network-task.h"
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
#ifndef DLEARN_WITH_LBFGS
        GTEST_SKIP() << "built without liblbfgs";
#endif
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
}

/** What an eavesdropper on all links of a run found out, and what was so. */
struct Spied
{
    std::vector<std::optional<ModelVector>> estimates; //!< one a learner
    std::vector<ModelVector> gradients;                //!< at the overheard models
    double deviation{0};                               //!< that the noise should have, learner 0
};

Spied
Spy(const RunSpec& options, uint32_t round)
{
    const auto eavesdropper = CreateObject<Eavesdropper>();
    std::unique_ptr<GradientEstimator> estimator;
    Ptr<const Task> task;
    std::vector<Ptr<SampleStream>> streams;
    RunToEnd(options, [&](dlearn::Run& scenario) {
        estimator =
            std::make_unique<GradientEstimator>(scenario.GetGraph(), LdpOnlineSteps(), round + 1);
        eavesdropper->TraceConnectWithoutContext(
            "Overheard",
            MakeCallback(&GradientEstimator::Note, estimator.get()));
        for (const auto& learner : scenario.GetPeers())
        {
            eavesdropper->ListenAt(learner->GetNode());
        }
        task = scenario.GetTask();
        streams = scenario.Get<PeerLearners>().GetStreams();
    });
    Spied spied;
    for (LearnerId id = 0; id < streams.size(); ++id)
    {
        spied.estimates.push_back(estimator->Estimate(id, round));
        const SampleIndices& log = streams[id]->GetLog();
        const SampleIndices history(log.begin(), log.begin() + streams[id]->GetLogSize(round));
        ModelVector gradient(task->GetDimension());
        task->BatchGradient(*estimator->FindModel(id, round), history, gradient);
        spied.gradients.push_back(gradient);
    }
    // The scenario's noise: (t+1)^(0.1 + 0.01 i) times the factor asked for.
    spied.deviation = estimator->GetDeviation(0,
                                              round,
                                              options.noise * std::pow(round + 1, 0.11),
                                              options.noise * std::pow(round + 2, 0.11));
    return spied;
}

TEST(GradientEstimator, WithoutNoiseFindsTheGradients)
{
    RunSpec options = SmallRun("p2p");
    options.noise = 0;
    options.initStd = 0.5;
    for (const uint32_t round : {0, 7})
    {
        const Spied spied = Spy(options, round);
        for (LearnerId id = 0; id < 5; ++id)
        {
            ASSERT_TRUE(spied.estimates[id].has_value());
            // Differences of numbers of size 1 in 64 bits, divided by steps of at least 0.2.
            EXPECT_LT((*spied.estimates[id] - spied.gradients[id]).norm(), 1e-13);
            EXPECT_GT(spied.gradients[id].norm(), 0.01);
        }
    }
}

TEST(GradientEstimator, CarriesTheNoiseThatItSays)
{
    RunSpec options = SmallRun("p2p");
    options.noise = 1e-4; // the gradients at y_t and at theta_t then differ by far less
    for (const uint32_t round : {0, 7})
    {
        const Spied spied = Spy(options, round);
        const ModelVector error = *spied.estimates[0] - spied.gradients[0];
        // d sums of two Laplace variables: the mean square has a relative standard error of at
        // most sqrt(5 / d) (kurtosis of at most 6); 6 of these: wrong with probability 2e-9.
        const double square = error.squaredNorm() / error.size();
        const double expected = spied.deviation * spied.deviation;
        EXPECT_NEAR(square / expected, 1, 6 * std::sqrt(5.0 / error.size()));
    }
}

TEST(GradientEstimator, SaysNothingWhereItMissesSomething)
{
    Graph graph(3);
    graph.AddEdge(0, 1, 0.5);
    GradientEstimator estimator(graph, {0.5, 1, 0.2, 0}, 1);
    const auto note = [&](LearnerId sender, uint32_t round, double value, ModelChannel channel) {
        estimator.Note({Seconds(1),
                        Ipv4Address(),
                        Ipv4Address(),
                        sender,
                        channel,
                        round,
                        ModelVector::Constant(2, value)});
    };
    note(0, 0, 1, ModelChannel::STATE);
    note(0, 1, 7, ModelChannel::TRACKER); // no state
    note(1, 0, 3, ModelChannel::STATE);
    note(8, 0, 3, ModelChannel::STATE); // no learner of the graph
    EXPECT_FALSE(estimator.Estimate(0, 0).has_value());
    note(0, 1, 2, ModelChannel::STATE);
    note(0, 1, 9, ModelChannel::STATE); // the first counts
    EXPECT_FALSE(estimator.Estimate(1, 0).has_value());
    // (1 + 0.2 x 0.5 x (3 - 1) - 2) / 0.5
    EXPECT_NEAR((*estimator.Estimate(0, 0))[1], -1.6, 1e-15);
    EXPECT_EQ(estimator.FindModel(2, 0), nullptr);
}

} // namespace
} // namespace ns3::dlearn
