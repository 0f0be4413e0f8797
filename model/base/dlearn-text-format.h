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

/**
 * @param time a time
 * @return seconds as an exact decimal of its nanoseconds, without trailing zeros: `1.25`
 */
std::string FormatSeconds(Time time);

/**
 * @param text any bytes
 * @return the text for XML and HTML, inside elements and attribute values; control characters
 *         that XML forbids become `?`
 */
std::string EscapeXml(const std::string& text);

/**
 * @param names for a message
 * @return "A, B, C"
 */
std::string JoinNames(const std::vector<std::string>& names);

/**
 * @param text any text
 * @param separator between the pieces
 * @return the pieces, at least one: an empty one for an empty text
 */
std::vector<std::string> SplitText(const std::string& text, char separator);

/**
 * @param text any text
 * @return a field of a CSV file, in quotes (RFC 4180) only when it needs them
 */
std::string EscapeCsv(const std::string& text);

/**
 * Read a text that is one finite decimal number and nothing else, whatever the locale.
 *
 * @param text the text, without spaces around it
 * @return the number; nothing when the text is not one
 */
std::optional<double> ParseNumber(std::string_view text);

/** The same for a whole number of 32 bits, digits only. */
std::optional<uint32_t> ParseWholeNumber(std::string_view text);

/**
 * @param text whole numbers with a character between each two of them: "28x28"
 * @param separator the character: 'x'
 * @return the numbers, at least one; nothing when one of them is not as ParseWholeNumber() reads it
 */
std::optional<std::vector<uint32_t>> ParseWholeNumbers(std::string_view text, char separator);

/**
 * @param text whole numbers and ranges of them with commas between: "0-2,5"
 * @return all numbers in this order, at least one; nothing when the text is not like that, or a
 *         range runs backwards or over a million numbers, as with a slip of the keyboard
 */
std::optional<std::vector<uint32_t>> ParseRanges(std::string_view text);

/** A link as a text names it. */
struct LinkName
{
    uint32_t from{0};     //!< the sender
    uint32_t to{0};       //!< the receiver
    bool bothWays{false}; //!< whether the other direction is meant, too
};

/**
 * @param text "0-1" for both ways, or "0to1"
 * @return the link; nothing when the text is not like that, or both ends are the same
 */
std::optional<LinkName> ParseLinkName(std::string_view text);

} // namespace ns3::dlearn

#endif // DLEARN_TEXT_FORMAT_H
