/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_GZIP_FILE_H
#define DLEARN_GZIP_FILE_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The bytes of a file, decompressed when it is in gzip format. What counts is the content,
 * not the name.
 *
 * A file may unpack to 64 times its size, or to 64 MiB if that is more: ordinary data are
 * compressed to a tenth, and only files that are made to fill the memory to a thousandth.
 */
class GzipFile
{
  public:
    /**
     * @param path the file
     * @throw std::runtime_error naming the file and the cause when it cannot be opened or
     *        is no regular file
     */
    explicit GzipFile(const std::string& path);
    ~GzipFile();

    /**
     * Read the next bytes.
     *
     * @param buffer where to put them
     * @param size room in the buffer, at least 1
     * @return number of bytes put there; less than @p size only at the end of the file
     * @throw std::runtime_error naming the file and the cause when reading fails, when the gzip
     *        data are truncated, damaged or followed by something else, and when they unpack to
     *        more than GetLimit()
     */
    size_t Read(char* buffer, size_t size);

    /** @return the path given to the constructor */
    const std::string& GetPath() const { return m_path; }

    /** @return most bytes that are read of the file */
    uint64_t GetLimit() const { return m_limit; }

  private:
    class Source;

    /**
     * @param read reads bytes
     * @return what it returns
     * @throw std::runtime_error with the name of the file, when it throws one without
     */
    size_t Try(const std::function<size_t()>& read);

    std::string m_path;               //!< for error messages
    uint64_t m_limit;                 //!< most bytes that are read
    uint64_t m_read{0};               //!< bytes that were read
    std::unique_ptr<Source> m_source; //!< the bytes
};

} // namespace ns3::dlearn

#endif // DLEARN_GZIP_FILE_H
