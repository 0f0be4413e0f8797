/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Each layer alone: its output against the definition, its derivatives against differences.
 */

#include "task/dlearn-task-test-support.h"

#include "ns3/dlearn-network-layers.h"
#include "ns3/dlearn-network.h"

#include <functional>
#include <gtest/gtest.h>

using namespace ns3::dlearn;
using namespace ns3::dlearn::test;

namespace
{

using Matrix = RowMatrix<double>;

/** A layer, and memory around it. */
template <typename Scalar>
struct Fixture
{
    explicit Fixture(const LayerPlan& plan)
        : layer(CreateNetworkLayer<Scalar>(plan))
    {
    }

    RowMatrix<Scalar> Forward(const ColumnVector<Scalar>& parameters,
                              const RowMatrix<Scalar>& input)
    {
        RowMatrix<Scalar> output(layer->GetPlan().output.GetSize(), input.cols());
        layer->Forward(parameters, input, work, output);
        return output;
    }

    RowMatrix<Scalar> Backward(const ColumnVector<Scalar>& parameters,
                               const RowMatrix<Scalar>& input,
                               const RowMatrix<Scalar>& outputGradient)
    {
        const RowMatrix<Scalar> output = Forward(parameters, input);
        RowMatrix<Scalar> gradient(input.rows(), input.cols());
        gradient.setConstant(7); // must be overwritten
        layer->Backward(parameters,
                        layer->IsInPlace() ? output : input,
                        output,
                        outputGradient,
                        work,
                        gradient);
        return gradient;
    }

    ColumnVector<Scalar> GetGradient(const RowMatrix<Scalar>& input,
                                     const RowMatrix<Scalar>& outputGradient)
    {
        ColumnVector<Scalar> gradient(layer->GetPlan().GetParameters());
        gradient.setConstant(7);
        layer->GetGradient(input, outputGradient, work, gradient);
        return gradient;
    }

    std::unique_ptr<NetworkLayer<Scalar>> layer;
    GrowingMatrix<Scalar> work;
};

/** The layers of a network and random numbers to feed them. */
class NetworkLayers : public testing::TestWithParam<LayerPlan>
{
  protected:
    Matrix Random(Eigen::Index rows, Eigen::Index columns)
    {
        Matrix matrix(rows, columns);
        matrix.reshaped() = RandomVector(m_engine, matrix.size());
        return matrix;
    }

    void SetUp() override
    {
        m_parameters = RandomVector(m_engine, GetParam().GetParameters());
        m_input = Random(GetParam().input.GetSize(), SAMPLES);
        m_weights = Random(GetParam().output.GetSize(), SAMPLES);
    }

    /**
     * Derivatives of sum(weights * output) by central differences. The layers are linear, or
     * linear where nothing crosses a kink (values differ by more than 1e-6 with these seeds), so
     * only rounding counts: about 1e-16 * 100 / 1e-6.
     */
    static ColumnVector<double> Differentiate(ColumnVector<double> x,
                                              const std::function<double(ModelVector)>& f)
    {
        constexpr double H = 1e-6;
        ColumnVector<double> result(x.size());
        for (Eigen::Index k = 0; k < x.size(); ++k)
        {
            const ModelVector step = H * ModelVector::Unit(x.size(), k);
            result[k] = (f(x + step) - f(x - step)) / (2 * H);
        }
        return result;
    }

    static constexpr Eigen::Index SAMPLES = 7; //!< not a multiple of those copied at a time
    static constexpr double TOLERANCE = 1e-7;

