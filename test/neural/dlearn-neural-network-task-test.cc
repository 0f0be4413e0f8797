/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"
#include "task/dlearn-task-test-support.h"

#include "ns3/dlearn-data-readers.h"
#include "ns3/dlearn-network-plan.h"
#include "ns3/dlearn-neural-network-task.h"
#include "ns3/double.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::dlearn;
using namespace ns3::dlearn::test;

namespace
{

/** @return a task on images of some shape; without data when there are none */
Ptr<NeuralNetworkTask>
MakeTask(const std::string& layers,
         uint32_t floatBits,
         DatasetPtr data,
         ImageShape shape = {0, 0, 0})
{
    const auto task = CreateObject<NeuralNetworkTask>();
    task->SetAttribute("Layers", StringValue(layers));
    task->SetAttribute("FloatBits", UintegerValue(floatBits));
    task->SetAttribute("Channels", UintegerValue(shape.channels));
    task->SetAttribute("Height", UintegerValue(shape.height));
    task->SetAttribute("Width", UintegerValue(shape.width));
    if (data)
    {
        task->SetData(data, nullptr);
    }
    return task;
}

/**
 * The network conv3x3,relu,pool2,conv4x2,relu,fc6,relu,fc3 on 2 x 9 x 8 images, written as loops
 * over one sample, forwards and back.
 */
class LoopNetwork
{
  public:
    static constexpr const char* LAYERS = "conv3x3,relu,pool2,conv4x2,relu,fc6,relu,fc3";
    static constexpr ImageShape SHAPE{2, 9, 8};

    LoopNetwork(const ModelVector& theta, const ModelVector& image, int label)
        : gradient(ModelVector::Zero(theta.size()))
    {
        // Sizes: 2x9x8, conv 3x7x6, pool 3x3x3, conv 4x2x2, dense 6, dense 3.
        const int c2 = 3 * 19;      // first parameter of the second convolution
        const int d1 = c2 + 4 * 13; // of the first dense layer
        const int d2 = d1 + 6 * 17; // of the second
        const int end = d2 + 3 * 7;
        EXPECT_EQ(theta.size(), end);
        const auto a1 = Relu(Convolve(theta, 0, image, 2, 9, 8, 3, 3));
        const auto p1 = Pool(a1);
        const auto a2 = Relu(Convolve(theta, c2, p1, 3, 3, 3, 4, 2));
        const auto a3 = Relu(Dense(theta, d1, a2, 6));
        const auto z = Dense(theta, d2, a3, 3);
        double sum = 0;
        for (int k = 0; k < 3; ++k)
        {
            sum += std::exp(z[k] - z[label]);
        }
        loss = std::log(sum);
        ModelVector g(3);
        for (int k = 0; k < 3; ++k)
        {
            g[k] = std::exp(z[k] - z[label]) / sum - (k == label ? 1 : 0);
        }
        g = Mask(DenseBack(theta, d2, a3, g), a3);
        g = Mask(DenseBack(theta, d1, a2, g), a2);
        g = ConvolveBack(theta, c2, p1, 3, 3, 3, 4, 2, g);
        g = Mask(PoolBack(a1, g), a1);
        ConvolveBack(theta, 0, image, 2, 9, 8, 3, 3, g);
    }

    double loss{0};       //!< of the sample
    ModelVector gradient; //!< of its loss

  private:
    static ModelVector Convolve(const ModelVector& theta,
                                int first,
                                const ModelVector& x,
                                int channels,
                                int height,
                                int width,
                                int filters,
                                int side)
    {
        const int outHeight = height - side + 1;
        const int outWidth = width - side + 1;
        ModelVector y(filters * outHeight * outWidth);
        for (int f = 0; f < filters; ++f)
        {
            for (int r = 0; r < outHeight; ++r)
            {
                for (int c = 0; c < outWidth; ++c)
                {
                    double sum = theta[first + filters * channels * side * side + f];
                    for (int k = 0; k < channels; ++k)
                    {
                        for (int i = 0; i < side; ++i)
                        {
                            for (int j = 0; j < side; ++j)
                            {
                                sum += theta[first + ((f * channels + k) * side + i) * side + j] *
                                       x[(k * height + r + i) * width + c + j];
                            }
                        }
                    }
                    y[(f * outHeight + r) * outWidth + c] = sum;
                }
            }
        }
        return y;
    }

