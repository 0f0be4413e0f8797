/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_FILES_H
#define DLEARN_FILES_H

#include "dlearn-types.h"

#include <cstddef>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/**
 * @file
 * Files that are read, plain or in gzip format, and files that appear only when they are complete.
 * Functions throw std::runtime_error that names the file and the cause when it cannot be read or
 * written, or is not a regular file: devices and pipes may never end.
 */

struct gzFile_s; // of zlib

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The bytes of a file, decompressed when it is in gzip format. The content counts, not the name.
 */
class GzipFile
{
  public:
    /** @param path the file */
    explicit GzipFile(const std::string& path);

    /**
     * Read the next bytes.
     *
     * @param buffer where to put them
     * @param size room in the buffer, at least 1
     * @return number of bytes put there; less than @p size only at the end of the file
     * @throw std::runtime_error also when the gzip data are truncated or damaged
     */
    size_t Read(char* buffer, size_t size);

    /** @return the path given to the constructor */
    const std::string& GetPath() const { return m_path; }

  private:
    std::string m_path;                                   //!< for error messages
    std::unique_ptr<gzFile_s, int (*)(gzFile_s*)> m_file; //!< the bytes
};

/** Cuts a text file, decompressed when it is in gzip format, into lines. @ingroup dlearn */
class LineReader
{
  public:
    /** @param path the file */
    explicit LineReader(const std::string& path);

    /**
     * Read the next line.
     *
     * @param line result: the line, without its line feed or carriage return and line feed, the
     *        first one without a byte order mark; empty when there was none
     * @return whether there was one
     */
    bool Next(std::string& line);

    /** @return "file:line" of the line read last, for messages; the first line is 1 */
    std::string GetPlace() const { return m_file.GetPath() + ":" + std::to_string(m_lines); }

  private:
    GzipFile m_file;            //!< the bytes
    std::vector<char> m_buffer; //!< some of them
    size_t m_position{0};       //!< first byte of the buffer not yet in a line
    size_t m_filled{0};         //!< bytes in the buffer
    size_t m_lines{0};          //!< lines returned
};

/**
 * Read a small text file whole. Data sets, which may be large and compressed, are read with
 * LineReader instead.
 *
 * @param path a file
 * @return all of it
 * @throw std::invalid_argument naming the file when it is empty
 */
std::string ReadTextFile(const std::string& path);

/** One field of a line of comma-separated values. */
struct CsvField
{
    std::string text; //!< without spaces and tabulators around it; may be empty
    size_t column;    //!< where it begins in the line, from 1 on; where it ends when empty
};

/**
 * Cut a line at its commas; there is no quoting.
 *
 * @param line without line feed
 * @return its fields, one more than it has commas
 */
std::vector<CsvField> SplitCsvFields(const std::string& line);

/**
 * Read vectors from a text file: one a line, numbers separated by commas, spaces around them
 * allowed. Also nan, inf and -inf are numbers here. Empty lines do not count.
 *
 * @param path the file
 * @return n x d
 * @throw std::invalid_argument naming the file, line and column of a field that is not a number,
 * the line of a vector that is longer or shorter than the first, and a file without vectors
 */
RowMatrix<double> ReadCsvRows(const std::string& path);

/**
 * @ingroup dlearn
 * A file that appears under its name only when it is complete. Until then its text is in a file
 * beside it, whose name ends with ".part". The file that was there before stays when writing fails,
 * or when the program is killed.
 *
 * Devices and pipes, such as /dev/stdout, are written directly.
 */
class OutputFile
{
  public:
    /** @param path of the file */
    explicit OutputFile(const std::string& path);

    /** Removes the text, unless Commit() was called. */
    ~OutputFile();

    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    /** @param text is appended */
    void Write(const std::string& text);

    /** @return where the text is until Commit(), for a library that writes it itself */
    const std::string& GetPart() const { return m_part.empty() ? m_path : m_part; }

    /** No more text comes: make sure that all of it is in the file. */
    void Close();

    /** Close the file, and give it its name. */
    void Commit();

  private:
    void Check() const;

    std::string m_path;    //!< of the file
    std::string m_part;    //!< where the text is until then; empty for a device
    std::ofstream m_file;  //!< open on it
    bool m_complete{true}; //!< whether there is nothing to remove
};

/**
 * Make sure that a file is whole that was written by a library which does not report errors: on a
 * full disk there is no room for one byte more.
 *
 * @param part where the file is
 * @param path its name in the message
 */
void RequireWhole(const std::string& part, const std::string& path);

/**
 * Replace a file by a text; when that fails, the file stays as it was.
 *
 * @param path of the file
 * @param text its new content
 */
void WriteTextFile(const std::string& path, const std::string& text);

/**
 * Replace several files that belong together. All texts are written before the first file is
 * replaced, so that a full disk leaves all of them as they were.
 *
 * @param texts by path; nothing removes the file
 */
void WriteTextFiles(const std::map<std::string, std::optional<std::string>>& texts);

} // namespace ns3::dlearn

#endif // DLEARN_FILES_H
