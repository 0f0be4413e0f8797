/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-number-parser.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

namespace ns3::dlearn
{

namespace
{

constexpr uint32_t LONGEST_RANGE = 1000000; //!< numbers that a range may stand for

/**
 * @tparam Number what is read
 * @param text the text
 * @return the number; nothing when the text is not one, or has anything after it
 */
template <typename Number>
std::optional<Number>
ParseAll(std::string_view text)
{
    // Not std::stod or a stream, which follow the locale.
    Number number{};
    const char* const end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, number);
    return problem == std::errc() && stop == end ? std::optional<Number>(number) : std::nullopt;
}

} // namespace

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
    for (size_t begin = 0; begin <= text.size();)
    {
        const size_t end = std::min(text.find(separator, begin), text.size());
        const auto number = ParseWholeNumber(text.substr(begin, end - begin));
        if (!number)
        {
            return std::nullopt;
        }
        numbers.push_back(*number);
        begin = end + 1;
    }
    return numbers;
}

std::optional<std::vector<uint32_t>>
ParseRanges(std::string_view text)
{
    std::vector<uint32_t> numbers;
    for (size_t begin = 0; begin <= text.size();)
    {
        const size_t end = std::min(text.find(',', begin), text.size());
        const auto ends = ParseWholeNumbers(text.substr(begin, end - begin), '-');
        if (!ends || ends->size() > 2 || ends->back() < ends->front() ||
            ends->back() - ends->front() >= LONGEST_RANGE)
        {
            return std::nullopt;
        }
        const size_t size = numbers.size();
        numbers.resize(size + ends->back() - ends->front() + 1);
        std::iota(numbers.begin() + size, numbers.end(), ends->front());
        begin = end + 1;
    }
    return numbers;
}

std::optional<LinkName>
ParseLinkName(std::string_view text)
{
    LinkName ends;
    ends.bothWays = text.find('-') != std::string_view::npos;
    const std::string_view separator = ends.bothWays ? "-" : "to";
    const size_t middle = text.find(separator);
    if (middle == std::string_view::npos)
    {
        return std::nullopt;
    }
    const auto from = ParseWholeNumber(text.substr(0, middle));
    const auto to = ParseWholeNumber(text.substr(middle + separator.size()));
    if (!from || !to || *from == *to)
    {
        return std::nullopt;
    }
    ends.from = *from;
    ends.to = *to;
    return ends;
}

} // namespace ns3::dlearn
