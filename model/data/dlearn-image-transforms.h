/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_IMAGE_TRANSFORMS_H
#define DLEARN_IMAGE_TRANSFORMS_H

#include "dlearn-dataset.h"

namespace ns3::dlearn
{

/**
 * @file
 * Transformations of images before the run.
 */

/**
 * @ingroup dlearn
 * Mean and standard deviation of the pixels of each channel.
 */
struct ChannelMoments
{
    Eigen::VectorXd means;      //!< one per channel
    Eigen::VectorXd deviations; //!< one per channel; 0 where all pixels are equal
};

/**
 * @ingroup dlearn
 * @param data images, at least one
 * @return the moments over all pixels of all samples; the variance is that of the pixels
 *         themselves (divided by their number, not by one less)
 * @throw std::invalid_argument when the data are no images, or there are none
 */
ChannelMoments MeasureChannels(const Dataset& data);

/**
 * @ingroup dlearn
 * Replace each pixel v of channel k by (v - means_k) / deviations_k, or by v - means_k when
 * the deviation is 0. The images from which the moments were taken then have mean 0 and
 * variance 1 in each channel. Test images are shifted and scaled by the moments of the training
 * images, because nothing is known about the test images at that time.
 *
 * @param data images; a truth would no longer be true, so there must be none
 * @param moments one per channel
 * @throw std::invalid_argument when the data are no images or have a truth, or the moments
 *        are not those of as many channels
 */
void NormalizeChannels(Dataset& data, const ChannelMoments& moments);

/**
 * @ingroup dlearn
 * @param image its pixels
 * @param shape how they are arranged
 * @return the pixels of the mirror image: each row from right to left
 * @throw std::invalid_argument when the shape has another number of pixels
 */
Eigen::VectorXd MirrorImage(ConstVectorRef image, const ImageShape& shape);

/**
 * @ingroup dlearn
 * Append the mirror image of every sample, with its label, in the same order.
 *
 * The usual alternative mirrors at random whenever a sample is drawn. Here a gradient is a
 * function of the model and the numbers of samples alone, so that it can be computed again
 * and by any thread with the same result; copies keep it so, and a sample that is drawn uniformly
 * has the same distribution. For privacy a copy is a separate sample: what a ledger states for
 * one sample holds for an image and for its copy each, not for both together.
 *
 * @param data images
 * @return twice as many samples
 * @throw std::invalid_argument when the data are no images, or twice as many would need over
 *        4 GiB
 */
Dataset AppendMirrored(const Dataset& data);

} // namespace ns3::dlearn

#endif // DLEARN_IMAGE_TRANSFORMS_H
