/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_CONVOLUTION_LAYER_H
#define DLEARN_CONVOLUTION_LAYER_H

#include "dlearn-network-layer.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
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

    /** @param plan sizes */
    explicit ConvolutionLayer(const LayerPlan& plan);

    void Forward(Parameters parameters,
                 RowMatrixRef<Scalar> input,
                 GrowingMatrix<Scalar>& work,
                 RowMatrixOut<Scalar> output) const override;
    void Backward(Parameters parameters,
                  RowMatrixRef<Scalar> input,
                  RowMatrixRef<Scalar> output,
                  RowMatrixRef<Scalar> outputGradient,
                  GrowingMatrix<Scalar>& work,
                  RowMatrixOut<Scalar> inputGradient) const override;
    void GetGradient(RowMatrixRef<Scalar> input,
                     RowMatrixRef<Scalar> outputGradient,
                     GrowingMatrix<Scalar>& work,
                     ParametersOut gradient) const override;
    void AddSquaredNorms(RowMatrixRef<Scalar> input,
                         RowMatrixRef<Scalar> outputGradient,
                         GrowingMatrix<Scalar>& work,
                         GrowingMatrix<Scalar>& own,
                         Eigen::Ref<Eigen::ArrayXd> squares) const override;

  private:
    /** Some rows of the output, of all channels and samples. */
    struct Band
    {
        Eigen::Index first;   //!< the first row
        Eigen::Index rows;    //!< how many
        Eigen::Index begin;   //!< of the first one's numbers in a channel of the output
        Eigen::Index numbers; //!< of each channel
    };

    /**
     * @param samples how many there are
     * @param visit called with each band, from top to bottom
     */
    template <typename Visitor>
    void ForEachBand(Eigen::Index samples, const Visitor& visit) const;

    /**
     * @param band which rows
     * @param samples how many there are
     * @param visit called for each run of numbers that a row of the patch matrix and the input
     *        have in common, with the position in the patch matrix, the one in the input, and the
     *        length
     */
    template <typename Visitor>
    void ForEachRun(const Band& band, Eigen::Index samples, const Visitor& visit) const;

    /** Copy what the filters see for a band. */
    void FillPatches(const Band& band,
                     RowMatrixRef<Scalar> input,
                     RowMatrixOut<Scalar> patches) const;

    /**
     * @param values values x samples
     * @param channels how many
     * @return the same numbers, one row per channel
     */
    template <typename Matrix>
    static auto GetChannels(Matrix& values, Eigen::Index channels);

    /** @return filters x weights of one filter */
    Eigen::Map<const RowMatrix<Scalar>> GetWeights(Parameters parameters) const;

    Eigen::Index m_filters; //!< how many
    Eigen::Index m_weights; //!< of one filter
};

} // namespace ns3::dlearn

#endif // DLEARN_CONVOLUTION_LAYER_H
