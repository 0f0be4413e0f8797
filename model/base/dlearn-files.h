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
    explicit GzipFile(const std::string& path);

    /**
     * Read the next bytes.
     *
     * @param buffer gets the bytes
     * @param size of the buffer, at least 1
     * @return number of bytes; less than @p size only at the end of the file
     * @throw std::runtime_error also when the gzip data are truncated or damaged
     */
    size_t Read(char* buffer, size_t size);

    const std::string& GetPath() const { return m_path; }

  private:
    std::string m_path;                                   //!< for error messages
    std::unique_ptr<gzFile_s, int (*)(gzFile_s*)> m_file; //!< the bytes
};

/** Cuts a text file, decompressed when it is in gzip format, into lines. @ingroup dlearn */
class LineReader
{
  public:
    explicit LineReader(const std::string& path);

    /** @return whether there was a next line; @p line gets it without line end and byte order mark
     */
    bool Next(std::string& line);

    /** @return "file:line" of the line read last, for messages; the first line is 1 */
    std::string GetPlace() const { return m_file.GetPath() + ":" + std::to_string(m_lines); }

  private:
    GzipFile m_file;
    std::vector<char> m_buffer;
    size_t m_position{0}; //!< first byte of the buffer not yet in a line
    size_t m_filled{0};   //!< bytes in the buffer
    size_t m_lines{0};    //!< lines returned
};

/** @return a small text file, not compressed; @throw std::invalid_argument when it is empty */
std::string ReadTextFile(const std::string& path);

/** One field of a line of comma-separated values. */
struct CsvField
{
    std::string text; //!< without spaces and tabulators around it; may be empty
    size_t column;    //!< where it begins in the line, from 1 on; where it ends when empty
};

/** @return the fields of a line, cut at its commas, without quoting */
std::vector<CsvField> SplitCsvFields(const std::string& line);

/**
 * Read vectors from a text file: one a line, numbers (also nan, inf and -inf) separated by commas,
 * with spaces around them allowed. Empty lines do not count.
 *
 * @param path the file
 * @return n x d
 * @throw std::invalid_argument naming the file, line and column of a field that is not a number,
 * the line of a vector that is longer or shorter than the first, and a file without vectors
 */
RowMatrix<double> ReadCsvRows(const std::string& path);

/**
 * @ingroup dlearn
 * A file that appears under its name only when it is complete. Until then its text is in PATH.part,
 * and a file that existed before remains when writing fails or the program is killed.
 *
 * Devices and pipes, such as /dev/stdout, are written directly.
 */
class OutputFile
{
  public:
    explicit OutputFile(const std::string& path);

    /** Removes the text, unless Commit() was called. */
    ~OutputFile();

    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    /** @param text is appended */
    void Write(const std::string& text);

    /** @return path of the text until Commit(), for a library that writes the text itself */
    const std::string& GetPart() const { return m_part.empty() ? m_path : m_part; }

    /** Write all text to the file; no more follows. */
    void Close();

    /** Close the file, and give it its name. */
    void Commit();

  private:
    void Check() const;

    std::string m_path;
    std::string m_part; //!< path until Commit(); empty for a device
    std::ofstream m_file;
    bool m_complete{true}; //!< whether there is nothing to remove
};

/**
 * Detect a full disk after a library has written a file without reporting errors.
 *
 * @param part path of the file
 * @param path name of the file in the message
 */
void RequireWhole(const std::string& part, const std::string& path);

/** Replace the content of a file; when that fails, the file is unchanged. */
void WriteTextFile(const std::string& path, const std::string& text);

/**
 * Replace files that belong together. A full disk leaves all of them unchanged.
 *
 * @param texts by path; no text: the file is removed
 */
void WriteTextFiles(const std::map<std::string, std::optional<std::string>>& texts);

} // namespace ns3::dlearn

#endif // DLEARN_FILES_H
