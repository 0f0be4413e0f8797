/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_NETWORK_LAYERS_H
#define DLEARN_NETWORK_LAYERS_H

#include "dlearn-network-plan.h"

#include "ns3/dlearn-matrix-product.h"

#include <memory>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Memory that is reused for matrices of different sizes. It grows and is never released, because
 * new pages cost more than filling a large matrix.
 */
template <typename Scalar>
class GrowingMatrix
{
  public:
    /**
     * @param rows number of rows
     * @param columns number of columns
     * @return a matrix with undefined numbers; valid until the next call
     */
    Eigen::Map<RowMatrix<Scalar>> Resize(Eigen::Index rows, Eigen::Index columns)
    {
        m_rows = rows;
        m_columns = columns;
        if (m_numbers.size() < static_cast<size_t>(rows * columns))
        {
            m_numbers.resize(rows * columns);
        }
        return Get();
    }

    /** @return the matrix as of the last Resize() */
    Eigen::Map<RowMatrix<Scalar>> Get() { return {m_numbers.data(), m_rows, m_columns}; }

  private:
    std::vector<Scalar> m_numbers; //!< row after row
    Eigen::Index m_rows{0};        //!< as of the last Resize()
    Eigen::Index m_columns{0};     //!< as of the last Resize()
};

/**
 * @ingroup dlearn
 * The arithmetic of one layer, for several samples at once.
 *
 * Values of samples are matrices with one row for each value (in the order of ImageShape) and one
 * column for each sample, row after row. Adjacent values in an image are thus a run of width x
 * samples numbers, which copying, pooling and the rest handle as vectors, however small the image
 * is.
 *
 * A layer has no parameters and no state, so that several threads may use it.
 *
 * @tparam Scalar float or double
 */
template <typename Scalar>
class NetworkLayer
{
  public:
    /** Parameters of this layer: weights, one row an output or filter; then the biases. */
    using Parameters = const Eigen::Ref<const ColumnVector<Scalar>>&;

    /** A gradient with respect to the parameters. */
    using ParametersOut = Eigen::Ref<ColumnVector<Scalar>>;

    /** @param plan kind and sizes */
    explicit NetworkLayer(const LayerPlan& plan)
        : m_plan(plan)
    {
    }

    virtual ~NetworkLayer() = default;

    /** @return kind and sizes */
    const LayerPlan& GetPlan() const { return m_plan; }

    /** @return whether output and input, and their gradients, may be one matrix */
    virtual bool IsInPlace() const { return false; }

    /**
     * @param parameters of this layer
     * @param input values x samples
     * @param work memory to compute in
     * @param output result, values x samples
     */
    virtual void Forward(Parameters parameters,
                         RowMatrixRef<Scalar> input,
                         GrowingMatrix<Scalar>& work,
                         RowMatrixOut<Scalar> output) const = 0;

    /**
     * Chain rule from the output to the input.
     *
     * @param parameters of this layer
     * @param input as given to Forward(); of a layer in place, its output
     * @param output of Forward()
     * @param outputGradient gradient of each sample's loss with respect to its output
     * @param work memory to compute in
     * @param inputGradient result: gradient of each sample's loss with respect to its input
     */
    virtual void Backward(Parameters parameters,
                          RowMatrixRef<Scalar> input,
                          RowMatrixRef<Scalar> output,
                          RowMatrixRef<Scalar> outputGradient,
                          GrowingMatrix<Scalar>& work,
                          RowMatrixOut<Scalar> inputGradient) const = 0;

    /**
     * Gradient with respect to the parameters, summed over the samples. Does nothing for a layer
     * without parameters.
     *
     * @param input as given to Forward()
     * @param outputGradient as given to Backward()
     * @param work memory to compute in
     * @param gradient result; overwritten
     */
    virtual void GetGradient(RowMatrixRef<Scalar> /* input */,
                             RowMatrixRef<Scalar> /* outputGradient */,
                             GrowingMatrix<Scalar>& /* work */,
                             ParametersOut /* gradient */) const
    {
    }

    /**
     * Add the squared norm of each sample's own GetGradient() to an account.
     *
     * @param input as given to Forward()
     * @param outputGradient as given to Backward()
     * @param work memory to compute in
     * @param own no numbers; a layer that computes these gradients to measure them may leave them
     *        there, samples x parameters
     * @param squares one number a sample
     */
    virtual void AddSquaredNorms(RowMatrixRef<Scalar> /* input */,
                                 RowMatrixRef<Scalar> /* outputGradient */,
                                 GrowingMatrix<Scalar>& /* work */,
                                 GrowingMatrix<Scalar>& /* own */,
                                 Eigen::Ref<Eigen::ArrayXd> /* squares */) const
    {
    }

  private:
    LayerPlan m_plan; //!< kind and sizes
};

/** @return a layer of the kind and sizes of a plan @tparam Scalar float or double */
template <typename Scalar>
std::unique_ptr<NetworkLayer<Scalar>> CreateNetworkLayer(const LayerPlan& plan);

} // namespace ns3::dlearn

#endif // DLEARN_NETWORK_LAYERS_H
