/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-gzip-file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <zlib.h>

namespace ns3::dlearn
{

GzipFile::GzipFile(const std::string& path)
    : m_path(path),
      m_file(nullptr, &gzclose)
{
    // gzopen() succeeds on a directory; only reading it would fail.
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
    {
        throw std::runtime_error(path + ": cannot read: is a directory");
    }
    errno = 0;
    m_file.reset(gzopen(path.c_str(), "rb"));
    if (!m_file)
    {
        throw std::runtime_error(
            path + ": cannot open: " + (errno ? std::strerror(errno) : "out of memory"));
    }
}

size_t
GzipFile::Read(char* buffer, size_t size)
{
    constexpr size_t most = size_t(1) << 30; // gzread() counts in int
    size_t done = 0;
    while (done < size)
    {
        const auto wanted = static_cast<unsigned>(std::min(size - done, most));
        errno = 0;
        const int got = gzread(m_file.get(), buffer + done, wanted);
        const int systemError = errno;
        int status = Z_OK;
        std::string cause = gzerror(m_file.get(), &status);
        // Truncated input shows in the status alone: gzread() returns what there was.
        if (got < 0 || (status != Z_OK && status != Z_STREAM_END))
        {
            if (status == Z_ERRNO)
            {
                cause = std::strerror(systemError);
            }
            else if (status == Z_BUF_ERROR)
            {
                cause = "gzip data end too early, the file is truncated";
            }
            else if (cause.rfind(m_path + ": ", 0) == 0)
            {
                cause.erase(0, m_path.size() + 2);
            }
            throw std::runtime_error(m_path + ": cannot read: " + cause);
        }
        if (got == 0)
        {
            break;
        }
        done += static_cast<size_t>(got);
    }
    return done;
}

} // namespace ns3::dlearn
