/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_OPTION_VALUE_H
#define DLEARN_OPTION_VALUE_H

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Where the value of an option is. A value that is not set prints as "auto".
 */
using OptionValue = std::variant<std::string*,
                                 bool*,
                                 uint32_t*,
                                 int64_t*,
                                 double*,
                                 std::optional<uint32_t>*,
                                 std::optional<double>*>;

/**
 * @ingroup dlearn
 * @param value of an option
 * @return it as text, as a user would write it
 */
std::string PrintOption(const OptionValue& value);

/**
 * @ingroup dlearn
 * @param value of an option; gets what the text says
 * @param name of the option, for the message
 * @param text as a user writes it
 * @throw std::invalid_argument naming the option, and the rule that the text breaks
 */
void ReadOption(const OptionValue& value, const std::string& name, const std::string& text);

} // namespace ns3::dlearn

#endif // DLEARN_OPTION_VALUE_H
