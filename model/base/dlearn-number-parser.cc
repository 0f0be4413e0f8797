/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-number-parser.h"

#include <charconv>
#include <cmath>
#include <locale>
#include <sstream>

namespace ns3::dlearn
{

std::optional<double>
ParseNumber(const std::string& text)
{
    // Not std::stod: it follows the locale. Not std::from_chars: it refuses the leading plus
    // that coordinates may have.
    std::istringstream stream(text);
    stream.imbue(std::locale::classic());
    double number = 0;
    stream >> std::noskipws >> number;
    const bool whole = !stream.fail() && stream.peek() == std::istringstream::traits_type::eof();
    return whole && std::isfinite(number) ? std::optional<double>(number) : std::nullopt;
}

std::optional<uint32_t>
ParseWholeNumber(const std::string& text)
{
    uint32_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, number);
    if (problem != std::errc() || stop != end)
    {
        return std::nullopt;
    }
    return number;
}

} // namespace ns3::dlearn
