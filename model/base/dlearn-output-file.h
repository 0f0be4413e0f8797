/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_OUTPUT_FILE_H
#define DLEARN_OUTPUT_FILE_H

#include <fstream>
#include <map>
#include <optional>
#include <string>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * A file that appears under its name only when it is complete. Until then its text is in a file
 * beside it, whose name ends with ".part". What was there before stays as it is when writing fails,
 * or when the program is killed.
 *
 * Devices and pipes, such as /dev/stdout, are written directly.
 */
class OutputFile
{
  public:
    /**
     * @param path of the file
     * @throw std::runtime_error with the path and the reason of the system
     */
    explicit OutputFile(const std::string& path);

    /** Removes the text, unless Commit() was called. */
    ~OutputFile();

    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    /**
     * @param text follows what is there
     * @throw std::runtime_error with the path and the reason of the system
     */
    void Write(const std::string& text);

    /** @return where the text is until Commit(), for a library that writes it itself */
    const std::string& GetPart() const { return m_part.empty() ? m_path : m_part; }

    /**
     * No more text comes: make sure that all of it is in the file.
     * @throw std::runtime_error with the path and the reason of the system
     */
    void Close();

    /**
     * Close the file, and give it its name.
     * @throw std::runtime_error with the path and the reason of the system
     */
    void Commit();

  private:
    void Check() const;

    std::string m_path;    //!< of the file
    std::string m_part;    //!< where the text is until then; empty for a device
    std::ofstream m_file;  //!< open on it
    bool m_complete{true}; //!< whether there is nothing to remove
};

/**
 * @ingroup dlearn
 * Make sure that a file is whole that was written by a library which does not tell of errors: on a
 * full disk there is no room for one byte more.
 *
 * @param part where the file is
 * @param path its name in the message
 * @throw std::runtime_error with the path and the reason of the system
 */
void RequireWhole(const std::string& part, const std::string& path);

/**
 * @ingroup dlearn
 * Replace a file by a text.
 *
 * @param path where
 * @param text what
 * @throw std::runtime_error with the path and the reason of the system; the file is then as it was
 */
void WriteTextFile(const std::string& path, const std::string& text);

/**
 * @ingroup dlearn
 * Replace several files that belong together. All texts are written before the first file is
 * replaced, so that a full disk leaves all of them as they were.
 *
 * @param texts by path; nothing removes the file
 * @throw std::runtime_error with the path and the reason of the system
 */
void WriteTextFiles(const std::map<std::string, std::optional<std::string>>& texts);

} // namespace ns3::dlearn

#endif // DLEARN_OUTPUT_FILE_H
