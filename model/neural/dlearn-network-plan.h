/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_NETWORK_PLAN_H
#define DLEARN_NETWORK_PLAN_H

#include "ns3/dlearn-dataset.h"
#include "ns3/dlearn-types.h"
#include "ns3/object.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The function of a layer of a neural network.
 */
enum class LayerKind
{
    CONVOLUTION, //!< weighted sums over squares of all channels, one set of weights a filter
    MAX_POOL,    //!< the largest value of each square, channel by channel
    RELU,        //!< max(x, 0) of every value
    SIGMOID,     //!< 1 / (1 + exp(-x)) of every value
    DENSE,       //!< weighted sums over all values
};

/**
 * @ingroup dlearn
 * One layer of a neural network: its kind and sizes, without its parameters.
 */
struct LayerPlan
{
    LayerKind kind{LayerKind::DENSE}; //!< its function
    ImageShape input;                 //!< of one sample
    ImageShape output; //!< of one sample; after a dense layer 1 x 1 with many channels
    uint32_t side{0};  //!< of a filter's or a pool's square, in values

    /** @return inputs of one weighted sum; 0 for a layer without parameters */
    uint64_t GetFanIn() const;

    /** @return weighted sums that use one value; 0 for a layer without parameters */
    uint64_t GetFanOut() const;

    /** @return number of weights and biases */
    uint64_t GetParameters() const;

    /** @return multiplications of one sample on the way forward; 0 without parameters */
    double GetProducts() const;
};

/**
 * @ingroup dlearn
 * A feed-forward network: the input of a layer is the output of the one before.
 */
struct NetworkPlan
{
    ImageShape input;              //!< of one sample
    std::vector<LayerPlan> layers; //!< in order; at least one

    /** @return number of weights and biases of all layers */
    uint32_t GetParameters() const;
};

/**
 * @ingroup dlearn
 * Read a network from one line, such as conv20x5,relu,pool2,conv50x5,relu,pool2,fc500,relu,fc10.
 *
 * - convFxS: 2-d convolution (the sliding inner product, as usual in neural networks) with F
 *   filters of S x S, at all places where they fit, one value apart
 * - poolS: the largest of each S x S square; squares do not overlap, and rows and columns that do
 * not fill one, at the right and at the bottom, are ignored
 * - relu
 * - sigmoid: smooth, as gradient inversion needs it (InvertGradient())
 * - flatten: from here on the values are not an image; a dense layer flattens implicitly
 * - fcN: dense layer with N outputs
 *
 * @param text the line
 * @param input shape of one sample
 * @return the network; the last layer is dense
 * @throw std::invalid_argument naming the layer, the position of its first character, counted
 *        from 1, and the rule it breaks
 */
NetworkPlan ParseNetworkPlan(const std::string& text, const ImageShape& input);

/**
 * @ingroup dlearn
 * The initial weights of a neural network. A layer's parameters are its weights, filter by filter
 * or output by output, then its biases, one for each.
 */
class WeightInitializer : public Object
{
  public:
    static TypeId GetTypeId();

    /**
     * @param plan a network
     * @param stream random stream (1 used); negative for an automatic one
     * @return its parameters, layer by layer
     */
    virtual ModelVector Draw(const NetworkPlan& plan, int64_t stream) const = 0;
};

/**
 * @ingroup dlearn
 * Independent normal weights: of variance 2 / (inputs of a sum) before a ReLU (He et al., "Delving
 * deep into rectifiers", 2015), else 2 / (inputs + outputs) (Glorot and Bengio, "Understanding the
 * difficulty of training deep feedforward neural networks", 2010); biases are 0.
 */
class HeGlorotInitializer : public WeightInitializer
{
  public:
    static TypeId GetTypeId();

    ModelVector Draw(const NetworkPlan& plan, int64_t stream) const override;
};

/**
 * @ingroup dlearn
 * Independent weights and biases, uniform between -1/sqrt(m) and 1/sqrt(m) with m the inputs of a
 * sum (after LeCun et al., "Efficient backprop", 1998). This is the default of PyTorch's
 * convolutions and dense layers, and thus of most published results with PyTorch.
 */
class FanInUniformInitializer : public WeightInitializer
{
  public:
    static TypeId GetTypeId();

    ModelVector Draw(const NetworkPlan& plan, int64_t stream) const override;
};

} // namespace ns3::dlearn

#endif // DLEARN_NETWORK_PLAN_H
