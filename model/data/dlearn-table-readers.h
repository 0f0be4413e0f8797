/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TABLE_READERS_H
#define DLEARN_TABLE_READERS_H

#include "dlearn-dataset.h"

#include <string>

namespace ns3::dlearn
{

/**
 * Read a table of comma-separated values, plain or compressed with gzip. The first line names the
 * columns, each other line is a sample: a column of labels, numbers or words (SetLabels()), and
 * columns of features, which must be numbers. Fields may be in double quotes, but must not contain
 * commas. Blank lines are skipped.
 *
 * @param path the file; its last component becomes the data set's name
 * @param labels what the labels are
 * @param label name of the column of labels; empty: the last column
 * @return the samples in the order of the file; the features in the order of the columns
 * @throw std::runtime_error when the file cannot be read
 * @throw std::invalid_argument "FILE:LINE: ..." when the first line has no names, or a line does
 *        not fit it; "FILE:LINE:COLUMN: ..." for a feature that is not a number
 */
Dataset ReadCsv(const std::string& path, LabelKind labels, const std::string& label = "");

/**
 * Read a file of LEAF (Caldas et al., "LEAF: a benchmark for federated settings", 2018), plain or
 * compressed with gzip: JSON with the list `users` and, for each of them, lists x of samples and y
 * of labels in `user_data`. A sample is a list of numbers, such as the 784 pixels of an image of
 * FEMNIST, or a text, whose label is the next character, as in Shakespeare. Other members do not
 * count.
 *
 * The features of a text are the numbers of its characters, its label is that of the next one. They
 * are positions from 0 in LEAF's alphabet of 80 characters (models/utils/language_utils.py), which
 * are the classes, whichever of them occur:
 *
 *     \n !"&'(),-.0123456789:;>?ABCDEFGHIJKLMNOPQRSTUVWXYZ[]abcdefghijklmnopqrstuvwxyz}
 *
 * @param path the file, or a folder, of which all *.json and *.json.gz are read in the order of
 *        their names; its last component becomes the data set's name
 * @param labels what the labels are, unless the samples are texts
 * @param users read the first so many users; 0: all
 * @return the samples in the order of the users, who are the owners 0, 1, ...
 * @throw std::runtime_error when a file cannot be read
 * @throw std::invalid_argument "FILE: ..." when it is not of this form
 */
Dataset ReadLeaf(const std::string& path, LabelKind labels, uint32_t users = 0);

} // namespace ns3::dlearn

#endif // DLEARN_TABLE_READERS_H
