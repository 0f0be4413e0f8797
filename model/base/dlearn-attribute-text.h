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
 * functions check the text before.
 */

namespace ns3::dlearn
{

/** @return the class of the values ("DoubleValue"), without namespaces and template arguments */
std::string GetValueKind(const AttributeChecker& checker);

/** @return whether a text is a whole number of at most 64 bits; @p signedToo: may be negative */
bool IsWholeNumber(const std::string& text, bool signedToo);

/**
 * @param text a value
 * @param checker of an attribute
 * @param initial value of the attribute; if it names a type, the text must name one of the same
 *        family, with a constructor if the initial type has one
 * @return whether ns-3 can read the text without aborting and accepts the value; false for all
 *         addresses, containers, coordinates and modes of Wi-Fi
 */
bool IsValid(const std::string& text,
             const AttributeChecker& checker,
             const AttributeValue& initial);

/**
 * @param text the name of a type, or "TYPE[Attribute=value|...]"
 * @param factory gets the type and its attributes, as text: ns-3 would make a pointer of each value
 * @return the mistake in the text, in words; empty: none
 */
std::string ReadFactoryText(const std::string& text, ObjectFactory& factory);

/** @return whether ReadFactoryText() accepts a text */
bool IsFactoryText(const std::string& text);

/**
 * @param checker of an attribute
 * @param initial value of the attribute
 * @return the valid values, in words: "a whole number of at least 1"
 */
std::string DescribeValues(const AttributeChecker& checker, const AttributeValue& initial);

} // namespace ns3::dlearn

#endif // DLEARN_ATTRIBUTE_TEXT_H
