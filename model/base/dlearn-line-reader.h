/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_LINE_READER_H
#define DLEARN_LINE_READER_H

#include "dlearn-gzip-file.h"

#include <cstddef>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Cuts a text file, decompressed when it is in gzip format, into lines.
 */
class LineReader
{
  public:
    /**
     * @param path the file
     * @throw std::runtime_error as GzipFile
     */
    explicit LineReader(const std::string& path);

    /**
     * Read the next line.
     *
     * @param line result: the line, without its line feed or carriage return and line feed, the
     *        first one without a byte order mark; empty when there was none
     * @return whether there was one
     * @throw std::runtime_error naming the file and the cause when reading fails, and the line
     *        when it has more than 2^28 bytes
     */
    bool Next(std::string& line);

    /** @return "file:line" of the line read last, for messages; the first line is 1 */
    std::string GetPlace() const;

    /** @return most bytes that are read of the file */
    uint64_t GetLimit() const { return m_file.GetLimit(); }

  private:
    /** @return whether there are more bytes, which are in the buffer now */
    bool Refill();

    GzipFile m_file;            //!< the bytes
    std::vector<char> m_buffer; //!< some of them
    size_t m_position{0};       //!< first byte of the buffer not yet in a line
    size_t m_filled{0};         //!< bytes in the buffer
    size_t m_lines{0};          //!< lines returned
};

} // namespace ns3::dlearn

#endif // DLEARN_LINE_READER_H
