/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_WEIGHT_INITIALIZER_H
#define DLEARN_WEIGHT_INITIALIZER_H

#include "dlearn-network-plan.h"

#include "ns3/dlearn-types.h"
#include "ns3/object.h"

#include <cstdint>

namespace ns3::dlearn
{

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

#endif // DLEARN_WEIGHT_INITIALIZER_H
