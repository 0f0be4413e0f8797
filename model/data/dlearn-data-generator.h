/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_DATA_GENERATOR_H
#define DLEARN_DATA_GENERATOR_H

#include "dlearn-dataset.h"

#include <vector>

namespace ns3
{
namespace dlearn
{

/**
 * @file
 * Synthetic data with a known generating model. The same options, stream number, ns-3 seed
 * and run give the same data; a larger number of samples extends a smaller one.
 */

/**
 * @ingroup dlearn
 * Options of MakeLinearGaussian().
 */
struct LinearGaussianOptions
{
    uint32_t samples{8000}; //!< number of samples, at least 1
    uint32_t features{20};  //!< d, at least 1
    double noiseStd{0.1};   //!< standard deviation of the noise on the targets, at least 0
    uint32_t nonZeros{0};   //!< s, non-zero entries of a drawn w*; 0 for all d
    ModelVector truth;      //!< w* of d entries, then nonZeros must be 0; drawn when empty
};

/**
 * @ingroup dlearn
 * A regression: x ~ N(0, I_d), y = x^T w* + N(0, noiseStd^2), all independent. A drawn w* has
 * s entries from N(0, 1) in places that are chosen uniformly, and 0 elsewhere.
 *
 * @param options what to generate
 * @param stream first random stream number (4 used); negative for automatic ones
 * @return the samples, with w* as truth
 * @throw std::invalid_argument naming the option, its value and the rule it breaks
 */
Dataset MakeLinearGaussian(const LinearGaussianOptions& options, int64_t stream);

/**
 * @ingroup dlearn
 * Options of MakeCategorical(). The default attributes are those of the Mushroom data set
 * in the usual encoding without stalk-root: 21 attributes (22 with it), 112 columns.
 */
struct CategoricalOptions
{
    uint32_t samples{8000}; //!< number of samples, at least 1
    /** Number of categories of each attribute, at least 1 each. */
    std::vector<uint32_t> categories{6, 4, 10, 2, 9, 2, 2, 2, 12, 2, 4,
                                     4, 9, 9,  1, 4, 3, 5, 9, 6,  7};
    double skew{1};    //!< category k has probability ~ 1/(k+1)^skew; at least 0, 0 for equal
    double margin{20}; //!< standard deviation of the true logit, at least 0; 0: labels are coins
};

/**
 * @ingroup dlearn
 * A binary classification of categorical attributes. Each attribute draws its category
 * independently; the features are the one-hot codes of all attributes, one after the other,
 * and the label is 1 with probability 1 / (1 + exp(-x^T w*)).
 *
 * The weights of w* are drawn from N(0, 1), then the mean of each attribute's weights under
 * its category probabilities is taken off, and all are scaled, so that the logit x^T w* has
 * exactly mean 0 and standard deviation margin: classes are roughly balanced, and no
 * intercept is needed. With the default margin the best possible classifier, sign(x^T w*), is
 * right for about 97 % of the samples; for a nearly normal logit its error is about
 * 0.55 / margin.
 *
 * @param options what to generate
 * @param stream first random stream number (3 used); negative for automatic ones
 * @return the samples, with labelNames "0", "1" and w* as truth
 * @throw std::invalid_argument naming the option, its value and the rule it breaks
 */
Dataset MakeCategorical(const CategoricalOptions& options, int64_t stream);

} // namespace dlearn
} // namespace ns3

#endif // DLEARN_DATA_GENERATOR_H
