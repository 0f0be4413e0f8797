/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_GZIP_FILE_H
#define DLEARN_GZIP_FILE_H

#include <cstddef>
#include <memory>
#include <string>

struct gzFile_s; // of zlib.h, which readers need not see

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The bytes of a file, decompressed when it is in gzip format. What counts is the content,
 * not the name.
 */
class GzipFile
{
  public:
    /**
     * @param path the file
     * @throw std::runtime_error naming the file and the cause when it can not be opened or
     *        is a directory
     */
    explicit GzipFile(const std::string& path);

    /**
     * Read the next bytes.
     *
     * @param buffer where to put them
     * @param size room in the buffer, at least 1
     * @return number of bytes put there; less than @p size only at the end of the file
     * @throw std::runtime_error naming the file and the cause when reading fails or the
     *        gzip data are truncated or damaged
     */
    size_t Read(char* buffer, size_t size);

    /** @return the path given to the constructor */
    const std::string& GetPath() const
    {
        return m_path;
    }

  private:
    std::string m_path;                                   //!< for error messages
    std::unique_ptr<gzFile_s, int (*)(gzFile_s*)> m_file; //!< zlib's handle
};

} // namespace ns3::dlearn

#endif // DLEARN_GZIP_FILE_H