    ModelVector ConvolveBack(const ModelVector& theta,
                             int first,
                             const ModelVector& x,
                             int channels,
                             int height,
                             int width,
                             int filters,
                             int side,
                             const ModelVector& dy)
    {
        const int outHeight = height - side + 1;
        const int outWidth = width - side + 1;
        ModelVector dx = ModelVector::Zero(x.size());
        for (int f = 0; f < filters; ++f)
        {
            for (int place = 0; place < outHeight * outWidth; ++place)
            {
                const double d = dy[f * outHeight * outWidth + place];
                gradient[first + filters * channels * side * side + f] += d;
                for (int k = 0; k < channels; ++k)
                {
                    for (int ij = 0; ij < side * side; ++ij)
                    {
                        const int w = first + (f * channels + k) * side * side + ij;
                        const int at = (k * height + place / outWidth + ij / side) * width +
                                       place % outWidth + ij % side;
                        gradient[w] += d * x[at];
                        dx[at] += d * theta[w];
                    }
                }
            }
        }
        return dx;
    }

    /** 3 x 7 x 6 to 3 x 3 x 3: the last row is left out. */
    static ModelVector Pool(const ModelVector& x)
    {
        ModelVector y(27);
        for (int k = 0; k < 27; ++k)
        {
            const int at = (k / 9 * 7 + k / 3 % 3 * 2) * 6 + k % 3 * 2;
            y[k] = std::max({x[at], x[at + 1], x[at + 6], x[at + 7]});
        }
        return y;
    }

    static ModelVector PoolBack(const ModelVector& x, const ModelVector& dy)
    {
        ModelVector dx = ModelVector::Zero(x.size());
        for (int k = 0; k < 27; ++k)
        {
            const int at = (k / 9 * 7 + k / 3 % 3 * 2) * 6 + k % 3 * 2;
            int best = at;
            for (const int other : {at + 1, at + 6, at + 7})
            {
                best = x[other] > x[best] ? other : best;
            }
            dx[best] += dy[k];
        }
        return dx;
    }

    static ModelVector Dense(const ModelVector& theta, int first, const ModelVector& x, int outputs)
    {
        ModelVector y(outputs);
        for (int o = 0; o < outputs; ++o)
        {
            y[o] = theta[first + outputs * x.size() + o];
            for (int k = 0; k < x.size(); ++k)
            {
                y[o] += theta[first + o * x.size() + k] * x[k];
            }
        }
        return y;
    }

    ModelVector DenseBack(const ModelVector& theta,
                          int first,
                          const ModelVector& x,
                          const ModelVector& dy)
    {
        ModelVector dx = ModelVector::Zero(x.size());
        for (int o = 0; o < dy.size(); ++o)
        {
            gradient[first + dy.size() * x.size() + o] += dy[o];
            for (int k = 0; k < x.size(); ++k)
            {
                gradient[first + o * x.size() + k] += dy[o] * x[k];
                dx[k] += dy[o] * theta[first + o * x.size() + k];
            }
        }
        return dx;
    }

    static ModelVector Relu(ModelVector x)
    {
        for (double& value : x)
        {
            value = value > 0 ? value : 0;
        }
        return x;
    }

    static ModelVector Mask(ModelVector dy, const ModelVector& y)
    {
        for (int k = 0; k < y.size(); ++k)
        {
            dy[k] = y[k] > 0 ? dy[k] : 0;
        }
        return dy;
    }
};

constexpr ImageShape LoopNetwork::SHAPE;

/** The network above against the task, in either precision. */
class AgainstLoops : public testing::TestWithParam<uint32_t>
{
  protected:
    static constexpr uint32_t SAMPLES = 150; // more than one pass

    AgainstLoops()
    {
        std::uniform_int_distribution<uint32_t> index(0, 39);
        for (uint32_t k = 0; k < SAMPLES; ++k)
        {
            m_samples.indices.push_back(index(m_engine));
        }
        m_samples.weights = RandomVector(m_engine, SAMPLES).cwiseAbs() / SAMPLES;
    }

    /**
     * A hundred roundings or so: float has 24 bits, double 53. Unequal pools and signs could
     * differ where values are as near as that; with these seeds none are.
     */
    double GetTolerance() const { return GetParam() == 32 ? 1e-5 : 1e-13; }

