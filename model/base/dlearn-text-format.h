/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TEXT_FORMAT_H
#define DLEARN_TEXT_FORMAT_H

#include "ns3/nstime.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/**
 * @file
 * Numbers and text as files and options have them: the same on every machine, under every locale
 * and in every build profile, which printf, streams and std::stod do not promise.
 */

namespace ns3::dlearn
{

/**
 * @param value any double
 * @return the shortest decimal that reads back as the same double; `inf` and `-inf`; empty
 *         for NaN, which stands for "does not apply"
 */
std::string FormatShortest(double value);

/**
 * @param value any double
 * @param digits significant digits, 1 to 17
 * @return the value for people to read, rounded; `inf`, `-inf`; `-` for NaN
 */
std::string FormatRounded(double value, int digits = 4);

/** @return seconds as an exact decimal of the nanoseconds, without trailing zeros: `1.25` */
std::string FormatSeconds(Time time);

/** @return "A, B, C" */
std::string JoinNames(const std::vector<std::string>& names);

/** @return the pieces of a text, at least one: an empty one for an empty text */
std::vector<std::string> SplitText(const std::string& text, char separator);

/** @return a text as a field of a CSV file, in quotes (RFC 4180) only when it needs them */
std::string EscapeCsv(const std::string& text);

/** @return the number; nothing unless the text is one finite decimal number without spaces */
std::optional<double> ParseNumber(std::string_view text);

/** @return the number; nothing unless the text is a whole number of 32 bits, digits only */
std::optional<uint32_t> ParseWholeNumber(std::string_view text);

/** @return the numbers of a text such as "28x28"; nothing when ParseWholeNumber() refuses one */
std::optional<std::vector<uint32_t>> ParseWholeNumbers(std::string_view text, char separator);

/**
 * @param text whole numbers and ranges of them, separated by commas: "0-2,5"
 * @return all numbers in this order, at least one; nothing when the text has another form, or a
 *         range runs backwards or over a million numbers
 */
std::optional<std::vector<uint32_t>> ParseRanges(std::string_view text);

/** A link as a text names it. */
struct LinkName
{
    uint32_t from{0};     //!< the sender
    uint32_t to{0};       //!< the receiver
    bool bothWays{false}; //!< whether the text names the other direction, too
};

/** @return the link of "0-1", for both ways, or "0to1"; nothing for other texts or equal ends */
std::optional<LinkName> ParseLinkName(std::string_view text);

} // namespace ns3::dlearn

#endif // DLEARN_TEXT_FORMAT_H
