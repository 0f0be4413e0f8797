/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ATTRIBUTE_TEXT_H
#define DLEARN_ATTRIBUTE_TEXT_H

#include <string>

/**
 * @file
 * Values of attributes as text. ns-3 aborts the program on text that it can not read; these
 * say so before.
 */

namespace ns3::dlearn
{

/**
 * @param text any text
 * @param signedToo whether it may have a minus
 * @return whether it is a whole number of at most 19 digits
 */
bool IsWholeNumber(const std::string& text, bool signedToo);

/**
 * @param name any text
 * @return whether ns-3 has a type of that name
 */
bool IsTypeName(const std::string& name);

/**
 * Refuse text that ns-3 would abort on.
 *
 * @param name of the attribute, for the message
 * @param kind name of its value class, such as ns3::DoubleValue
 * @param text its value
 * @throw std::invalid_argument naming all three
 */
void RequireReadable(const std::string& name, const std::string& kind, const std::string& text);

} // namespace ns3::dlearn

#endif // DLEARN_ATTRIBUTE_TEXT_H
