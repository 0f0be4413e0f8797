/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-attribute-text.h"

#include "dlearn-attribute-lookup.h"
#include "dlearn-check.h"
#include "dlearn-simulated-time.h"
#include "dlearn-text-format.h"

#include "ns3/object.h"
#include "ns3/pointer.h"
#include "ns3/string.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <system_error>
#include <vector>

namespace ns3::dlearn
{

namespace
{

/** Limits of the types of numbers, which are not limits of the attribute. */
const std::set<std::string> LARGEST{"4294967295",
                                    "18446744073709551615",
                                    "2147483647",
                                    "9223372036854775807",
                                    "1.79769e+308"};

/** Kinds of values whose texts ns-3 checks itself, except for blanks in them. */
const std::set<std::string> READ_BY_NS3{"BooleanValue", "QueueSizeValue", "SsidValue"};

TypeId
GetFamily(TypeId type)
{
    TypeId congestionControl;
    if (TypeId::LookupByNameFailSafe("ns3::TcpCongestionOps", &congestionControl) &&
        IsOfType(type, congestionControl))
    {
        return congestionControl;
    }
    while (type.HasParent() && type.GetParent() != Object::GetTypeId())
    {
        type = type.GetParent();
    }
    return type;
}

/** @return whether a text describes an object that an attribute of pointers accepts */
bool
IsObject(const std::string& text, const PointerChecker& checker, const AttributeValue& initial)
{
    if (checker.Check(StringValue(text)))
    {
        // A part: its owner checks the type. A part that is made by a factory is not optional.
        const bool needed = dynamic_cast<const ObjectFactoryValue*>(&initial) != nullptr;
        return text.empty() ? !needed : IsFactoryText(text);
    }
    // Only parts read brackets within brackets; ns-3 ends a list at its first one.
    if (!IsFactoryText(text) || text.find('[') != text.rfind('['))
    {
        return false;
    }
    const TypeId type = TypeId::LookupByName(text.substr(0, text.find('[')));
    const TypeId base = checker.GetPointeeTypeId();
    return type.HasConstructor() && (type == base || type.IsChildOf(base));
}

bool
IsTime(const std::string& text)
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

/** @return whether ns-3 can read the value without aborting, as it is meant */
bool
IsReadable(const std::string& text, const AttributeChecker& checker, const AttributeValue& initial)
{
    const std::string kind = GetValueKind(checker);
    // ns-3 ignores the text behind a blank.
    const bool hasBlank = text.find_first_of(" \t\n\v\f\r") != std::string::npos;
    if (kind == "DoubleValue")
    {
        return ParseNumber(text).has_value();
    }
    if (kind == "UintegerValue" || kind == "IntegerValue")
    {
        return IsWholeNumber(text, kind == "IntegerValue");
    }
    if (kind == "TimeValue")
    {
        return IsTime(text);
    }
    if (kind == "EnumValue")
    {
        const auto names = SplitText(checker.GetUnderlyingTypeInformation(), '|');
        return std::count(names.begin(), names.end(), text) > 0;
    }
    if (kind == "DataRateValue")
    {
        const size_t digits = text.find_first_not_of("0123456789.");
        return ParseNumber(text.substr(0, digits)).has_value() && !hasBlank;
    }
    if (const auto pointers = dynamic_cast<const PointerChecker*>(&checker))
    {
        return IsObject(text, *pointers, initial);
    }
    if (kind == "TypeIdValue" || kind == "StringValue")
    {
        TypeId type; // the type itself, or its name
        TypeId first;
        const bool exists = TypeId::LookupByNameFailSafe(text, &type);
        if (!TypeId::LookupByNameFailSafe(initial.SerializeToString(&checker), &first))
        {
            return exists || kind == "StringValue";
        }
        return exists && GetFamily(type) == GetFamily(first) &&
               (type.HasConstructor() || !first.HasConstructor());
    }
    // Of a unit without a number, ns-3 would make a random size.
    return READ_BY_NS3.count(kind) > 0 && !hasBlank &&
           (kind != "QueueSizeValue" || std::isdigit(static_cast<unsigned char>(text[0])));
}

} // namespace

std::string
GetValueKind(const AttributeChecker& checker)
{
    const std::string full = checker.GetValueTypeName();
    const std::string name = full.substr(0, full.find('<')); // ns3::EnumValue<ns3::...>
    return name.substr(name.rfind(':') + 1);
}

bool
IsWholeNumber(const std::string& text, bool signedToo)
{
    const auto isWhole = [&text](auto number) {
        const char* const end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data(), end, number);
        return error == std::errc() && stop == end;
    };
    return isWhole(uint64_t(0)) || (signedToo && isWhole(int64_t(0)));
}

