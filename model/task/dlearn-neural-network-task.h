/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_NEURAL_NETWORK_TASK_H
#define DLEARN_NEURAL_NETWORK_TASK_H

#include "dlearn-network-plan.h"
#include "dlearn-sample-loss.h"
#include "dlearn-task.h"

#include <memory>
#include <string>

namespace ns3
{
namespace dlearn
{

class NetworkObjective;

/**
 * @ingroup dlearn
 * Classification by a feed-forward neural network: cross-entropy of the softmax of its outputs,
 *
 *   l(theta, (x, y)) = log sum_k exp(z_k) - z_y,   z = network(x, theta),
 *
 * one output a class. The line in attribute Layers says which network (ParseNetworkPlan() has the
 * words); the default is a common one for 28 x 28 images, with 431,080 parameters (LeCun et al.,
 * "Gradient-based learning applied to document recognition", 1998, made wider).
 *
 * A sample's features are an image of Channels x Height x Width values; when these are 0, of the
 * shape that the data set names, or one channel of k x k values, or three where there are 3 k^2
 * features, or else a single row. Outside
 * the model is a vector of doubles in the order that NeuralNetwork names; inside everything is
 * computed with FloatBits 32 or 64. A loss beyond the range of these numbers is infinite.
 *
 * The attributes of this class count when SetData() is called.
 */
class NeuralNetworkTask : public Task, public SampleLoss
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    uint32_t GetDimension() const override;
    double GetLoss(ConstVectorRef theta, const WeightedSamples& samples) const override;

    /**
     * Clipping takes one way back for all samples at once, which gives the norm of each sample's
     * gradient (dense layers: Goodfellow, "Efficient per-example gradient computations", 2015;
     * convolutions: sample by sample), and then scales what each sample adds.
     */
    void ClippedGradient(ConstVectorRef theta,
                         const WeightedSamples& samples,
                         double clipNorm,
                         VectorRef gradient) const override;
    double GetAccuracy(ConstVectorRef theta) const override;

    /** @return of the sums of products, forwards and back, two operations each */
    double GetFlopsPerSample() const override;

    /** @return what attribute Initializer draws */
    ModelVector DrawInitialModel(int64_t stream) const override;

    ModelVector GetModelGradient(ConstVectorRef theta,
                                 const Eigen::MatrixXd& features,
                                 const Eigen::VectorXd& labels) const override;
    Eigen::MatrixXd GetInputGradient(ConstVectorRef theta,
                                     const Eigen::MatrixXd& features,
                                     const Eigen::VectorXd& labels) const override;
    uint32_t GetInputs() const override;
    uint32_t GetClasses() const override;

    /** @return the layers, as of SetData() */
    const NetworkPlan& GetPlan() const;

  protected:
    void CheckData() const override;
    void AdoptData() override;
    double GetGradientBound() const override;

  private:
    /** @return shape of a sample, by the attributes and the data */
    ImageShape GetShape() const;

    /** @return the network that attributes and data describe */
    NetworkPlan MakePlan() const;

    std::string m_layers;                                //!< attribute Layers
    uint32_t m_channels{0};                              //!< attribute Channels
    uint32_t m_height{0};                                //!< attribute Height
    uint32_t m_width{0};                                 //!< attribute Width
    uint32_t m_floatBits{32};                            //!< attribute FloatBits
    TypeId m_initializerType;                            //!< attribute Initializer
    NetworkPlan m_plan;                                  //!< as of SetData()
    std::shared_ptr<const NetworkObjective> m_objective; //!< computes
};

} // namespace dlearn
} // namespace ns3

#endif // DLEARN_NEURAL_NETWORK_TASK_H
