/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_CROSS_ENTROPY_H
#define DLEARN_CROSS_ENTROPY_H

/**
 * @file
 * Cross-entropy of the softmax of the outputs z of a network, for one sample of class y:
 *
 *   l(z, y) = log sum_k exp(z_k) - z_y.
 *
 * Outputs may be float; everything here is computed in double, because differences cancel.
 */

#include "ns3/dlearn-types.h"

#include <cmath>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
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

/**
 * @ingroup dlearn
 * @param scores outputs, one per class
 * @param label the class
 * @return derivative of l by the outputs: softmax(z)_k - [k = y]
 */
inline Eigen::ArrayXd
GetCrossEntropySlope(ConstVectorRef scores, Eigen::Index label)
{
    Eigen::ArrayXd chances = scores.array() - scores[label];
    chances = (chances - chances.maxCoeff()).exp();
    chances /= chances.sum();
    chances[label] -= 1;
    return chances;
}

/**
 * @ingroup dlearn
 * Written out because maxCoeff() does not promise which of equal entries it names.
 *
 * @param scores outputs, one per class
 * @return the first class of the largest output
 */
inline Eigen::Index
GetWinner(ConstVectorRef scores)
{
    Eigen::Index best = 0;
    for (Eigen::Index k = 1; k < scores.size(); ++k)
    {
        best = scores[k] > scores[best] ? k : best;
    }
    return best;
}

} // namespace ns3::dlearn

#endif // DLEARN_CROSS_ENTROPY_H
