/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-attribute-text.h"

#include "dlearn-check.h"
#include "dlearn-number-parser.h"
#include "dlearn-part.h"
#include "dlearn-quantity-parser.h"

#include "ns3/type-id.h"

#include <set>
#include <stdexcept>

namespace ns3::dlearn
{

namespace
{

/** Limits of the types of numbers, which are no limits that a user has to know. */
const std::set<std::string> LARGEST{"255",
                                    "65535",
                                    "4294967295",
                                    "18446744073709551615",
                                    "2147483647",
                                    "9223372036854775807",
                                    "1.79769e+308"};

} // namespace

bool
IsWholeNumber(const std::string& text, bool signedToo)
{
    const size_t first = signedToo && !text.empty() && text[0] == '-' ? 1 : 0;
    return text.size() > first && text.size() - first < 20 &&
           text.find_first_not_of("0123456789", first) == std::string::npos;
}

bool
IsTypeName(const std::string& name)
{
    TypeId type;
    return TypeId::LookupByNameFailSafe(name, &type);
}

bool
IsReadable(const std::string& kind, const std::string& text)
{
    if (kind == "ns3::DoubleValue")
    {
        return ParseNumber(text).has_value();
    }
    if (kind == "ns3::UintegerValue" || kind == "ns3::IntegerValue")
    {
        return IsWholeNumber(text, kind == "ns3::IntegerValue");
    }
    if (kind == "ns3::TimeValue")
    {
        try
        {
            ParseTime("time", text);
            return true;
        }
        catch (const std::invalid_argument&)
        {
            return false;
        }
    }
    if (kind == "ns3::PointerValue")
    {
        ObjectFactory factory;
        return ReadPartFactory(StringValue(text), factory);
    }
    return kind != "ns3::TypeIdValue" || IsTypeName(text); // the others answer for themselves
}

std::string
DescribeValues(const AttributeChecker& checker)
{
    const std::string kind = checker.GetValueTypeName();
    if (kind == "ns3::BooleanValue")
    {
        return "true or false";
    }
    if (kind == "ns3::TimeValue")
    {
        return "a time with a unit, such as 10ms, within its range";
    }
    if (kind == "ns3::PointerValue" || kind == "ns3::TypeIdValue")
    {
        return "the name of a type, of a part also as TYPE[Attribute=value|...]";
    }
    const std::string info = checker.GetUnderlyingTypeInformation(); // uint32_t 1:4294967295
    const bool number = kind == "ns3::DoubleValue";
    const size_t space = info.find(' ');
    const size_t colon = info.find(':', space);
    if ((!number && kind != "ns3::UintegerValue") || colon == std::string::npos)
    {
        return info.empty() ? kind : info;
    }
    const std::string least = info.substr(space + 1, colon - space - 1);
    const std::string most = info.substr(colon + 1);
    const bool bounded = LARGEST.count(most) == 0;
    return std::string(number ? "a number" : "a whole number") +
           (least[0] == '-' && !bounded ? "" : (bounded ? " from " : " of at least ") + least) +
           (bounded ? " to " + most : "");
}

} // namespace ns3::dlearn
