/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_DATA_READERS_H
#define DLEARN_DATA_READERS_H

#include "dlearn-dataset.h"

#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * Read a file in LIBSVM's sparse text format, plain or compressed with gzip (C.-C. Chang and
 * C.-J. Lin, "LIBSVM: A library for support vector machines", ACM TIST 2(3):27, 2011).
 *
 * Each line is one sample, `label index:value index:value ...`, with indices that start at 1
 * and ascend; features that are not listed are 0; a line may have only a label. Text after '#' and
 * blank lines are skipped; lines may end in CR LF.
 *
 * SetLabels() makes classes, which must be whole numbers, of the labels. A test file that lacks a
 * class of its training file is therefore numbered differently until AdoptClasses().
 *
 * @param path the file; its last component becomes the data set's name
 * @param labels what the labels are
 * @param minFeatures least number of features of the result, so that a file whose last features are
 *        all 0 can match its training file; 0 for the number in the file
 * @return the samples in the order of the file
 * @throw std::runtime_error "FILE: cause" when the file cannot be read, is truncated, or has no
 *        sample or no feature; "FILE:LINE:COLUMN: what, got '...', rule" when a line is malformed
 * @throw std::invalid_argument "FILE: ..." when there are too many classes, or the dense matrix
 * would need over 4 GiB
 */
Dataset ReadLibsvm(const std::string& path, LabelKind labels, uint32_t minFeatures = 0);

/**
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

/**
 * Read files of the binary version of CIFAR-10, plain or compressed with gzip (A. Krizhevsky,
 * "Learning multiple layers of features from tiny images", 2009;
 * https://www.cs.toronto.edu/~kriz/cifar.html). For each image a file has a byte with the label, 0
 * to 9, and 3 x 1024 bytes: the red, the green and the blue of its 32 x 32 pixels, each row by row.
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

#endif // DLEARN_DATA_READERS_H
