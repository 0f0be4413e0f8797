/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_LIBSVM_READER_H
#define DLEARN_LIBSVM_READER_H

#include "dlearn-dataset.h"

#include <string>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What the first number of a line means.
 */
enum class LibsvmLabels
{
    CLASSES, //!< a class: whole numbers, at most 1000 different ones
    TARGETS  //!< the target of a regression: any finite number
};

/**
 * @ingroup dlearn
 * Read a file in LIBSVM's sparse text format, plain or compressed with gzip (C.-C. Chang and
 * C.-J. Lin, "LIBSVM: A library for support vector machines", ACM TIST 2(3):27, 2011).
 *
 * Each line is one sample, `label index:value index:value ...`, with indices that start at 1
 * and ascend; features that are not listed are 0, a line may hold a label alone. Text after
 * '#' and blank lines are skipped; lines may end in CR LF.
 *
 * The classes of the file, in increasing numeric order, become 0..K-1; labelNames[k] is
 * class k as the file first spells it ("-1", "+1"). A test file that lacks one of the
 * classes of its training file is therefore numbered differently: compare the labelNames.
 *
 * @param path the file; its last component becomes the data set's name
 * @param labels what the labels are
 * @param minFeatures smallest number of features of the result, so that a file whose last
 *        features are all 0 can match its training file; 0 for as many as the file has
 * @return the samples in the order of the file
 * @throw std::runtime_error "FILE: cause" when the file cannot be read, is truncated, has
 *        no sample or no feature; "FILE:LINE:COLUMN: what, got '...', rule" when a line is
 *        malformed (lines and columns count from 1, columns in bytes)
 * @throw std::invalid_argument "FILE:LINE: ..." when the dense matrix would need over 4 GiB
 */
Dataset ReadLibsvm(const std::string& path, LibsvmLabels labels, uint32_t minFeatures = 0);

} // namespace ns3::dlearn

#endif // DLEARN_LIBSVM_READER_H
