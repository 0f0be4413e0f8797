/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-files.h"

#include "dlearn-check.h"
#include "dlearn-text-format.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <list>
#include <zlib.h>

namespace ns3::dlearn
{

namespace
{

constexpr const char* BLANKS = " \t";
constexpr const char* BYTE_ORDER_MARK = "\xEF\xBB\xBF"; // spreadsheets write it before UTF-8

void
RequireRegularFile(const std::string& path)
{
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    {
        const bool directory = std::filesystem::is_directory(status);
        throw std::runtime_error(path + ": cannot read: is " +
                                 (directory ? "a directory" : "not a regular file"));
    }
}

[[noreturn]] void
FailToWrite(const std::string& path, int error)
{
    throw std::runtime_error("cannot write '" + path +
                             "': " + (error == 0 ? "write failed" : std::strerror(error)));
}

std::optional<double>
ParseCsvNumber(const std::string& text)
{
    if (text == "nan")
    {
        return std::numeric_limits<double>::quiet_NaN();
    }
    if (text == "inf" || text == "+inf" || text == "-inf")
    {
        return text[0] == '-' ? -INFINITE : INFINITE;
    }
    return ParseNumber(text);
}

} // namespace

GzipFile::GzipFile(const std::string& path)
    : m_path(path),
      m_file(nullptr, &gzclose)
{
    RequireRegularFile(path);
    m_file.reset(gzopen(path.c_str(), "rb"));
    if (!m_file)
    {
        throw std::runtime_error(path + ": cannot open: " + std::strerror(errno));
    }
}

size_t
GzipFile::Read(char* buffer, size_t size)
{
    const int got = gzread(m_file.get(), buffer, static_cast<unsigned>(size));
    int status = Z_OK;
    const std::string error = gzerror(m_file.get(), &status);
    if (status != Z_OK && status != Z_STREAM_END)
    {
        const size_t reason = error.rfind(": "); // behind the path
        throw std::runtime_error(m_path + ": cannot read: " +
                                 error.substr(reason == std::string::npos ? 0 : reason + 2));
    }
    return static_cast<size_t>(got);
}

LineReader::LineReader(const std::string& path)
    : m_file(path),
      m_buffer(1 << 16)
{
}

bool
LineReader::Next(std::string& line)
{
    line.clear();
    bool any = false;
    bool complete = false;
    while (!complete)
    {
        if (m_position == m_filled)
        {
            m_position = 0;
            m_filled = m_file.Read(m_buffer.data(), m_buffer.size());
            if (m_filled == 0)
            {
                break;
            }
        }
        any = true;
        const auto begin = m_buffer.begin() + m_position;
        const auto end = std::find(begin, m_buffer.begin() + m_filled, '\n');
        line.append(begin, end);
        m_position = end - m_buffer.begin();
        complete = m_position < m_filled;
        m_position += complete;
    }
    if (m_lines == 0 && line.rfind(BYTE_ORDER_MARK, 0) == 0)
    {
        line.erase(0, std::strlen(BYTE_ORDER_MARK));
    }
    m_lines += any;
    if (!line.empty() && line.back() == '\r')
    {
        line.pop_back();
    }
    return any;
}

std::string
ReadTextFile(const std::string& path)
{
    RequireRegularFile(path);
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    if (!file || (file.peek() != std::ifstream::traits_type::eof() && !(text << file.rdbuf())))
    {
        throw std::runtime_error(path + ": cannot be read: " + std::strerror(errno));
    }
    Require(!text.str().empty(), "{}: is empty", path);
    return text.str();
}

std::vector<CsvField>
SplitCsvFields(const std::string& line)
{
    std::vector<CsvField> fields;
    size_t begin = 0;
    for (const std::string& field : SplitText(line, ','))
    {
        const size_t first = std::min(field.find_first_not_of(BLANKS), field.size());
        const size_t end = field.find_last_not_of(BLANKS) + 1;
        fields.push_back({field.substr(first, end - std::min(first, end)), begin + first + 1});
        begin += field.size() + 1;
    }
    return fields;
}

RowMatrix<double>
ReadCsvRows(const std::string& path)
{
    LineReader reader(path);
    std::vector<double> numbers;
    std::string line;
    size_t width = 0;
    while (reader.Next(line))
    {
        if (line.find_first_not_of(BLANKS) == std::string::npos)
        {
            continue;
        }
        const auto fields = SplitCsvFields(line);
        for (const CsvField& field : fields)
        {
            const auto number = ParseCsvNumber(field.text);
            Require(number.has_value(),
                    "{}:{}: '{}' is not a number that a double can hold",
                    reader.GetPlace(),
                    field.column,
                    field.text);
            numbers.push_back(*number);
        }
        width = width == 0 ? fields.size() : width;
        Require(fields.size() == width,
                "{}: vectors must be of one length, got {} numbers after vectors of {}",
                reader.GetPlace(),
                fields.size(),
                width);
    }
    Require(width > 0, "{}: contains no vector", path);
    return Eigen::Map<const RowMatrix<double>>(numbers.data(), numbers.size() / width, width);
}

OutputFile::OutputFile(const std::string& path)
    : m_path(path)
{
    std::error_code ignored;
    const auto status = std::filesystem::status(path, ignored);
    if (std::filesystem::is_directory(status))
    {
        FailToWrite(m_path, EISDIR);
    }
    const bool replaced =
        !std::filesystem::exists(status) || std::filesystem::is_regular_file(status);
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
        FailToWrite(m_path, errno);
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
            FailToWrite(m_path, error.value());
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
        return; // a device or a pipe, from which the byte could not be removed
    }
    const auto size = std::filesystem::file_size(part, error);
    errno = 0;
    std::ofstream file(part, std::ios::binary | std::ios::app);
    file << '\n';
    file.close();
    if (!file)
    {
        FailToWrite(path, errno);
    }
    std::filesystem::resize_file(part, size);
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
