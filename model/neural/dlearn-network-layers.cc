/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-network-layers.h"

#include <algorithm>
#include <limits>

namespace ns3::dlearn
{

namespace
{

constexpr Eigen::Index PATCH_NUMBERS = 1 << 18; // of the patch matrix of a band
constexpr Eigen::Index OWN_NUMBERS = 1 << 22;   // of the samples' gradients that are left there
constexpr Eigen::Index SHORT_RUN = 64;          // numbers that a loop copies faster than a call

/** @return the squared norm, in double; eight sums, because one would wait for itself */
template <typename Scalar>
double
GetSquaredNorm(const Eigen::Ref<const ColumnVector<Scalar>>& numbers)
{
    constexpr Eigen::Index WIDTH = 8;
    Eigen::Array<double, WIDTH, 1> sums = Eigen::Array<double, WIDTH, 1>::Zero();
    const Eigen::Index rest = numbers.size() % WIDTH;
    for (Eigen::Index k = 0; k < numbers.size() - rest; k += WIDTH)
    {
        sums += numbers.template segment<WIDTH>(k).array().template cast<double>().square();
    }
    return sums.sum() + numbers.tail(rest).template cast<double>().squaredNorm();
}

constexpr Eigen::Index GROUP = 4; // samples that are copied at a time

/** Copy some columns of values x samples, GROUP or fewer, to rows. */
template <typename Scalar>
void
CopySamples(RowMatrixRef<Scalar> values, Eigen::Index first, RowMatrixOut<Scalar> samples)
{
    // In squares of a size that the compiler knows, twice as fast as one sample after the other.
    const Eigen::Index whole = samples.rows() == GROUP ? values.rows() / GROUP * GROUP : 0;
    for (Eigen::Index row = 0; row < whole; row += GROUP)
    {
        samples.template block<GROUP, GROUP>(0, row) =
            values.template block<GROUP, GROUP>(row, first).transpose();
    }
    const Eigen::Index rest = values.rows() - whole;
    samples.rightCols(rest) = values.block(whole, first, rest, samples.rows()).transpose();
}

/**
 * 2-d convolution, valid, stride 1:
 *
 *   y[f, r, c] = b[f] + sum over k, i, j of W[f, k, i, j] x[k, r + i, c + j].
 *
 * The squares that the filters see are copied side by side (im2col; Chellapilla, Puri and Simard,
 * "High performance convolutional neural networks for document processing", 2006): a patch matrix
 * with one row for each weight of a filter and one column for each place and sample, so that the
 * sums are matrix products. This is done for a band of rows of the output at a time, which stays in
 * a core's second-level cache.
 */
template <typename Scalar>
class ConvolutionLayer : public NetworkLayer<Scalar>
{
  public:
    using typename NetworkLayer<Scalar>::Parameters;
    using typename NetworkLayer<Scalar>::ParametersOut;

    explicit ConvolutionLayer(const LayerPlan& plan)
        : NetworkLayer<Scalar>(plan),
          m_filters(plan.output.channels),
          m_weights(static_cast<Eigen::Index>(plan.GetFanIn()))
    {
    }

    void Forward(Parameters parameters,
                 RowMatrixRef<Scalar> input,
                 GrowingMatrix<Scalar>& work,
                 RowMatrixOut<Scalar> output) const override
    {
        auto channels = GetChannels(output, m_filters);
        ForEachBand(input.cols(), [&](const Band& band) {
            auto patches = work.Resize(m_weights, band.numbers);
            FillPatches(band, input, patches);
            auto result = channels.middleCols(band.begin, band.numbers);
            result.colwise() = parameters.tail(m_filters);
            Multiply<Scalar>(GetWeights(parameters), patches, 1, result);
        });
    }

