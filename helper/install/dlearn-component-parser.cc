/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-component-parser.h"

#include "ns3/dlearn-attribute-text.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/object-factory.h"
#include "ns3/string.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

namespace
{

using Parameter = std::pair<std::string, std::string>; //!< name and value

/** What is parsed: a family of types. */
struct Family
{
    const char* option; //!< of the programs, for messages
    TypeId base;        //!< parent of all types
    std::string ending; //!< of their names
};

const std::string PREFIX = "ns3::dlearn::"; //!< of all types

/** A type that has a name of its own, but goes by another's when it has the parameters. */
const std::pair<std::string, std::string> ALIAS{"GeometricMedian", "SmoothedWeiszfeld"};

std::string
ToLower(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) {
        return std::tolower(c);
    });
    return text;
}

/** @return the names of all types of a family that can be created */
std::set<std::string>
GetNames(const Family& family)
{
    std::set<std::string> names;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId type = TypeId::GetRegistered(i);
        const std::string name = type.GetName();
        const size_t length = PREFIX.size() + family.ending.size();
        if (type.IsChildOf(family.base) && type.HasConstructor() && name.size() > length &&
            name.compare(name.size() - family.ending.size(), std::string::npos, family.ending) == 0)
        {
            names.insert(name.substr(PREFIX.size(), name.size() - length));
        }
    }
    return names;
}

/** @return the attributes of a type and its parents below a base */
std::vector<TypeId::AttributeInformation>
GetAttributes(TypeId type, TypeId base)
{
    std::vector<TypeId::AttributeInformation> attributes;
    for (; type != base; type = type.GetParent())
    {
        for (size_t k = 0; k < type.GetAttributeN(); ++k)
        {
            attributes.push_back(type.GetAttribute(k));
        }
    }
    return attributes;
}

/** @return the attribute of that name, in capitals or not */
std::optional<TypeId::AttributeInformation>
FindAttribute(TypeId type, TypeId base, const std::string& name)
{
    for (const auto& attribute : GetAttributes(type, base))
    {
        if (ToLower(attribute.name) == ToLower(name))
        {
            return attribute;
        }
    }
    return std::nullopt;
}

/** @return the parameters after the colon of a text */
std::vector<Parameter>
ParseParameters(const Family& family, const std::string& text)
{
    std::vector<Parameter> parameters;
    const size_t colon = text.find(':');
    if (colon == std::string::npos)
    {
        return parameters;
    }
    for (const std::string& piece : SplitText(text.substr(colon + 1), ','))
    {
        const size_t equal = piece.find('=');
        Require(equal != std::string::npos && equal > 0,
                family.option,
                " '",
                text,
                "': parameters are written NAME:parameter=value,..., got '",
                piece,
                "'");
        parameters.emplace_back(piece.substr(0, equal), piece.substr(equal + 1));
    }
    return parameters;
}

/** @return the type that a name means together with its parameters */
TypeId
FindType(const Family& family, const std::string& name, const std::vector<Parameter>& parameters)
{
    const std::set<std::string> names = GetNames(family);
    Require(names.count(name) > 0,
            family.option,
            " must be one of ",
            JoinNames({names.begin(), names.end()}),
            "; got '",
            name,
            "'");
    const TypeId type = TypeId::LookupByName(PREFIX + name + family.ending);
    if (name == ALIAS.first && !parameters.empty())
    {
        const TypeId other = TypeId::LookupByName(PREFIX + ALIAS.second + family.ending);
        if (FindAttribute(other, family.base, parameters.front().first))
        {
            return other;
        }
    }
    return type;
}

/** Set an attribute of an object, or say why not. */
void
SetParameter(const Family& family, Ptr<Object> object, const std::string& name, Parameter parameter)
{
    const TypeId type = object->GetInstanceTypeId();
    const auto attribute = FindAttribute(type, family.base, parameter.first);
    std::set<std::string> known;
    for (const auto& other : GetAttributes(type, family.base))
    {
        known.insert(ToLower(other.name));
    }
    Require(attribute.has_value(),
            family.option,
            " ",
            name,
            " has ",
            known.empty() ? "no parameters"
                          : "the parameters " + JoinNames({known.begin(), known.end()}),
            "; got '",
            parameter.first,
            "'");
    const std::string what = family.option + (" " + name) + ": " + parameter.first;
    RequireReadable(what, attribute->checker->GetValueTypeName(), parameter.second);
    Require(object->SetAttributeFailSafe(attribute->name, StringValue(parameter.second)),
            what,
            " must be ",
            attribute->checker->GetUnderlyingTypeInformation(),
            ", got '",
            parameter.second,
            "'");
}

/** @return the family of attacks */
Family
GetAttacks()
{
    return {"attack", Attack::GetTypeId(), "Attack"};
}

/** @return an object of a family as a text describes it */
template <typename Base>
Ptr<Base>
Parse(const Family& family, const std::string& text)
{
    const std::string name = text.substr(0, text.find(':'));
    const std::vector<Parameter> parameters = ParseParameters(family, text);
    ObjectFactory factory;
    factory.SetTypeId(FindType(family, name, parameters));
    const auto object = factory.Create<Base>();
    std::set<std::string> given;
    for (const Parameter& parameter : parameters)
    {
        Require(given.insert(ToLower(parameter.first)).second,
                family.option,
                " ",
                name,
                ": ",
                parameter.first,
                " is given twice");
        SetParameter(family, object, name, parameter);
    }
    return object;
}

} // namespace

Ptr<Aggregator>
ParseAggregator(const std::string& text)
{
    return Parse<Aggregator>({"aggregator", Aggregator::GetTypeId(), "Aggregator"}, text);
}

void
AddPreAggregators(const std::string& text, Ptr<Aggregator> aggregator)
{
    if (text.empty())
    {
        return;
    }
    for (const std::string& piece : SplitText(text, '+'))
    {
        aggregator->AddPreAggregator(
            Parse<PreAggregator>({"pre", PreAggregator::GetTypeId(), "PreAggregator"}, piece));
    }
}

Ptr<Attack>
ParseAttack(const std::string& text)
{
    return Parse<Attack>(GetAttacks(), text);
}

std::set<std::string>
GetAttackNames()
{
    return GetNames(GetAttacks());
}

} // namespace ns3::dlearn
