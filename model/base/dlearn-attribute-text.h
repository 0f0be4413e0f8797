/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ATTRIBUTE_TEXT_H
#define DLEARN_ATTRIBUTE_TEXT_H

#include "ns3/attribute.h"
#include "ns3/object-factory.h"

#include <string>

/**
 * @file
 * Values of attributes as text. ns-3 aborts the program on text that it cannot read; these
 * say so before.
 */

namespace ns3::dlearn
{

/**
 * @param checker of an attribute
 * @return the class of its values ("DoubleValue"), without namespaces and arguments of templates,
 *         which only some versions of ns-3 name, of some kinds of values
 */
std::string GetValueKind(const AttributeChecker& checker);

/**
 * @param text any text
 * @param signedToo whether it may have a minus
 * @return whether it is a whole number of at most 64 bits
 */
bool IsWholeNumber(const std::string& text, bool signedToo);

/**
 * @param text a value
 * @param checker of an attribute
 * @param initial value of the attribute; where it names a type, another one must be of its kind
 *        and can be made if the default can
 * @return whether ns-3 can read the text without aborting and takes the value. Not so any text for
 *         the kinds of values on whose texts ns-3 aborts: addresses, containers, coordinates, modes
 *         of Wi-Fi
 */
bool IsValid(const std::string& text,
             const AttributeChecker& checker,
             const AttributeValue& initial);

/**
 * @param text any text
 * @param factory gets what the text describes, if it is the name of a type, or
 *        "TYPE[Attribute=value|...]". Not as ns-3 reads such a text, which makes a pointer of each
 *        value: what an attribute takes as a text, such as the name of an abstract type, it gets.
 * @return what is wrong with the text, in words; empty when nothing is
 */
std::string ReadFactoryText(const std::string& text, ObjectFactory& factory);

/**
 * @param text any text
 * @return whether it is the name of a type, or "TYPE[Attribute=value|...]" with attributes of the
 *         type and values that they take, as ns-3 reads the description of a factory
 */
bool IsFactoryText(const std::string& text);

/**
 * @param checker of an attribute
 * @param initial value of the attribute
 * @return what its values are, in words: "a whole number of at least 1"
 */
std::string DescribeValues(const AttributeChecker& checker, const AttributeValue& initial);

} // namespace ns3::dlearn

#endif // DLEARN_ATTRIBUTE_TEXT_H
