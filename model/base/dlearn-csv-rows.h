/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_CSV_ROWS_H
#define DLEARN_CSV_ROWS_H

#include "dlearn-row-matrix.h"

#include <string>

namespace ns3::dlearn
{

/**
 * Read vectors from a text file: one a line, numbers separated by commas, spaces around them
 * allowed. Also nan, inf and -inf are numbers here. Empty lines do not count.
 *
 * @param path the file
 * @return n x d
 * @throw std::runtime_error naming the file when it cannot be read
 * @throw std::invalid_argument naming the file, line and column of what is no number, the line
 *        of a vector that is longer or shorter than the first, and a file without vectors
 */
RowMatrix<double> ReadCsvRows(const std::string& path);

} // namespace ns3::dlearn

#endif // DLEARN_CSV_ROWS_H
