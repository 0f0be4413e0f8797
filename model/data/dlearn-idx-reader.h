/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_IDX_READER_H
#define DLEARN_IDX_READER_H

#include "dlearn-dataset.h"

#include <string>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Read images and their labels in the IDX format of MNIST and Fashion-MNIST, plain or
 * compressed with gzip (http://yann.lecun.com/exdb/mnist): bytes, big-endian sizes, magic
 * number 2051 for images and 2049 for labels.
 *
 * A sample's features are its pixels, row by row, divided by 255. The classes are 0 to the
 * largest label.
 *
 * @param images file of the images
 * @param labels file of the labels
 * @param name of the data set, for reports
 * @return the samples in the order of the files
 * @throw std::runtime_error "FILE: cause" when a file cannot be read, has another magic
 *        number, sizes of 0, fewer or more bytes than its sizes say, or when the files do not
 *        have as many labels as images
 * @throw std::invalid_argument when the dense matrix would need over 4 GiB
 */
Dataset ReadIdx(const std::string& images, const std::string& labels, const std::string& name);

} // namespace ns3::dlearn

#endif // DLEARN_IDX_READER_H
