/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_IMAGE_SETS_H
#define DLEARN_IMAGE_SETS_H

#include "ns3/dlearn-dataset.h"

#include <optional>
#include <string>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Samples as they are in files, before a run changes them.
 */
struct RawData
{
    Dataset train;               //!< to learn from
    std::optional<Dataset> test; //!< to score on, where the data set says which
};

/**
 * @ingroup dlearn
 * @param name of a data set
 * @return whether ReadImageSet() knows it
 */
bool IsImageSet(const std::string& name);

/**
 * @ingroup dlearn
 * Read a public set of images by its name. Every file may be compressed with gzip, then with
 * .gz at the end of its name.
 * - mnist and fashion-mnist, in the folder of that name: train-images-idx3-ubyte,
 *   train-labels-idx1-ubyte and the same with t10k, which are for scoring;
 * - cifar10, in the folder cifar10 or, as it is published, cifar-10-batches-bin: all files
 *   data_batch_*.bin in the order of their names, and for scoring test_batch.bin, if it is
 *   there.
 *
 * @param name mnist, fashion-mnist or cifar10
 * @param directory where the folder is
 * @return the samples
 * @throw std::invalid_argument naming the file that is missing and where its public original
 *        comes from, or the unknown name
 * @throw std::runtime_error naming what is wrong in a file
 */
RawData ReadImageSet(const std::string& name, const std::string& directory);

} // namespace ns3::dlearn

#endif // DLEARN_IMAGE_SETS_H
