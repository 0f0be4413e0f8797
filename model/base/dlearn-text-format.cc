/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-text-format.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <numeric>

namespace ns3::dlearn
{

namespace
{

constexpr uint32_t LONGEST_RANGE = 1000000; //!< numbers that a range may stand for

template <typename Number>
std::optional<Number>
ParseAll(std::string_view text)
{
    Number number{};
    const char* const end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, number);
    return problem == std::errc() && stop == end ? std::optional<Number>(number) : std::nullopt;
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

std::optional<double>
ParseNumber(std::string_view text)
{
    // std::from_chars refuses the leading plus that coordinates and labels may have.
    const bool plus = text.size() > 1 && text[0] == '+' && text[1] != '-';
    const auto number = ParseAll<double>(text.substr(plus ? 1 : 0));
    return number && std::isfinite(*number) ? number : std::nullopt;
}

std::optional<uint32_t>
ParseWholeNumber(std::string_view text)
{
    return ParseAll<uint32_t>(text);
}

std::optional<std::vector<uint32_t>>
ParseWholeNumbers(std::string_view text, char separator)
{
    std::vector<uint32_t> numbers;
    for (const std::string& piece : SplitText(std::string(text), separator))
    {
        const auto number = ParseWholeNumber(piece);
        if (!number)
        {
            return std::nullopt;
        }
        numbers.push_back(*number);
    }
    return numbers;
}

std::optional<std::vector<uint32_t>>
ParseRanges(std::string_view text)
{
    std::vector<uint32_t> numbers;
    for (const std::string& piece : SplitText(std::string(text), ','))
    {
        const auto ends = ParseWholeNumbers(piece, '-');
        if (!ends || ends->size() > 2 || ends->back() < ends->front() ||
            ends->back() - ends->front() >= LONGEST_RANGE)
        {
            return std::nullopt;
        }
        const size_t size = numbers.size();
        numbers.resize(size + ends->back() - ends->front() + 1);
        std::iota(numbers.begin() + size, numbers.end(), ends->front());
    }
    return numbers;
}

std::optional<LinkName>
ParseLinkName(std::string_view text)
{
    const bool bothWays = text.find('-') != std::string_view::npos;
    const std::string_view separator = bothWays ? "-" : "to";
    const size_t middle = text.find(separator);
    if (middle == std::string_view::npos)
    {
        return std::nullopt;
    }
    const auto from = ParseWholeNumber(text.substr(0, middle));
    const auto to = ParseWholeNumber(text.substr(middle + separator.size()));
    return from && to && *from != *to ? std::optional<LinkName>({*from, *to, bothWays})
                                      : std::nullopt;
}

} // namespace ns3::dlearn
