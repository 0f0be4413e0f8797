/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-output-file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <list>
#include <stdexcept>

#if __has_include(<unistd.h>)
#include <fcntl.h>
#include <unistd.h>
#endif

namespace ns3::dlearn
{

namespace
{

/** @throw std::runtime_error with the path and the reason of the system */
[[noreturn]] void
Fail(const std::string& path, int error)
{
    throw std::runtime_error("cannot write '" + path +
                             "': " + (error == 0 ? "write failed" : std::strerror(error)));
}

/**
 * A named pipe that has a reader. Without one, opening would wait for ever. The pipe is held open
 * until the object is destroyed, as the reader would see its end otherwise.
 */
class HeldPipe
{
  public:
    /**
     * @param path of a named pipe; nothing is done for another file
     * @throw std::runtime_error when nothing reads from the pipe
     */
    explicit HeldPipe(const std::string& path)
    {
#ifdef O_NONBLOCK
        std::error_code ignored;
        if (std::filesystem::is_fifo(path, ignored))
        {
            m_file = open(path.c_str(), O_WRONLY | O_NONBLOCK);
            if (m_file < 0)
            {
                Fail(path, errno);
            }
        }
#endif
    }

    ~HeldPipe()
    {
#ifdef O_NONBLOCK
        if (m_file >= 0)
        {
            close(m_file);
        }
#endif
    }

    HeldPipe(const HeldPipe&) = delete;
    HeldPipe& operator=(const HeldPipe&) = delete;

  private:
    [[maybe_unused]] int m_file{-1}; //!< descriptor; negative for none
};

} // namespace

OutputFile::OutputFile(const std::string& path)
    : m_path(path)
{
    std::error_code ignored;
    const auto status = std::filesystem::status(path, ignored);
    if (std::filesystem::is_directory(status))
    {
        Fail(m_path, EISDIR);
    }
    const bool replaced =
        !std::filesystem::exists(status) || std::filesystem::is_regular_file(status);
    const HeldPipe pipe(m_path);
    m_part = replaced ? path + ".part" : "";
    errno = 0;
    m_file.open(replaced ? m_part : m_path, std::ios::binary | std::ios::trunc);
    Check();
    m_complete = !replaced;
}

OutputFile::~OutputFile()
{
    if (!m_complete)
    {
        m_file.close();
        std::remove(m_part.c_str());
    }
}

void
OutputFile::Check() const
{
    if (!m_file)
    {
        Fail(m_path, errno);
    }
}

void
OutputFile::Write(const std::string& text)
{
    errno = 0;
    m_file.write(text.data(), static_cast<std::streamsize>(text.size()));
    Check();
}

void
OutputFile::Close()
{
    if (m_file.is_open())
    {
        errno = 0;
        m_file.close();
        Check();
    }
}

void
OutputFile::Commit()
{
    Close();
    if (!m_complete)
    {
        std::error_code error;
        std::filesystem::rename(m_part, m_path, error);
        if (error)
        {
            Fail(m_path, error.value());
        }
        m_complete = true;
    }
}

void
RequireWhole(const std::string& part, const std::string& path)
{
    std::error_code error;
    if (!std::filesystem::is_regular_file(part, error))
    {
        return; // a device or a pipe, which would take the byte for good
    }
    const auto size = std::filesystem::file_size(part, error);
    errno = 0;
    std::ofstream file(part, std::ios::binary | std::ios::app);
    file << '\n';
    file.close();
    if (!file)
    {
        Fail(path, errno);
    }
    std::filesystem::resize_file(part, size, error);
    if (error)
    {
        Fail(path, error.value());
    }
}

void
WriteTextFile(const std::string& path, const std::string& text)
{
    WriteTextFiles({{path, text}});
}

void
WriteTextFiles(const std::map<std::string, std::optional<std::string>>& texts)
{
    std::list<OutputFile> files;
    for (const auto& [path, text] : texts)
    {
        if (text)
        {
            files.emplace_back(path).Write(*text);
            files.back().Close();
        }
    }
    for (OutputFile& file : files)
    {
        file.Commit();
    }
    for (const auto& [path, text] : texts)
    {
        if (!text)
        {
            std::remove(path.c_str());
        }
    }
}

} // namespace ns3::dlearn
