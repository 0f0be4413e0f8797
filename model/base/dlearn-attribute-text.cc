/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-attribute-text.h"

#include "dlearn-check.h"
#include "dlearn-number-parser.h"
#include "dlearn-part.h"
#include "dlearn-quantity-parser.h"

#include "ns3/type-id.h"

namespace ns3::dlearn
{

namespace
{

/**
 * @param kind name of an attribute's value class
 * @param text a value
 * @return whether ns-3 can read the value without aborting
 */
bool
CanBeRead(const std::string& kind, const std::string& text)
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
        ParseTime("time", text);
    }
    if (kind == "ns3::PointerValue")
    {
        ObjectFactory factory;
        return ReadPartFactory(StringValue(text), factory);
    }
    return kind != "ns3::TypeIdValue" || IsTypeName(text); // the others answer for themselves
}

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

void
RequireReadable(const std::string& name, const std::string& kind, const std::string& text)
{
    Require(CanBeRead(kind, text), name, ": '", text, "' is no ", kind);
}

} // namespace ns3::dlearn
