/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-text-format.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace ns3::dlearn
{

namespace
{

/**
 * Length of the UTF-8 sequence at a position.
 *
 * @param text the bytes
 * @param at where the sequence starts
 * @return its length; 0 when it is not valid UTF-8
 */
size_t
Utf8Length(const std::string& text, size_t at)
{
    auto byte = [&](size_t k) { return static_cast<unsigned char>(text[k]); };
    auto first = byte(at);
    size_t length = first < 0x80   ? 1
                    : first < 0xc2 ? 0 // a continuation, or an overlong form of ASCII
                    : first < 0xe0 ? 2
                    : first < 0xf0 ? 3
                    : first < 0xf5 ? 4
                                   : 0;
    if (length == 0 || at + length > text.size())
    {
        return 0;
    }
    for (size_t k = 1; k < length; ++k)
    {
        if ((byte(at + k) & 0xc0) != 0x80)
        {
            return 0;
        }
    }
    if (length > 2)
    {
        // Overlong forms, surrogates, and what lies above U+10FFFF.
        auto second = byte(at + 1);
        bool bad = (first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0) ||
                   (first == 0xf0 && second < 0x90) || (first == 0xf4 && second >= 0x90);
        if (bad)
        {
            return 0;
        }
    }
    return length;
}

} // namespace

std::string
FormatShortest(double value)
{
    if (std::isnan(value))
    {
        return "";
    }
    std::array<char, 32> buffer;
    auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    return std::string(buffer.data(), result.ptr);
}

std::string
FormatRounded(double value, int digits)
{
    if (std::isnan(value))
    {
        return "-";
    }
    std::array<char, 64> buffer;
    auto result = std::to_chars(buffer.data(),
                                buffer.data() + buffer.size(),
                                value,
                                std::chars_format::general,
                                digits);
    return std::string(buffer.data(), result.ptr);
}

std::string
FormatSeconds(Time time)
{
    const int64_t nanoSeconds = time.GetNanoSeconds();
    const auto [whole, part] = std::lldiv(nanoSeconds, 1000000000);
    std::string text = nanoSeconds < 0 ? "-" : "";
    text += std::to_string(std::llabs(whole));
    if (part != 0)
    {
        auto digits = std::to_string(std::llabs(part));
        digits.insert(0, 9 - digits.size(), '0');
        digits.erase(digits.find_last_not_of('0') + 1);
        text += "." + digits;
    }
    return text;
}

std::string
EscapeXml(const std::string& text)
{
    std::string escaped;
    escaped.reserve(text.size());
    for (size_t k = 0; k < text.size();)
    {
        const size_t length = Utf8Length(text, k);
        const auto c = static_cast<unsigned char>(text[k]);
        if (length == 0 || (c < 0x20 && c != '\t' && c != '\n') || c == 0x7f)
        {
            escaped += '?';
        }
        else if (c == '&')
        {
            escaped += "&amp;";
        }
        else if (c == '<')
        {
            escaped += "&lt;";
        }
        else if (c == '>')
        {
            escaped += "&gt;";
        }
        else if (c == '"')
        {
            escaped += "&quot;";
        }
        else if (c == '\'')
        {
            escaped += "&#39;";
        }
        else
        {
            escaped.append(text, k, length);
        }
        k += length == 0 ? 1 : length;
    }
    return escaped;
}

std::string
JoinNames(const std::vector<std::string>& names)
{
    std::string list;
    for (const std::string& name : names)
    {
        list += (list.empty() ? "" : ", ") + name;
    }
    return list;
}

std::vector<std::string>
SplitText(const std::string& text, char separator)
{
    std::vector<std::string> pieces;
    for (size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1)
    {
        end = text.find(separator, begin);
        pieces.push_back(text.substr(begin, end - begin));
    }
    return pieces;
}

std::string
EscapeCsv(const std::string& text)
{
    if (text.find_first_of(",\"\r\n") == std::string::npos)
    {
        return text;
    }
    std::string quoted = "\"";
    for (char c : text)
    {
        quoted += c;
        if (c == '"')
        {
            quoted += c;
        }
    }
    return quoted + "\"";
}

} // namespace ns3::dlearn