bool
IsValid(const std::string& text, const AttributeChecker& checker, const AttributeValue& initial)
{
    return IsReadable(text, checker, initial) &&
           checker.CreateValidValue(StringValue(text)) != nullptr;
}

std::string
ReadFactoryText(const std::string& text, ObjectFactory& factory)
{
    const std::string unreadable = "'" + text + "' is neither a type nor TYPE[Attribute=value|...]";
    const size_t bracket = text.find('[');
    TypeId type;
    if (!TypeId::LookupByNameFailSafe(text.substr(0, bracket), &type))
    {
        return unreadable;
    }
    factory = ObjectFactory(type.GetName());
    if (bracket == std::string::npos)
    {
        return "";
    }
    std::vector<std::string> items(1);
    int depth = 1; // of brackets
    size_t end = bracket + 1;
    for (; end < text.size() && depth > 0; ++end)
    {
        const char c = text[end];
        depth += c == '[' ? 1 : c == ']' ? -1 : 0;
        if (c == '|' && depth == 1)
        {
            items.emplace_back();
        }
        else if (depth > 0)
        {
            items.back() += c;
        }
    }
    // ns-3 ends the text at its first blank.
    if (depth > 0 || end < text.size() || text.find_first_of(" \t\n\v\f\r") != std::string::npos)
    {
        return unreadable;
    }
    if (items.back().empty()) // as ns-3 ends a list
    {
        items.pop_back();
    }
    for (const std::string& item : items)
    {
        const size_t equal = item.find('=');
        if (equal == std::string::npos)
        {
            return unreadable;
        }
        const std::string name = item.substr(0, equal);
        const std::string value = item.substr(equal + 1);
        TypeId::AttributeInformation info;
        if (!type.LookupAttributeByName(name, &info))
        {
            return type.GetName() + " has no attribute '" + name + "'";
        }
        if (!IsValid(value, *info.checker, *info.initialValue))
        {
            return name + " of " + type.GetName() + " must be " +
                   DescribeValues(*info.checker, *info.initialValue) + ", got '" + value + "'";
        }
        factory.Set(name, StringValue(value));
    }
    return "";
}

bool
IsFactoryText(const std::string& text)
{
    ObjectFactory factory;
    return ReadFactoryText(text, factory).empty();
}

std::string
DescribeValues(const AttributeChecker& checker, const AttributeValue& initial)
{
    const std::string kind = GetValueKind(checker);
    if (kind == "BooleanValue")
    {
        return "true or false";
    }
    if (kind == "TimeValue")
    {
        return "a time with a unit, such as 10ms, within its range";
    }
    if (const auto pointers = dynamic_cast<const PointerChecker*>(&checker))
    {
        return "a type derived from " + pointers->GetPointeeTypeId().GetName() +
               ", also as TYPE[Attribute=value|...]";
    }
    if (kind == "TypeIdValue" || kind == "StringValue")
    {
        TypeId type;
        const bool typed = TypeId::LookupByNameFailSafe(initial.SerializeToString(&checker), &type);
        return "the name of a type" +
               (typed ? " derived from " + GetFamily(type).GetName() + " that can be made" : "");
    }
    if (kind == "DataRateValue")
    {
        return "a rate with a unit, such as 5Mbps";
    }
    const std::string info = checker.GetUnderlyingTypeInformation(); // uint32_t 1:4294967295
    const bool number = kind == "DoubleValue";
    const bool listed = kind == "EnumValue" || kind == "IntegerValue";
    if (!number && !listed && kind != "UintegerValue" && READ_BY_NS3.count(kind) == 0)
    {
        return "set by a script, because ns-3 ends the program on most texts for " + info;
    }
    const size_t space = info.find(' ');
    const size_t colon = info.find(':', space);
    if ((!number && kind != "UintegerValue") || colon == std::string::npos)
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
