/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_NPY_FILE_H
#define DLEARN_NPY_FILE_H

#include "ns3/dlearn-types.h"

#include <string>
#include <vector>

/**
 * @file
 * Models in the format of NumPy (numpy.lib.format, versions 1 to 3), which numpy.load() reads.
 */

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * @param model of d entries
 * @return a file of version 1 with an array of shape (d,) of little-endian 64-bit floats
 */
std::string MakeNpy(const ModelVector& model);

/**
 * @ingroup dlearn
 * @param models of d entries each, in the order of the rows
 * @return a file as above with an array of shape (number of models, d)
 */
std::string MakeNpy(const std::vector<ModelVector>& models);

/**
 * @ingroup dlearn
 * @param path a file with an array of 32-bit or 64-bit floats, of any shape, in C order
 * @return its entries in this order
 * @throw std::invalid_argument naming the file and the rule that it breaks
 * @throw std::runtime_error when it cannot be read
 */
ModelVector ReadNpy(const std::string& path);

} // namespace ns3::dlearn

#endif // DLEARN_NPY_FILE_H
