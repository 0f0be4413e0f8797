/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-network-layers.h"

#include "dlearn-convolution-layer.h"

#include <algorithm>
#include <limits>

namespace ns3::dlearn
{

namespace
{

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
        inputGradient.setZero(); // what fills no square counts nowhere
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
        MultiplyFirstTransposed<Scalar>(GetWeights(parameters), outputGradient, 0, inputGradient);
    }

    void GetGradient(RowMatrixRef<Scalar> input,
                     RowMatrixRef<Scalar> outputGradient,
                     GrowingMatrix<Scalar>& /* work */,
                     ParametersOut gradient) const override
    {
        Eigen::Map<RowMatrix<Scalar>> weights(gradient.data(), m_outputs, m_inputs);
        MultiplySecondTransposed<Scalar>(outputGradient, input, 0, weights);
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
