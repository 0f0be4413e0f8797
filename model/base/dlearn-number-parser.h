/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_NUMBER_PARSER_H
#define DLEARN_NUMBER_PARSER_H

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace ns3::dlearn
{

/**
 * Read a text that is one finite decimal number and nothing else.
 *
 * Independent of the locale, as names of graphs and files must mean the same everywhere.
 *
 * @param text the text, without spaces around it
 * @return the number; nothing when the text is not one, or has anything after it
 */
std::optional<double> ParseNumber(std::string_view text);

/**
 * Read a text that is one whole number and nothing else, digits only.
 *
 * @param text the text, without spaces around it
 * @return the number; nothing when the text is not one, or is too large for 32 bits
 */
std::optional<uint32_t> ParseWholeNumber(std::string_view text);

/**
 * Read a text that is whole numbers with a character between each two of them, and nothing else.
 *
 * @param text the text: "28x28"
 * @param separator the character: 'x'
 * @return the numbers, at least one; nothing when one of them is not as ParseWholeNumber() reads it
 */
std::optional<std::vector<uint32_t>> ParseWholeNumbers(std::string_view text, char separator);

/**
 * Read a text that is whole numbers and ranges of them with commas between, and nothing else.
 *
 * @param text the text: "0-2,5"
 * @return all numbers in this order, at least one; nothing when the text is not like that, or a
 *         range runs backwards or over a million numbers, as with a slip of the keyboard
 */
std::optional<std::vector<uint32_t>> ParseRanges(std::string_view text);

/**
 * A link as a text names it.
 */
struct LinkName
{
    uint32_t from{0};     //!< who sends
    uint32_t to{0};       //!< who receives
    bool bothWays{false}; //!< whether the other direction is meant, too
};

/**
 * Read a text that is a link, and nothing else.
 *
 * @param text the text: "0-1" for both ways, or "0to1"
 * @return the link; nothing when the text is not like that, or both ends are the same
 */
std::optional<LinkName> ParseLinkName(std::string_view text);

} // namespace ns3::dlearn

#endif // DLEARN_NUMBER_PARSER_H
