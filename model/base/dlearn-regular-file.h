/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_REGULAR_FILE_H
#define DLEARN_REGULAR_FILE_H

#include <cstdint>
#include <string>

namespace ns3::dlearn
{

/**
 * Refuse what is no file of a known size: devices and pipes may never end.
 *
 * @param path a file
 * @return its size in bytes; 0 when there is none, which whoever opens it will notice
 * @throw std::runtime_error naming it when it is a folder, a device, a pipe or a socket
 */
uint64_t GetRegularFileSize(const std::string& path);

} // namespace ns3::dlearn

#endif // DLEARN_REGULAR_FILE_H
