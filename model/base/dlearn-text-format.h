/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TEXT_FORMAT_H
#define DLEARN_TEXT_FORMAT_H

/**
 * @file
 * Numbers and text as the results files write them: the same bytes on every machine, under
 * every locale and in every build profile, which printf and streams do not promise.
 */

#include "ns3/nstime.h"

#include <string>
#include <vector>

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
 *         that XML forbids and bytes that are not UTF-8 become `?`
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

} // namespace ns3::dlearn

#endif // DLEARN_TEXT_FORMAT_H
