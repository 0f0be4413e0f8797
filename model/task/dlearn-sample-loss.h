/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_SAMPLE_LOSS_H
#define DLEARN_SAMPLE_LOSS_H

#include "ns3/dlearn-dataset.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The loss of samples that are in no data set, and its gradients with respect to the model and to
 * the samples, which gradient inversion needs to find the samples behind a gradient. A task that
 * supports this implements this interface in addition to Task.
 *
 * Of B samples (x_b, y_b) the loss is the mean of l(theta, (x_b, y_b)), without regularization;
 * nothing is clipped. All functions throw std::invalid_argument for a model or features of the
 * wrong size, numbers that are not finite, and labels that are no class.
 */
class SampleLoss
{
  public:
    virtual ~SampleLoss() = default;

    /**
     * @param theta a model
     * @param features features x B: one column per sample
     * @param labels B classes
     * @return gradient of the loss with respect to theta
     */
    virtual ModelVector GetModelGradient(ConstVectorRef theta,
                                         const Eigen::MatrixXd& features,
                                         const Eigen::VectorXd& labels) const = 0;

    /**
     * @param theta a model
     * @param features features x B: one column per sample
     * @param labels B classes
     * @return gradient of the loss with respect to the features, features x B
     */
    virtual Eigen::MatrixXd GetInputGradient(ConstVectorRef theta,
                                             const Eigen::MatrixXd& features,
                                             const Eigen::VectorXd& labels) const = 0;

    /** @return features of a sample */
    virtual uint32_t GetInputs() const = 0;

    /** @return number of classes; labels are 0 to one less */
    virtual uint32_t GetClasses() const = 0;

  protected:
    /**
     * Check samples and put them together.
     *
     * @param features features x B
     * @param labels B classes
     * @return the samples; a copy
     * @throw std::invalid_argument when they are none, or not what the class comment asks for
     */
    Dataset MakeSamples(const Eigen::MatrixXd& features, const Eigen::VectorXd& labels) const;
};

} // namespace ns3::dlearn

#endif // DLEARN_SAMPLE_LOSS_H