    void Backward(Parameters parameters,
                  RowMatrixRef<Scalar> input,
                  RowMatrixRef<Scalar> /* output */,
                  RowMatrixRef<Scalar> outputGradient,
                  GrowingMatrix<Scalar>& work,
                  RowMatrixOut<Scalar> inputGradient) const override
    {
        const auto channels = GetChannels(outputGradient, m_filters);
        inputGradient.setZero();
        ForEachBand(input.cols(), [&](const Band& band) {
            auto patches = work.Resize(m_weights, band.numbers);
            Multiply<Scalar>(GetWeights(parameters),
                             channels.middleCols(band.begin, band.numbers),
                             0,
                             patches,
                             Transposed::FIRST);
            ForEachRun(band,
                       input.cols(),
                       [&](Eigen::Index patch, Eigen::Index place, Eigen::Index length) {
                           const Scalar* from = patches.data() + patch;
                           Scalar* to = inputGradient.data() + place;
                           for (Eigen::Index k = 0; k < length; ++k)
                           {
                               to[k] += from[k];
                           }
                       });
        });
    }

    void GetGradient(RowMatrixRef<Scalar> input,
                     RowMatrixRef<Scalar> outputGradient,
                     GrowingMatrix<Scalar>& work,
                     ParametersOut gradient) const override
    {
        const auto channels = GetChannels(outputGradient, m_filters);
        Eigen::Map<RowMatrix<Scalar>> weights(gradient.data(), m_filters, m_weights);
        ForEachBand(input.cols(), [&](const Band& band) {
            auto patches = work.Resize(m_weights, band.numbers);
            FillPatches(band, input, patches);
            Multiply<Scalar>(channels.middleCols(band.begin, band.numbers),
                             patches,
                             band.first > 0 ? 1 : 0,
                             weights,
                             Transposed::SECOND);
        });
        gradient.tail(m_filters) = channels.rowwise().sum();
    }

    void AddSquaredNorms(RowMatrixRef<Scalar> input,
                         RowMatrixRef<Scalar> outputGradient,
                         GrowingMatrix<Scalar>& work,
                         GrowingMatrix<Scalar>& own,
                         Eigen::Ref<Eigen::ArrayXd> squares) const override
    {
        // Sample by sample. That is as much work as the gradient of all, which is their sum: so
        // they are left for it, unless they are very large.
        const Eigen::Index count = m_filters * (m_weights + 1);
        const bool leaves = input.cols() * count <= OWN_NUMBERS;
        auto gradients = own.Resize(leaves ? input.cols() : 1, count);
        RowMatrix<Scalar> ownInputs;
        RowMatrix<Scalar> ownOutputs;
        for (Eigen::Index sample = 0; sample < input.cols(); ++sample)
        {
            const Eigen::Index k = sample % GROUP;
            if (k == 0)
            {
                const Eigen::Index group = std::min(GROUP, input.cols() - sample);
                ownInputs.resize(group, input.rows());
                ownOutputs.resize(group, outputGradient.rows());
                CopySamples<Scalar>(input, sample, ownInputs);
                CopySamples<Scalar>(outputGradient, sample, ownOutputs);
            }
            using Column = Eigen::Map<const RowMatrix<Scalar>>;
            auto gradient = gradients.row(leaves ? sample : 0).transpose();
            GetGradient(Column(ownInputs.row(k).data(), ownInputs.cols(), 1),
                        Column(ownOutputs.row(k).data(), ownOutputs.cols(), 1),
                        work,
                        gradient);
            squares[sample] += GetSquaredNorm<Scalar>(gradient);
        }
        if (!leaves)
        {
            own.Resize(0, 0);
        }
    }

  private:
    /** Some rows of the output, of all channels and samples. */
    struct Band
    {
        Eigen::Index first;   //!< the first row
        Eigen::Index rows;    //!< how many
        Eigen::Index begin;   //!< of the first one's numbers in a channel of the output
        Eigen::Index numbers; //!< of each channel
    };

