/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-text-file.h"

#include "dlearn-check.h"
#include "dlearn-regular-file.h"

#include <cerrno>
#include <cstring>
#include <fstream>

namespace ns3::dlearn
{

std::string
ReadTextFile(const std::string& path)
{
    constexpr uint64_t most = uint64_t(1) << 26;
    const uint64_t size = GetRegularFileSize(path);
    Require(size <= most, path, ": must have at most ", most, " bytes, has ", size);
    std::ifstream file(path, std::ios::binary);
    std::string text;
    char block[4096];
    while (file.read(block, sizeof(block)) || file.gcount() > 0)
    {
        text.append(block, static_cast<size_t>(file.gcount()));
    }
    if (!file.is_open() || file.bad())
    {
        throw std::runtime_error(path + ": cannot be read: " + std::strerror(errno));
    }
    Require(!text.empty(), path, ": is empty");
    return text;
}

} // namespace ns3::dlearn
