/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_CIFAR_READER_H
#define DLEARN_CIFAR_READER_H

#include "dlearn-dataset.h"

#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Read files of the binary version of CIFAR-10, plain or compressed with gzip (A. Krizhevsky,
 * "Learning multiple layers of features from tiny images", 2009;
 * https://www.cs.toronto.edu/~kriz/cifar.html). For each image a file has a byte with the
 * label, 0 to 9, and 3 x 1024 bytes: the red, the green and the blue of its 32 x 32 pixels,
 * each row by row.
 *
 * A sample's features are these 3072 numbers in this order, divided by 255. There are always
 * ten classes, with the names that the data set gives them.
 *
 * @param files at least one, each with at least one image
 * @param name of the data set, for reports
 * @return the samples, file after file
 * @throw std::runtime_error "FILE: cause" when a file cannot be read, has no image, ends
 *        within an image, or has a label over 9
 * @throw std::invalid_argument without a file, or when the dense matrix would need over 4 GiB
 */
Dataset ReadCifar10(const std::vector<std::string>& files, const std::string& name);

} // namespace ns3::dlearn

#endif // DLEARN_CIFAR_READER_H
