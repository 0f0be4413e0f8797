/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_NEURAL_NETWORK_TASK_H
#define DLEARN_NEURAL_NETWORK_TASK_H

#include "dlearn-network-plan.h"
#include "dlearn-network-task.h"

#include <string>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Classification by a feed-forward neural network (NetworkTask has the loss). The attribute Layers
 * defines the network (see ParseNetworkPlan()); the default is a common one for 28 x 28 images,
 * with 431,080 parameters (LeCun et al., "Gradient-based learning applied to document recognition",
 * 1998, made wider).
 *
 * Where neither attributes nor data specify the shape of a sample, it is one channel of k x k
 * values, or three where there are 3 k^2 features, or else a single row. Outside of the task, the
 * model is a vector of doubles in the order of NeuralNetwork; inside, everything is computed with
 * FloatBits, 32 or 64.
 */
class NeuralNetworkTask : public NetworkTask
{
  public:
    static TypeId GetTypeId();

    uint32_t GetDimension() const override { return GetPlan().GetParameters(); }

    /** @return operations in sums of products, forwards and back: two for each product */
    double GetFlopsPerSample() const override;

    /** @return the weights that attribute Initializer draws */
    ModelVector DrawInitialModel(int64_t stream) const override;

    uint32_t CountLastLayer() const override { return GetPlan().layers.back().GetParameters(); }

    /** @return the layers, as of SetData() */
    const NetworkPlan& GetPlan() const;

  protected:
    void CheckData() const override;
    void AdoptData() override;

  private:
    /** @return shape of a sample, by the attributes and the data, else by guess */
    ImageShape GetShape() const;

    std::string m_layers;                 //!< attribute Layers
    uint32_t m_floatBits{32};             //!< attribute FloatBits
    Ptr<WeightInitializer> m_initializer; //!< attribute Initializer
    NetworkPlan m_plan;                   //!< as of SetData()
};

} // namespace ns3::dlearn

#endif // DLEARN_NEURAL_NETWORK_TASK_H