    /** Visit each band, from top to bottom. */
    template <typename Visitor>
    void ForEachBand(Eigen::Index samples, const Visitor& visit) const
    {
        const Eigen::Index height = this->GetPlan().output.height;
        const Eigen::Index rowNumbers = this->GetPlan().output.width * samples;
        const Eigen::Index most =
            std::clamp<Eigen::Index>(PATCH_NUMBERS / (m_weights * rowNumbers), 1, height);
        for (Eigen::Index first = 0; first < height; first += most)
        {
            const Eigen::Index rows = std::min(most, height - first);
            visit(Band{first, rows, first * rowNumbers, rows * rowNumbers});
        }
    }

    /**
     * Visit each run of numbers that a row of the patch matrix and the input have in common: its
     * position in the patch matrix, the one in the input, and its length.
     */
    template <typename Visitor>
    void ForEachRun(const Band& band, Eigen::Index samples, const Visitor& visit) const
    {
        const LayerPlan& plan = this->GetPlan();
        const Eigen::Index length = plan.output.width * samples;
        Eigen::Index patch = 0;
        for (Eigen::Index channel = 0; channel < plan.input.channels; ++channel)
        {
            for (Eigen::Index i = 0; i < plan.side; ++i)
            {
                const Eigen::Index top = channel * plan.input.height + band.first + i;
                for (Eigen::Index j = 0; j < plan.side; ++j)
                {
                    for (Eigen::Index row = 0; row < band.rows; ++row, patch += length)
                    {
                        visit(patch, ((top + row) * plan.input.width + j) * samples, length);
                    }
                }
            }
        }
    }

    void FillPatches(const Band& band,
                     RowMatrixRef<Scalar> input,
                     RowMatrixOut<Scalar> patches) const
    {
        ForEachRun(band,
                   input.cols(),
                   [&](Eigen::Index patch, Eigen::Index place, Eigen::Index length) {
                       const Scalar* from = input.data() + place;
                       Scalar* to = patches.data() + patch;
                       if (length >= SHORT_RUN)
                       {
                           std::copy_n(from, length, to);
                           return;
                       }
                       for (Eigen::Index k = 0; k < length; ++k)
                       {
                           to[k] = from[k];
                       }
                   });
    }

    /** @return the same numbers, one row per channel */
    template <typename Matrix>
    static auto GetChannels(Matrix& values, Eigen::Index channels)
    {
        using Number = std::remove_pointer_t<decltype(values.data())>;
        using Plane =
            std::conditional_t<std::is_const_v<Number>, const RowMatrix<Scalar>, RowMatrix<Scalar>>;
        return Eigen::Map<Plane>(values.data(), channels, values.size() / channels);
    }

    /** @return filters x weights of one filter */
    Eigen::Map<const RowMatrix<Scalar>> GetWeights(Parameters parameters) const
    {
        return {parameters.data(), m_filters, m_weights};
    }

    Eigen::Index m_filters; //!< how many
    Eigen::Index m_weights; //!< of one filter
};

/** max(x, 0), in place. */
template <typename Scalar>
class ReluLayer : public NetworkLayer<Scalar>
{
  public:
    using NetworkLayer<Scalar>::NetworkLayer;
    using typename NetworkLayer<Scalar>::Parameters;

    bool IsInPlace() const override { return true; }

    void Forward(Parameters /* parameters */,
                 RowMatrixRef<Scalar> input,
                 GrowingMatrix<Scalar>& /* work */,
                 RowMatrixOut<Scalar> output) const override
    {
        output = input.cwiseMax(Scalar{0});
    }

    /** The derivative at 0 is 0. */
    void Backward(Parameters /* parameters */,
                  RowMatrixRef<Scalar> /* input */,
                  RowMatrixRef<Scalar> output,
                  RowMatrixRef<Scalar> outputGradient,
                  GrowingMatrix<Scalar>& /* work */,
                  RowMatrixOut<Scalar> inputGradient) const override
    {
        const Scalar* value = output.data();
        const Scalar* from = outputGradient.data();
        Scalar* to = inputGradient.data();
        for (Eigen::Index k = 0; k < output.size(); ++k)
        {
            const Scalar gradient = from[k]; // read always, so that no branch is needed
            to[k] = value[k] > 0 ? gradient : 0;
        }
    }
};

/** 1 / (1 + exp(-x)), in place. */
template <typename Scalar>
class SigmoidLayer : public NetworkLayer<Scalar>
{
  public:
    using NetworkLayer<Scalar>::NetworkLayer;
    using typename NetworkLayer<Scalar>::Parameters;