    Engine m_engine{21};
    DatasetPtr m_data{RandomData(3, 2 * 9 * 8, 40)};
    Ptr<NeuralNetworkTask> m_task{
        MakeTask(LoopNetwork::LAYERS, GetParam(), m_data, LoopNetwork::SHAPE)};
    ModelVector m_theta{RandomVector(m_engine, m_task->GetDimension(), 0.3)};
    WeightedSamples m_samples;
};

TEST_P(AgainstLoops, LossAndGradientAgree)
{
    for (const double clipNorm : {0.0, 0.5, 4.0, 1e9})
    {
        double loss = 0;
        ModelVector gradient = ModelVector::Zero(m_theta.size());
        uint32_t clipped = 0;
        for (uint32_t k = 0; k < SAMPLES; ++k)
        {
            const uint32_t index = m_samples.indices[k];
            const LoopNetwork loops(m_theta,
                                    m_data->features.col(index),
                                    static_cast<int>(m_data->labels[index]));
            const double norm = loops.gradient.norm();
            const bool clips = clipNorm > 0 && norm > clipNorm;
            clipped += clips;
            loss += m_samples.weights[k] * loops.loss;
            gradient += m_samples.weights[k] * (clips ? clipNorm / norm : 1) * loops.gradient;
        }
        EXPECT_NEAR(m_task->GetLoss(m_theta, m_samples), loss, GetTolerance() * loss);
        const ModelVector got = GradientAt(*m_task, m_theta, m_samples, clipNorm);
        EXPECT_LE((got - gradient).norm(), GetTolerance() * gradient.norm()) << clipNorm;
        EXPECT_EQ(clipped > 0, clipNorm == 0.5 || clipNorm == 4);
        EXPECT_LT(clipped, clipNorm == 4 ? SAMPLES : SAMPLES + 1) << "clip some, not all";
    }
}

// Memory is used again and again, for networks of other sizes too.
TEST_P(AgainstLoops, ResultsDoNotDependOnWhatWasComputedBefore)
{
    const ModelVector before = GradientAt(*m_task, m_theta, m_samples, 0.5);
    const auto other = MakeTask("fc90,relu,fc3", GetParam(), m_data);
    GradientAt(*other, other->DrawInitialModel(1), EqualWeights(Range(0, 40)));
    m_task->GetAccuracy(m_theta);
    EXPECT_EQ(GradientAt(*m_task, m_theta, m_samples, 0.5), before);
}

TEST_P(AgainstLoops, LossBeyondTheRangeIsInfinite)
{
    const ModelVector huge = ModelVector::Constant(m_theta.size(), 1e100);
    EXPECT_EQ(m_task->GetLoss(huge, m_samples), INFINITY);
}

INSTANTIATE_TEST_SUITE_P(FloatBits, AgainstLoops, testing::Values(32, 64));

/** @return random images of some shape */
DatasetPtr
MakeImages(uint32_t features, uint32_t classes = 10)
{
    return RandomData(classes, features, 12);
}

// The first sample overflows, so that nothing can be clipped: it counts as one without a gradient.
TEST(NeuralNetworkTask, ASampleThatOverflowsMovesNothing)
{
    const auto data = std::make_shared<Dataset>();
    data->features = Eigen::MatrixXd::Constant(2, 3, 0.1);
    data->features.col(0).setConstant(1e4);
    data->labels = Eigen::VectorXd::Zero(3);
    data->classes = 2;
    const auto task = MakeTask("fc4,relu,fc2", 32, data, {1, 1, 2});
    const ModelVector theta = ModelVector::Constant(task->GetDimension(), 1e17);
    ModelVector gradient(theta.size());
    task->BatchGradient(theta, {0, 1, 2}, gradient);
    ASSERT_FALSE(gradient.allFinite());
    task->SetAttribute("ClipNorm", DoubleValue(1));
    task->BatchGradient(theta, {0, 1, 2}, gradient);
    ModelVector expected(theta.size());
    task->BatchGradient(theta, {1, 2}, expected);
    EXPECT_GT(expected.norm(), 0.9);
    EXPECT_LT((gradient - 2.0 / 3 * expected).norm(), 1e-6);
}

TEST(NeuralNetworkTask, DefaultIsTheNetworkOf431080Parameters)
{
    const auto task = CreateObject<NeuralNetworkTask>();
    task->SetData(MakeImages(28 * 28), nullptr);
    EXPECT_EQ(task->GetDimension(), 431080U);
    // Two operations a product; the first convolution's input needs no gradient.
    EXPECT_EQ(task->GetFlopsPerSample(), 2 * (2 * 288000.0 + 3 * (1600000.0 + 400000 + 5000)));
    EXPECT_EQ(task->GetSensitivity(), INFINITY);
    task->SetAttribute("ClipNorm", DoubleValue(3));
    EXPECT_EQ(task->GetSensitivity(), 6);
}

TEST(NeuralNetworkTask, DerivesTheShapeOfImages)
{
    const auto getShape = [](uint32_t features) {
        return MakeTask("fc10", 32, MakeImages(features))->GetPlan().input;
    };
    const std::vector<std::pair<uint32_t, ImageShape>> cases{{784, {1, 28, 28}},
                                                             {3072, {3, 32, 32}},
                                                             {1, {1, 1, 1}},
                                                             {3, {3, 1, 1}},
                                                             {112, {1, 1, 112}}};
    for (const auto& [features, shape] : cases)
    {
        const ImageShape got = getShape(features);
        EXPECT_EQ(got.channels, shape.channels) << features;
        EXPECT_EQ(got.height, shape.height) << features;
        EXPECT_EQ(got.width, shape.width) << features;
    }
}

TEST(NeuralNetworkTask, TakesTheShapeOfTheData)
{
    const auto data = RandomData(2, 784, 5);
    data->shape = {2, 14, 28};
    EXPECT_EQ(MakeTask("fc2", 32, data)->GetPlan().input.height, 14U);
    EXPECT_EQ(MakeTask("fc2", 32, data, {4, 7, 28})->GetPlan().input.height, 7U);
}

TEST(NeuralNetworkTask, RefusesWhatDoesNotFit)
{
    const auto refuse = [](const std::string& layers,
                           DatasetPtr data,
                           ImageShape shape,
                           const std::string& message) {
        const auto task = MakeTask(layers, 32, nullptr, shape);
        ExpectRefused([&] { task->SetData(data, nullptr); }, message);
    };
    const auto images = MakeImages(784);
    refuse(
        "fc9",
        images,
        {0, 0, 0},
        "NeuralNetworkTask: the last layer must have 10 outputs, one a class of 'random', got 9");
    refuse("conv2x3,fc10", MakeImages(112), {0, 0, 0}, "must fit into the 1 x 112 values");
    refuse("fc10", MakeImages(784, 0), {0, 0, 0}, "must have at least 2 classes, got 0");
    refuse("fc10",
           images,
           {2, 28, 28},
           "NeuralNetworkTask: Channels x Height x Width must all be 0 or give the 784 features of "
           "the data, got 2 x 28 x 28");
    refuse("fc10", images, {1, 784, 0}, "must all be 0 or give the 784 features");
    refuse("fc10,relu", images, {0, 0, 0}, "layers: layer 2, 'relu' at character 6");
    const auto task = MakeTask("fc10", 32, nullptr);
    task->SetAttribute("FloatBits", UintegerValue(48));
    ExpectRefused([&] { task->SetData(images, nullptr); }, "FloatBits must be 32 or 64, got 48");
}

TEST(NeuralNetworkTask, BeginsWhereTheInitializerSays)
{
    const auto task = CreateObject<NeuralNetworkTask>();
    task->SetData(MakeImages(28 * 28), nullptr);
    EXPECT_EQ(task->DrawInitialModel(5), HeGlorotInitializer().Draw(task->GetPlan(), 5));
    task->SetAttribute("Initializer", TypeIdValue(FanInUniformInitializer::GetTypeId()));
    EXPECT_EQ(task->DrawInitialModel(5), FanInUniformInitializer().Draw(task->GetPlan(), 5));
    const TypeIdValue wrong(NeuralNetworkTask::GetTypeId());
    ExpectRefused([&] { task->SetAttribute("Initializer", wrong); },
                  "NeuralNetworkTask: Initializer must be a concrete type derived from "
                  "ns3::dlearn::WeightInitializer, got ns3::dlearn::NeuralNetworkTask");
}

} // namespace
