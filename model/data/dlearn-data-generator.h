/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_DATA_GENERATOR_H
#define DLEARN_DATA_GENERATOR_H

#include "dlearn-dataset.h"

#include "ns3/dlearn-types.h"
#include "ns3/random-variable-stream.h"

#include <vector>

/**
 * @file
 * Synthetic data with a known generating model. The same options, stream number, ns-3 seed and run
 * give the same data; a larger number of samples (an even one for MakeSineData()) extends a smaller
 * one. Options that break their rules throw std::invalid_argument.
 */

namespace ns3::dlearn
{

/** Options of MakeLinearGaussian(). */
struct LinearGaussianOptions
{
    uint32_t samples{8000}; //!< number of samples, at least 1
    uint32_t features{20};  //!< d, at least 1
    double noiseStd{0.1};   //!< standard deviation of the noise on the targets, at least 0
    uint32_t nonZeros{0};   //!< s, non-zero entries of a drawn w*; 0 for all d
    ModelVector truth;      //!< w* of d entries, then nonZeros must be 0; drawn when empty
};

/**
 * A regression: x ~ N(0, I_d), y = x^T w* + N(0, noiseStd^2), all independent. A drawn w* has
 * s entries from N(0, 1) in places that are chosen uniformly, and 0 elsewhere.
 *
 * @param options of the data
 * @param stream first random stream number (4 used); negative for automatic ones
 * @return the samples, with w* as truth
 */
Dataset MakeLinearGaussian(const LinearGaussianOptions& options, int64_t stream);

/**
 * Draw the samples of a regression in place: x ~ N(0, I_d), y = x^T w* + N(0, noiseStd^2).
 *
 * @param data its truth is w* (d entries) and its features (d x samples) have the size
 *        wanted; features and labels are overwritten
 * @param noiseStd standard deviation of the noise on the targets
 * @param features draws x, sample after sample
 * @param noise draws the noise, of unit variance; on another stream than the features
 */
void DrawLinearGaussian(Dataset& data,
                        double noiseStd,
                        NormalRandomVariable& features,
                        NormalRandomVariable& noise);

/**
 * @param size number of entries
 * @param nonZeros s, number of entries that are not 0; at most size
 * @param places chooses the places of these, uniformly
 * @param normal draws their values from N(0, 1), on another stream than the places
 * @return a sparse vector
 */
ModelVector DrawSparse(uint32_t size,
                       uint32_t nonZeros,
                       UniformRandomVariable& places,
                       NormalRandomVariable& normal);

/**
 * Options of MakeCategorical(). The default attributes are those of the Mushroom data set
 * in the usual encoding without stalk-root: 21 attributes (22 with it), 112 columns.
 */
struct CategoricalOptions
{
    uint32_t samples{8000}; //!< number of samples, at least 1
    /** Number of categories of each attribute, at least 1 each. */
    std::vector<uint32_t> categories{6, 4, 10, 2, 9, 2, 2, 2, 12, 2, 4,
                                     4, 9, 9,  1, 4, 3, 5, 9, 6,  7};
    /** Before the tilt to a class, category k has weight 1/(k+1)^skew; at least 0. */
    double skew{1.5};
    /** Standard deviation of the tilts of the first attribute, at least 0; 0: no class signal. */
    double separation{2.2};
    /** Attribute a has tilts of standard deviation separation * decay^a; from 0 to 1. */
    double decay{0.95};
};

/**
 * A binary classification of categorical attributes that depend on the class (naive Bayes).
 * The label y is 0 or 1 with probability 1/2 each. Given y, the attributes are independent,
 * and attribute a has category k with probability
 *
 *     P(k | y) = p_k exp((2 y - 1) theta_ak / 2) / Z_ya,    p_k = 1 / (k + 1)^skew,
 *
 * where Z_ya makes the sum over k equal to 1 and the tilts theta_ak are drawn once from
 * N(0, (separation decay^a)^2). The features are the one-hot codes of all attributes, one
 * after the other.
 *
 * The posterior is exactly logistic. With k_a for the category of attribute a in x, and as
 * the classes are equally likely, Bayes' rule gives
 *
 *     log(P(y=1 | x) / P(y=0 | x)) = sum_a log(P(k_a | 1) / P(k_a | 0))
 *                                  = sum_a (theta_{a,k_a} - log(Z_1a / Z_0a)) = x^T w*
 *
 * with w*_ak = theta_ak - log(Z_1a / Z_0a), so P(y=1 | x) = 1 / (1 + exp(-x^T w*)). No
 * intercept is needed: each attribute has exactly one 1 in x, so its constant fits into its
 * weights. For the same reason w* is the only such weight vector up to a constant per
 * attribute, these constants adding up to 0.
 *
 * With decay below 1, a few attributes determine the class and most are hardly related to it, as in
 * the Mushroom data. Over 1000 drawn truths with the default options, the middle 90 % of
 * - the accuracy of the best possible classifier, sign(x^T w*), are 0.976 to 0.998,
 * - the accuracy of sign((m1 - m0)^T (x - (m0 + m1) / 2)), m0 and m1 the means of the
 *   classes, about the result of a few small gradient steps, are 0.956 to 0.995,
 * - ||m1 - m0||^2 / ||m||^2, m the mean of all samples, are 0.34 to 0.74.
 *
 * The last two are 0.889 and 0.489 for the Mushroom data.
 *
 * @param options of the data
 * @param stream first random stream number (3 used); negative for automatic ones
 * @return the samples, with labelNames "0", "1" and w* as truth
 */
Dataset MakeCategorical(const CategoricalOptions& options, int64_t stream);

/** Options of MakeSineData(). */
struct SineOptions
{
    uint32_t samples{1000}; //!< number of samples, at least 1
    uint32_t features{1};   //!< d, at least 1
    double shift{1};        //!< largest |y|, at least 0; 0 for the example as printed
};

/**
 * Samples for SineTask (model/task/dlearn-sine-task.h): features xi ~ Lap(1/2), all independent,
 * and labels y ~ U(-shift, shift) in pairs y, -y (an odd last one is 0), so that the mean label of
 * all samples is 0 and 0 is the minimum. If a partition sorts by label, learners have different
 * minima.
 *
 * @param options of the data
 * @param stream first random stream number (2 used); negative for automatic ones
 * @return the samples, with the minimum, 0, as truth
 */
Dataset MakeSineData(const SineOptions& options, int64_t stream);

/** Options of MakeGlyphs(). Lengths are in pixels; a glyph is 18 high before it is distorted. */
struct GlyphOptions
{
    uint32_t samples{12500}; //!< number of images, at least 1
    double rotation{20};     //!< largest angle in degrees, either way, from 0 to 180
    double shear{0.3};       //!< largest shear, either way, at least 0
    double scale{0.25};      //!< largest natural logarithm of a stretch, either way, at least 0
    double translation{3};   //!< largest shift along each axis, either way, at least 0
    double thinnest{1.2};    //!< least width of the pen, greater than 0
    double thickest{3.2};    //!< greatest width of the pen, at least the least
    double jitter{1.2};      //!< root mean squared elastic displacement of a point, at least 0
    double noiseStd{0.15};   //!< standard deviation of the noise on the pixels, at least 0
};

/**
 * Images of ten glyphs, the decimal digits, drawn with a pen and distorted at random: 28 x 28
 * grey pixels from 0 (background) to 1 (ink), one sample a column, row by row.
 *
 * For each sample, independently:
 * - the glyph, its label, is chosen uniformly;
 * - the points p of its strokes, with their centre in the origin, get an elastic displacement,
 *   the smooth random field
 *
 *       u(p) = sum_{j=1}^{3} a_j sin(2 pi k_j^T p / 18 + phi_j),
 *
 *   a_j ~ N(0, (jitter^2 / 3) I), k_j ~ N(0, I/4), phi_j ~ U(0, 2 pi), in the manner of the
 *   elastic distortions of P. Simard, D. Steinkraus and J. Platt, "Best practices for
 *   convolutional neural networks applied to visual document analysis", ICDAR 2003. As the
 *   mean square of a sine of random phase is 1/2 and there are two coordinates, the expected
 *   squared length of u(p) is jitter^2;
 * - q = centre + t + R(angle) S(shear) diag(s_x, s_y) (p + u(p)), with S(h) = [1 h; 0 1] and
 *   the rotation angle, the shear, log s_x, log s_y and both coordinates of t uniform within
 *   their limits;
 * - lines between the q are drawn with a round pen of uniformly drawn width: a pixel at the
 *   distance D of its centre from the nearest point of a line is
 *   min(1, max(0, width / 2 + 1/2 - D));
 * - each pixel gets noise from N(0, noiseStd^2) and is clipped to [0, 1].
 *
 * The distortions blur the mean image of a class, so that a linear classifier errs far more than
 * one that tolerates shifts: with the default options and 10,000 training samples, softmax
 * regression classifies about 79 % of fresh samples correctly, the nearest neighbour 86 %, and a
 * convolutional network of 6,000 parameters 98 %.
 *
 * @param options of the data
 * @param stream first random stream number (4 used); negative for automatic ones
 * @return the samples
 */
Dataset MakeGlyphs(const GlyphOptions& options, int64_t stream);

} // namespace ns3::dlearn

#endif // DLEARN_DATA_GENERATOR_H