    Engine m_engine{11};
    ColumnVector<double> m_parameters;
    Matrix m_input;
    Matrix m_weights; //!< what the outputs count: the gradient of the loss
};

TEST_P(NetworkLayers, BackwardIsTheDerivativeByTheInput)
{
    Fixture<double> fixture(GetParam());
    const Matrix gradient = fixture.Backward(m_parameters, m_input, m_weights);
    const ModelVector expected =
        Differentiate(m_input.reshaped<Eigen::RowMajor>(), [&](const ModelVector& x) {
            const Matrix input = x.reshaped<Eigen::RowMajor>(m_input.rows(), SAMPLES);
            return fixture.Forward(m_parameters, input).cwiseProduct(m_weights).sum();
        });
    EXPECT_LE((gradient.reshaped<Eigen::RowMajor>() - expected).norm(),
              TOLERANCE * (1 + expected.norm()));
}

TEST_P(NetworkLayers, GradientIsTheDerivativeByTheParameters)
{
    Fixture<double> fixture(GetParam());
    const ModelVector gradient = fixture.GetGradient(m_input, m_weights);
    const ModelVector expected = Differentiate(m_parameters, [&](const ModelVector& x) {
        return fixture.Forward(x, m_input).cwiseProduct(m_weights).sum();
    });
    EXPECT_LE((gradient - expected).norm(), TOLERANCE * (1 + expected.norm()));
}

TEST_P(NetworkLayers, SquaredNormsAreThoseOfEachSampleAlone)
{
    Fixture<double> fixture(GetParam());
    Eigen::ArrayXd squares = Eigen::ArrayXd::Constant(SAMPLES, 0.5); // is added to
    GrowingMatrix<double> own;
    fixture.layer->AddSquaredNorms(m_input, m_weights, fixture.work, own, squares);
    const bool convolution = GetParam().kind == LayerKind::CONVOLUTION;
    EXPECT_EQ(own.Get().rows(), convolution ? SAMPLES : 0);
    for (Eigen::Index k = 0; k < SAMPLES; ++k)
    {
        const ModelVector alone = fixture.GetGradient(m_input.col(k), m_weights.col(k));
        const double expected = alone.squaredNorm() + 0.5;
        EXPECT_NEAR(squares[k], expected, 1e-12 * expected);
        if (convolution)
        {
            EXPECT_LE((own.Get().row(k).transpose() - alone).norm(), 1e-14 * alone.norm());
        }
    }
}

// Sums of at most a few hundred products of normal numbers: 1e-5 is 100 roundings of a float.
TEST_P(NetworkLayers, FloatsDifferByRoundingOnly)
{
    Fixture<double> exact(GetParam());
    Fixture<float> rounded(GetParam());
    const ColumnVector<float> parameters = m_parameters.cast<float>();
    const RowMatrix<float> input = m_input.cast<float>();
    const RowMatrix<float> weights = m_weights.cast<float>();
    const auto expectNear = [](const auto& got, const auto& expected) {
        EXPECT_LE((got.template cast<double>() - expected).norm(), 1e-5 * (1 + expected.norm()));
    };
    expectNear(rounded.Forward(parameters, input), exact.Forward(m_parameters, m_input));
    expectNear(rounded.Backward(parameters, input, weights),
               exact.Backward(m_parameters, m_input, m_weights));
    expectNear(rounded.GetGradient(input, weights), exact.GetGradient(m_input, m_weights));
}

/** @return layers of all kinds, with images that are no squares and leave something over */
std::vector<LayerPlan>
AllLayers()
{
    return {
        {LayerKind::CONVOLUTION, {1, 5, 4}, {2, 3, 2}, 3},
        {LayerKind::CONVOLUTION, {3, 4, 6}, {4, 3, 5}, 2},
        {LayerKind::CONVOLUTION, {2, 3, 3}, {3, 3, 3}, 1},
        {LayerKind::CONVOLUTION, {2, 4, 4}, {5, 1, 1}, 4},
        {LayerKind::MAX_POOL, {2, 4, 6}, {2, 2, 3}, 2},
        {LayerKind::MAX_POOL, {3, 7, 8}, {3, 2, 2}, 3},
        {LayerKind::RELU, {2, 3, 4}, {2, 3, 4}, 0},
        {LayerKind::SIGMOID, {2, 3, 4}, {2, 3, 4}, 0},
        {LayerKind::DENSE, {2, 3, 4}, {7, 1, 1}, 0},
        {LayerKind::DENSE, {5, 1, 1}, {1, 1, 1}, 0},
    };
}

INSTANTIATE_TEST_SUITE_P(Kinds, NetworkLayers, testing::ValuesIn(AllLayers()));

// Large enough for a patch matrix to be made in several bands, the last one smaller.
TEST(ConvolutionLayer, IsTheSumOverSquares)
{
    const LayerPlan plan{LayerKind::CONVOLUTION, {4, 23, 20}, {3, 19, 16}, 5};
    constexpr Eigen::Index SAMPLES = 64;
    Engine engine(5);
    const ColumnVector<double> parameters = RandomVector(engine, plan.GetParameters());
    Matrix input(plan.input.GetSize(), SAMPLES);
    input.reshaped() = RandomVector(engine, input.size());
    Matrix weights(plan.output.GetSize(), SAMPLES);
    weights.reshaped() = RandomVector(engine, weights.size());
    Fixture<double> fixture(plan);
    const Matrix output = fixture.Forward(parameters, input);
    const ColumnVector<double> gradient = fixture.GetGradient(input, weights);
    ModelVector expected = ModelVector::Zero(gradient.size());
    double worst = 0;
    for (Eigen::Index sample = 0; sample < SAMPLES; ++sample)
    {
        for (int f = 0; f < 3; ++f)
        {
            for (int r = 0; r < 19; ++r)
            {
                for (int c = 0; c < 16; ++c)
                {
                    const int place = (f * 19 + r) * 16 + c;
                    double sum = parameters[300 + f];
                    expected[300 + f] += weights(place, sample);
                    for (int w = 0; w < 100; ++w)
                    {
                        const int channel = w / 25;
                        const int row = r + w / 5 % 5;
                        const double x = input((channel * 23 + row) * 20 + c + w % 5, sample);
                        sum += parameters[f * 100 + w] * x;
                        expected[f * 100 + w] += weights(place, sample) * x;
                    }
                    worst = std::max(worst, std::abs(sum - output(place, sample)));
                }
            }
        }
    }
    EXPECT_LE(worst, 1e-12); // 101 products of normal numbers in double
    EXPECT_LE((gradient - expected).norm(), 1e-12 * expected.norm());
}

// In an image of one value a gradient is an outer product, whose norm is the product of norms.
TEST(ConvolutionLayer, MeasuresLargeGradientsWithoutLeavingThem)
{
    const LayerPlan plan{LayerKind::CONVOLUTION, {1300, 1, 1}, {1300, 1, 1}, 1};
    constexpr Eigen::Index SAMPLES = 3;
    Engine engine(5);
    Matrix input(1300, SAMPLES);
    input.reshaped() = RandomVector(engine, input.size());
    Matrix weights(1300, SAMPLES);
    weights.reshaped() = RandomVector(engine, weights.size());
    Fixture<double> fixture(plan);
    GrowingMatrix<double> own;
    Eigen::ArrayXd squares = Eigen::ArrayXd::Zero(SAMPLES);
    fixture.layer->AddSquaredNorms(input, weights, fixture.work, own, squares);
    EXPECT_EQ(own.Get().size(), 0);
    for (Eigen::Index k = 0; k < SAMPLES; ++k)
    {
        const double expected = (1 + input.col(k).squaredNorm()) * weights.col(k).squaredNorm();
        EXPECT_NEAR(squares[k], expected, 1e-12 * expected);
    }
}

TEST(MaxPoolLayer, GivesTheGradientToTheFirstOfEqualValues)
{
    const LayerPlan plan{LayerKind::MAX_POOL, {1, 2, 4}, {1, 1, 2}, 2};
    Fixture<double> fixture(plan);
    Matrix input(8, 1);
    input << 1, 5, 3, 3, // squares {1, 5, 5, 5} and {3, 3, 3, 3}
        5, 5, 3, 3;
    Matrix weights(2, 1);
    weights << 10, 20;
    Matrix expected(8, 1);
    expected << 0, 10, 20, 0, 0, 0, 0, 0;
    EXPECT_EQ(fixture.Backward({}, input, weights), expected);
}

} // namespace
