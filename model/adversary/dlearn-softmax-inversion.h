/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_SOFTMAX_INVERSION_H
#define DLEARN_SOFTMAX_INVERSION_H

#include "dlearn-gradient-inversion.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What is behind the gradient of softmax regression (SoftmaxTask) for one sample, in closed form.
 *
 * As a matrix, features x classes, that gradient is the outer product x r^T with r = p - e_y,
 * where p = softmax(Theta^T x) are the probabilities that the model gives. So
 *
 *  - the image is known up to a factor: x is any column divided by r_k; of a noisy gradient, the
 *    best such x is the first left singular vector, since noise of deviation s in every entry
 *    disturbs that by about s (sqrt(features) + sqrt(classes)) / (||x|| ||r||);
 *  - the label is known: r sums to 0, and only r_y is negative, so it is the entry of largest
 *    magnitude, and its sign tells that of x. With two classes r_0 = -r_1, and x and the label are
 *    known up to a common change of sign; images have more light than darkness, so the sum of x is
 *    taken as not negative;
 *  - the factor ||x|| is not in x r^T as such, but in how r follows from it: it is the one for
 *    which the gradient of (x, y) is nearest to the observed one. With Theta = 0 or a known
 *    Theta of one sample, that is exact. When several factors fit alike, the smallest is taken.
 *
 * Of B samples the sum of B such products is seen: their images span the first B left singular
 * vectors, and which mixture of these each one is cannot be told from this matrix alone.
 *
 * @param inputs features of a sample
 * @param theta the model, inputs x classes, class after class
 * @param gradient of one sample, without regularization, not 0
 * @param largest the longest that an image can be, such as sqrt(inputs) for pixels in [0, 1]
 * @return image, label, mismatch
 * @throw std::invalid_argument when sizes do not agree, numbers are not finite, or @p largest is
 *        not above 0
 */
InvertedGradient InvertSoftmaxGradient(uint32_t inputs,
                                       ConstVectorRef theta,
                                       ConstVectorRef gradient,
                                       double largest);

} // namespace ns3::dlearn

#endif // DLEARN_SOFTMAX_INVERSION_H
