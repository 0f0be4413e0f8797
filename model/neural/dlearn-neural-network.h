/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_NEURAL_NETWORK_H
#define DLEARN_NEURAL_NETWORK_H

#include "dlearn-network-layers.h"

#include <memory>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The values of a forward and a backward pass, for several samples at once. The memory is reused
 * from one call to the next; each thread has its own object.
 */
template <typename Scalar>
struct NetworkPass
{
    std::vector<GrowingMatrix<Scalar>> values;    //!< input and outputs, values x samples
    std::vector<GrowingMatrix<Scalar>> gradients; //!< of the loss with respect to these
    std::vector<GrowingMatrix<Scalar>> own;       //!< what layers left by AddSquaredNorms()
    ColumnVector<Scalar> factors;                 //!< of the samples, for these gradients
    GrowingMatrix<Scalar> work;                   //!< of one layer at a time
};

/**
 * @ingroup dlearn
 * The layers of a network, in sequence. Its functions are called in this order:
 *
 * 1. the caller writes samples into GetInput(), one column each,
 * 2. Forward() computes the outputs of all layers and returns the last,
 * 3. the caller writes into GetOutputGradient() how the loss of each sample changes with them,
 * 4. Backward() carries that back to the outputs of all layers before,
 * 5. AddSquaredNorms() and Scale() may be called to limit what one sample contributes,
 * 6. GetGradient() sums the gradient with respect to the parameters over the samples: where step 5
 *    computed them for each sample, they are only added.
 *
 * Since each of the steps 4 and 6 is linear in the contribution of a sample, scaling between them
 * is equivalent to scaling in step 3: clipping needs no second backward pass, and of large layers
 * never the gradients of all samples at the same time.
 *
 * All parameters are one vector: layer by layer, weights (one row per output or filter, which runs
 * over channels, rows and columns), then biases. That is the order of PyTorch's parameters(). The
 * object has no state: several threads may use it, each with its own pass.
 *
 * @tparam Scalar float or double
 */
template <typename Scalar>
class NeuralNetwork
{
  public:
    using Parameters = const Eigen::Ref<const ColumnVector<Scalar>>&; //!< of all layers
    using ParametersOut = Eigen::Ref<ColumnVector<Scalar>>; //!< of their size, to be written
    using Values = Eigen::Map<RowMatrix<Scalar>>;           //!< values x samples, in a pass

    /** @param plan the layers */
    explicit NeuralNetwork(const NetworkPlan& plan);

    /**
     * @return how many samples to compute at once: enough for products of matrices to pay off,
     *         not more than fits into memory
     */
    Eigen::Index GetSamplesAtOnce() const;

    /**
     * Begin a pass.
     *
     * @param pass gets room for the samples
     * @param samples how many
     * @return where to write them
     */
    Values GetInput(NetworkPass<Scalar>& pass, Eigen::Index samples) const;

    /**
     * @param parameters of all layers
     * @param pass with its input
     * @return what the last layer puts out
     */
    Values Forward(Parameters parameters, NetworkPass<Scalar>& pass) const;

    /**
     * @param pass after Forward()
     * @return where to write the gradient of each sample's loss with respect to its output
     */
    Values GetOutputGradient(NetworkPass<Scalar>& pass) const;

    /**
     * @param parameters of all layers
     * @param pass with its output gradient
     */
    void Backward(Parameters parameters, NetworkPass<Scalar>& pass) const;

    /**
     * Go on where Backward() ended, to the input.
     *
     * @param parameters of all layers
     * @param pass after Backward()
     * @return gradient of each sample's loss with respect to its input
     */
    Values GetInputGradient(Parameters parameters, NetworkPass<Scalar>& pass) const;

    /**
     * @param pass after Backward()
     * @param squares one number per sample; the squared norm of its gradient is added
     */
    void AddSquaredNorms(NetworkPass<Scalar>& pass, Eigen::Ref<Eigen::ArrayXd> squares) const;

    /**
     * @param pass after Backward()
     * @param factors what to multiply each sample's gradient with
     */
    void Scale(NetworkPass<Scalar>& pass, const Eigen::ArrayXd& factors) const;

    /**
     * @param pass after Backward()
     * @param gradient result: sum of the samples' gradients with respect to the parameters
     */
    void GetGradient(NetworkPass<Scalar>& pass, ParametersOut gradient) const;

  private:
    /** Carry the gradient of the loss over one layer. */
    void BackwardOver(size_t layer, Parameters parameters, NetworkPass<Scalar>& pass) const;

    /** A layer, where its parameters are, and where a pass has its values. */
    struct Place
    {
        std::unique_ptr<NetworkLayer<Scalar>> layer; //!< its arithmetic
        Eigen::Index first;                          //!< of its parameters
        Eigen::Index count;                          //!< of its parameters
        size_t input;                                //!< number of its input in the pass
        size_t output;                               //!< of its output; the same if in place
    };

    std::vector<Place> m_places; //!< all layers
    size_t m_learning{0};        //!< the first layer with parameters: the way back ends there
    Eigen::Index m_samples{1};   //!< GetSamplesAtOnce()
};

} // namespace ns3::dlearn

#endif // DLEARN_NEURAL_NETWORK_H
