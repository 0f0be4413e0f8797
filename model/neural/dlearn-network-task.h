/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_NETWORK_TASK_H
#define DLEARN_NETWORK_TASK_H

#include "ns3/dlearn-task.h"

#include <memory>

namespace ns3::dlearn
{

class NetworkObjective;

/**
 * @ingroup dlearn
 * Classification by a neural network: cross-entropy of the softmax of its outputs,
 *
 *   l(theta, (x, y)) = log sum_k exp(z_k) - z_y,   z = network(x, theta),
 *
 * one output for each class. A subclass provides the network, as a NetworkObjective, whose header
 * is not installed: subclasses are in this library, and other networks are layers of
 * NeuralNetworkTask or files of TorchTask. Only ClipNorm bounds the gradient of such a loss. A loss
 * beyond the range of the network's numbers is infinite.
 *
 * A sample's features are an image of Channels x Height x Width values; when these are 0, it has
 * the shape that the data set specifies, if any. The attributes of this class and of its subclasses
 * are read when SetData() is called.
 */
class NetworkTask : public Task, public SampleLoss
{
  public:
    static TypeId GetTypeId();

    double GetLoss(ConstVectorRef theta, const WeightedSamples& samples) const override;
    void ClippedGradient(ConstVectorRef theta,
                         const WeightedSamples& samples,
                         double clipNorm,
                         VectorRef gradient) const override;
    double GetAccuracy(ConstVectorRef theta) const override;

    ModelVector GetModelGradient(ConstVectorRef theta,
                                 const Eigen::MatrixXd& features,
                                 const Eigen::VectorXd& labels) const override;
    Eigen::MatrixXd GetInputGradient(ConstVectorRef theta,
                                     const Eigen::MatrixXd& features,
                                     const Eigen::VectorXd& labels) const override;

    uint32_t GetInputs() const override { return GetTrain().GetFeatures(); }

    uint32_t GetClasses() const override { return GetTrain().classes; }

  protected:
    /** Refuses data without classes; a subclass that overrides it calls it first. */
    void CheckData() const override;

    /**
     * @return shape of a sample, by the attributes, else by the data; all 0 when both leave it open
     * @throw std::invalid_argument when the attributes give no shape of a sample
     */
    ImageShape GetNamedShape() const;

    /** @param objective used from now on; for AdoptData() */
    void SetObjective(std::shared_ptr<const NetworkObjective> objective)
    {
        m_objective = std::move(objective);
    }

  private:
    uint32_t m_channels{0};                              //!< attribute Channels
    uint32_t m_height{0};                                //!< attribute Height
    uint32_t m_width{0};                                 //!< attribute Width
    std::shared_ptr<const NetworkObjective> m_objective; //!< computes
};

} // namespace ns3::dlearn

#endif // DLEARN_NETWORK_TASK_H