    bool IsInPlace() const override { return true; }

    void Forward(Parameters /* parameters */,
                 RowMatrixRef<Scalar> input,
                 GrowingMatrix<Scalar>& /* work */,
                 RowMatrixOut<Scalar> output) const override
    {
        output = (1 + (-input.array()).exp()).inverse(); // exp() = infinity gives 0
    }

    void Backward(Parameters /* parameters */,
                  RowMatrixRef<Scalar> /* input */,
                  RowMatrixRef<Scalar> output,
                  RowMatrixRef<Scalar> outputGradient,
                  GrowingMatrix<Scalar>& /* work */,
                  RowMatrixOut<Scalar> inputGradient) const override
    {
        inputGradient = outputGradient.array() * output.array() * (1 - output.array());
    }
};

/** The largest of each square. */
template <typename Scalar>
class MaxPoolLayer : public NetworkLayer<Scalar>
{
  public:
    using NetworkLayer<Scalar>::NetworkLayer;
    using typename NetworkLayer<Scalar>::Parameters;

    void Forward(Parameters /* parameters */,
                 RowMatrixRef<Scalar> input,
                 GrowingMatrix<Scalar>& /* work */,
                 RowMatrixOut<Scalar> output) const override
    {
        output.setConstant(-std::numeric_limits<Scalar>::infinity());
        ForEachMember([&](Eigen::Index square, Eigen::Index member) {
            output.row(square) = output.row(square).cwiseMax(input.row(member));
        });
    }

    /** Among equal values the first gets the gradient, row by row. */
    void Backward(Parameters /* parameters */,
                  RowMatrixRef<Scalar> input,
                  RowMatrixRef<Scalar> output,
                  RowMatrixRef<Scalar> outputGradient,
                  GrowingMatrix<Scalar>& work,
                  RowMatrixOut<Scalar> inputGradient) const override
    {
        inputGradient.setZero(); // values outside of all squares have no gradient
        auto left = work.Resize(outputGradient.rows(), outputGradient.cols());
        left = outputGradient;
        ForEachMember([&](Eigen::Index square, Eigen::Index member) {
            const Scalar* value = input.row(member).data();
            const Scalar* largest = output.row(square).data();
            Scalar* from = left.row(square).data();
            Scalar* to = inputGradient.row(member).data();
            for (Eigen::Index sample = 0; sample < input.cols(); ++sample)
            {
                const bool hit = value[sample] == largest[sample];
                to[sample] = hit ? from[sample] : 0;
                from[sample] = hit ? 0 : from[sample];
            }
        });
    }

  private:
    /** @param visit called with the row of each square, and that of each value in it */
    template <typename Visitor>
    void ForEachMember(const Visitor& visit) const
    {
        const LayerPlan& plan = this->GetPlan();
        const Eigen::Index side = plan.side;
        Eigen::Index square = 0;
        for (Eigen::Index channel = 0; channel < plan.output.channels; ++channel)
        {
            for (Eigen::Index row = 0; row < plan.output.height; ++row)
            {
                for (Eigen::Index column = 0; column < plan.output.width; ++column, ++square)
                {
                    for (Eigen::Index k = 0; k < side * side; ++k)
                    {
                        visit(square,
                              (channel * plan.input.height + row * side + k / side) *
                                      plan.input.width +
                                  column * side + k % side);
                    }
                }
            }
        }
    }
};

/** W x + b. */
template <typename Scalar>
class DenseLayer : public NetworkLayer<Scalar>
{
  public:
    using typename NetworkLayer<Scalar>::Parameters;
    using typename NetworkLayer<Scalar>::ParametersOut;

