/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-line-reader.h"

#include <cstring>
#include <stdexcept>

namespace ns3::dlearn
{

namespace
{

constexpr size_t MAX_LINE_BYTES = size_t(1) << 28;      // stops endless lines of not-a-text
constexpr const char* BYTE_ORDER_MARK = "\xEF\xBB\xBF"; // which spreadsheets write before UTF-8

} // namespace

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
    while (m_position < m_filled || Refill())
    {
        any = true;
        const char* begin = m_buffer.data() + m_position;
        const size_t left = m_filled - m_position;
        const auto end = static_cast<const char*>(std::memchr(begin, '\n', left));
        const size_t length = end ? end - begin : left;
        if (line.size() + length > MAX_LINE_BYTES)
        {
            throw std::runtime_error(m_file.GetPath() + ":" + std::to_string(m_lines + 1) +
                                     ": line must have at most " + std::to_string(MAX_LINE_BYTES) +
                                     " bytes");
        }
        line.append(begin, length);
        m_position += length + (end ? 1 : 0);
        if (end)
        {
            break;
        }
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
LineReader::GetPlace() const
{
    return m_file.GetPath() + ":" + std::to_string(m_lines);
}

bool
LineReader::Refill()
{
    m_position = 0;
    m_filled = m_file.Read(m_buffer.data(), m_buffer.size());
    return m_filled > 0;
}

} // namespace ns3::dlearn
