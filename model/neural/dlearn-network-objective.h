/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_NETWORK_OBJECTIVE_H
#define DLEARN_NETWORK_OBJECTIVE_H

#include "ns3/dlearn-task.h"
#include "ns3/dlearn-types.h"

#include <cmath>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The functions of a network on a data set, of any implementation. Arguments have been checked. All
 * methods may be called from several threads.
 */
class NetworkObjective
{
  public:
    virtual ~NetworkObjective() = default;

    /** @return weighted sum of the samples' losses */
    virtual double GetLoss(ConstVectorRef theta,
                           const Dataset& data,
                           const WeightedSamples& samples) const = 0;

    /** Add the weighted sum of the samples' clipped gradients to the last argument. */
    virtual void AddGradient(ConstVectorRef theta,
                             const Dataset& data,
                             const WeightedSamples& samples,
                             double clipNorm,
                             VectorRef gradient) const = 0;

    /** @return gradient of GetLoss() with respect to the features of the samples, in columns */
    virtual Eigen::MatrixXd GetInputGradient(ConstVectorRef theta,
                                             const Dataset& data,
                                             const WeightedSamples& samples) const = 0;

    /** @return number of samples that are classified correctly */
    virtual uint32_t CountRight(ConstVectorRef theta, const Dataset& data) const = 0;
};

/** @return the class of a sample */
inline Eigen::Index
GetLabel(const Dataset& data, Eigen::Index index)
{
    return static_cast<Eigen::Index>(data.labels[index]);
}

/**
 * @ingroup dlearn
 * Visit samples in passes of about equal size: a small one costs nearly as much as a full one.
 *
 * @param count number of samples
 * @param most samples of a pass, at least 1
 * @param visit called with the first sample of each pass, and its number of samples
 */
template <typename Visitor>
void
ForEachPass(Eigen::Index count, Eigen::Index most, const Visitor& visit)
{
    const Eigen::Index passes = (count + most - 1) / most;
    for (Eigen::Index k = 0; k < passes; ++k)
    {
        const Eigen::Index first = count * k / passes;
        visit(first, count * (k + 1) / passes - first);
    }
}

/**
 * @ingroup dlearn
 * Cross-entropy of the softmax of the outputs z of a network, for one sample of class y:
 *
 *   l(z, y) = log sum_k exp(z_k) - z_y.
 *
 * Outputs may be float; here they are double, because differences cancel.
 *
 * @param scores outputs, one per class
 * @param label the class
 * @return l; NaN or infinite when an output is
 */
inline double
GetCrossEntropy(ConstVectorRef scores, Eigen::Index label)
{
    const Eigen::ArrayXd differences = scores.array() - scores[label];
    const double largest = differences.maxCoeff();
    return largest + std::log((differences - largest).exp().sum());
}

/** @return derivative of GetCrossEntropy() by the outputs: softmax(z)_k - [k = y] */
inline Eigen::ArrayXd
GetCrossEntropySlope(ConstVectorRef scores, Eigen::Index label)
{
    Eigen::ArrayXd chances = scores.array() - scores[label];
    chances = (chances - chances.maxCoeff()).exp();
    chances /= chances.sum();
    chances[label] -= 1;
    return chances;
}

} // namespace ns3::dlearn

#endif // DLEARN_NETWORK_OBJECTIVE_H
