/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-regular-file.h"

#include <filesystem>
#include <stdexcept>
#include <system_error>

namespace ns3::dlearn
{

uint64_t
GetRegularFileSize(const std::string& path)
{
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (!std::filesystem::exists(status))
    {
        return 0;
    }
    if (std::filesystem::is_directory(status))
    {
        throw std::runtime_error(path + ": cannot read: is a directory");
    }
    if (!std::filesystem::is_regular_file(status))
    {
        throw std::runtime_error(path + ": cannot read: is not a regular file");
    }
    const auto size = std::filesystem::file_size(path, error);
    return error ? 0 : size;
}

} // namespace ns3::dlearn