    explicit DenseLayer(const LayerPlan& plan)
        : NetworkLayer<Scalar>(plan),
          m_outputs(plan.output.channels),
          m_inputs(static_cast<Eigen::Index>(plan.input.GetSize()))
    {
    }

    void Forward(Parameters parameters,
                 RowMatrixRef<Scalar> input,
                 GrowingMatrix<Scalar>& /* work */,
                 RowMatrixOut<Scalar> output) const override
    {
        output.colwise() = parameters.tail(m_outputs);
        Multiply<Scalar>(GetWeights(parameters), input, 1, output);
    }

    void Backward(Parameters parameters,
                  RowMatrixRef<Scalar> /* input */,
                  RowMatrixRef<Scalar> /* output */,
                  RowMatrixRef<Scalar> outputGradient,
                  GrowingMatrix<Scalar>& /* work */,
                  RowMatrixOut<Scalar> inputGradient) const override
    {
        Multiply<Scalar>(GetWeights(parameters),
                         outputGradient,
                         0,
                         inputGradient,
                         Transposed::FIRST);
    }

    void GetGradient(RowMatrixRef<Scalar> input,
                     RowMatrixRef<Scalar> outputGradient,
                     GrowingMatrix<Scalar>& /* work */,
                     ParametersOut gradient) const override
    {
        Eigen::Map<RowMatrix<Scalar>> weights(gradient.data(), m_outputs, m_inputs);
        Multiply<Scalar>(outputGradient, input, 0, weights, Transposed::SECOND);
        gradient.tail(m_outputs) = outputGradient.rowwise().sum();
    }

    /** One sample's gradient is an outer product: its norm is the product of two norms. */
    void AddSquaredNorms(RowMatrixRef<Scalar> input,
                         RowMatrixRef<Scalar> outputGradient,
                         GrowingMatrix<Scalar>& /* work */,
                         GrowingMatrix<Scalar>& /* own */,
                         Eigen::Ref<Eigen::ArrayXd> squares) const override
    {
        squares += (1 + GetSquares(input)) * GetSquares(outputGradient);
    }

  private:
    /** @return outputs x inputs */
    Eigen::Map<const RowMatrix<Scalar>> GetWeights(Parameters parameters) const
    {
        return {parameters.data(), m_outputs, m_inputs};
    }

    /** @return squared norm of each column */
    static Eigen::ArrayXd GetSquares(RowMatrixRef<Scalar> values)
    {
        Eigen::ArrayXd squares = Eigen::ArrayXd::Zero(values.cols());
        for (Eigen::Index row = 0; row < values.rows(); ++row)
        {
            squares += values.row(row).transpose().array().template cast<double>().square();
        }
        return squares;
    }

    Eigen::Index m_outputs; //!< rows of W
    Eigen::Index m_inputs;  //!< columns of W
};

} // namespace

template <typename Scalar>
std::unique_ptr<NetworkLayer<Scalar>>
CreateNetworkLayer(const LayerPlan& plan)
{
    switch (plan.kind)
    {
    case LayerKind::CONVOLUTION:
        return std::make_unique<ConvolutionLayer<Scalar>>(plan);
    case LayerKind::MAX_POOL:
        return std::make_unique<MaxPoolLayer<Scalar>>(plan);
    case LayerKind::RELU:
        return std::make_unique<ReluLayer<Scalar>>(plan);
    case LayerKind::SIGMOID:
        return std::make_unique<SigmoidLayer<Scalar>>(plan);
    default:
        return std::make_unique<DenseLayer<Scalar>>(plan);
    }
}

template std::unique_ptr<NetworkLayer<float>> CreateNetworkLayer<float>(const LayerPlan&);
template std::unique_ptr<NetworkLayer<double>> CreateNetworkLayer<double>(const LayerPlan&);

} // namespace ns3::dlearn
