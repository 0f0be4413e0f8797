/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TEXT_FILE_H
#define DLEARN_TEXT_FILE_H

#include <string>

namespace ns3::dlearn
{

/**
 * Read a small text file whole. Data sets, which may be large and compressed, are read with
 * LineReader instead.
 *
 * @param path a file
 * @return all of it
 * @throw std::runtime_error naming the file and the cause when it cannot be read or is no regular
 *        file
 * @throw std::invalid_argument naming the file when it is empty or has more than 64 MiB
 */
std::string ReadTextFile(const std::string& path);

} // namespace ns3::dlearn

#endif // DLEARN_TEXT_FILE_H
