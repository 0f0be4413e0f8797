/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_NUMBER_PARSER_H
#define DLEARN_NUMBER_PARSER_H

#include <cstdint>
#include <optional>
#include <string>

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
std::optional<double> ParseNumber(const std::string& text);

/**
 * Read a text that is one whole number and nothing else, digits only.
 *
 * @param text the text, without spaces around it
 * @return the number; nothing when the text is not one, or is too large for 32 bits
 */
std::optional<uint32_t> ParseWholeNumber(const std::string& text);

} // namespace ns3::dlearn

#endif // DLEARN_NUMBER_PARSER_H
