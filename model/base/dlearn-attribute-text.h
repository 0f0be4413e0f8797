/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ATTRIBUTE_TEXT_H
#define DLEARN_ATTRIBUTE_TEXT_H

#include "ns3/attribute.h"

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
 * @param kind name of an attribute's value class, such as ns3::DoubleValue
 * @param text a value
 * @return whether ns-3 can read the value without aborting
 */
bool IsReadable(const std::string& kind, const std::string& text);

/**
 * @param checker of an attribute
 * @return what its values are, in words: "a whole number of at least 1"
 */
std::string DescribeValues(const AttributeChecker& checker);

} // namespace ns3::dlearn

#endif // DLEARN_ATTRIBUTE_TEXT_H
