/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-component.h"

#include "dlearn-attribute-lookup.h"
#include "dlearn-attribute-text.h"
#include "dlearn-check.h"
#include "dlearn-text-format.h"

#include "ns3/pointer.h"
#include "ns3/random-variable-stream.h"
#include "ns3/string.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

namespace ns3::dlearn
{

namespace
{

/** @return the name without capitals and hyphens, to compare */
std::string
Normalize(const std::string& name)
{
    std::string normal;
    for (const unsigned char c : name)
    {
        if (c != '-')
        {
            normal += static_cast<char>(std::tolower(c));
        }
    }
    return normal;
}

/** @return DpSgd as dp-sgd */
std::string
Hyphenate(const std::string& name)
{
    std::string words;
    for (const unsigned char c : name)
    {
        words += std::isupper(c) && !words.empty() ? "-" : "";
        words += static_cast<char>(std::tolower(c));
    }
    return words;
}

/** @return the types below a base that can be created and are not hidden; cached, as it is slow */
const std::vector<TypeId>&
GetTypesBelow(TypeId base)
{
    struct Found
    {
        uint16_t registered{0}; //!< types that were asked
        std::vector<TypeId> types;
    };

    static std::map<uint16_t, Found> found; // by the number of the base
    Found& below = found[base.GetUid()];
    for (; below.registered < TypeId::GetRegisteredN(); ++below.registered)
    {
        const TypeId type = TypeId::GetRegistered(below.registered);
        if (type != base && IsOfType(type, base) && type.HasConstructor() &&
            !type.MustHideFromDocumentation())
        {
            below.types.push_back(type);
        }
    }
    return below.types;
}

/** @return the types of a family that can be created, by their names for users */
std::map<std::string, TypeId>
GetTypes(const ComponentFamily& family)
{
    std::map<std::string, TypeId> types;
    for (const TypeId& type : GetTypesBelow(family.base))
    {
        const auto& wanted = family.attributes;
        const bool fits = std::any_of(wanted.begin(), wanted.end(), [&](const auto& name) {
            TypeId::AttributeInformation info;
            return type.LookupAttributeByName(name, &info);
        });
        if ((family.direct && type.GetParent() != family.base) || (!wanted.empty() && !fits))
        {
            continue;
        }
        std::string name = type.GetName();
        const bool own = name.rfind(family.prefix, 0) == 0;
        name = own ? name.substr(family.prefix.size()) : name;
        for (const std::string& ending : family.endings)
        {
            if (own && name.size() > ending.size() &&
                name.compare(name.size() - ending.size(), std::string::npos, ending) == 0)
            {
                name = name.substr(0, name.size() - ending.size());
                break;
            }
        }
        types[own && family.hyphenated ? Hyphenate(name) : name] = type;
    }
    return types;
}

/** The type of a text, and the name by which the user calls it. */
using NamedType = std::pair<std::string, TypeId>;

/** @return the type of that name, or one without a name when there is none */
NamedType
FindType(const ComponentFamily& family, const std::string& text)
{
    const auto& aliases = family.aliases;
    const auto alias = std::find_if(aliases.begin(), aliases.end(), [&text](const auto& other) {
        return Normalize(other.first) == Normalize(text);
    });
    const std::string wanted = alias == aliases.end() ? text : alias->second;
    for (const auto& [name, type] : GetTypes(family))
    {
        if (Normalize(name) == Normalize(wanted) || type.GetName() == wanted)
        {
            return {alias == aliases.end() ? name : alias->first, type};
        }
    }
    return {};
}

/** @return the attributes of a type and its parents below a base; its own come first */
std::vector<NamedAttribute>
GetAttributes(TypeId type, TypeId base)
{
    std::vector<NamedAttribute> attributes;
    for (; type != base && type.HasParent(); type = type.GetParent())
    {
        for (size_t k = 0; k < type.GetAttributeN(); ++k)
        {
            attributes.push_back({type, type.GetAttribute(k)});
        }
    }
    return attributes;
}

/** @return the attribute of that name, in capitals or not; null when there is none */
const NamedAttribute*
FindAttribute(const std::vector<NamedAttribute>& attributes, const std::string& name)
{
    for (const auto& attribute : attributes)
    {
        if (Normalize(attribute.info.name) == Normalize(name))
        {
            return &attribute;
        }
    }
    return nullptr;
}

/** @return the pieces of a text between commas and single colons; the first is the name */
std::vector<std::string>
Split(const std::string& text)
{
    std::vector<std::string> pieces(1);
    for (size_t k = 0; k < text.size(); ++k)
    {
        if (text.compare(k, 2, "::") == 0) // within the name of a type
        {
            pieces.back() += "::";
            ++k;
        }
        else if (text[k] == ':' || text[k] == ',')
        {
            pieces.emplace_back();
        }
        else
        {
            pieces.back() += text[k];
        }
    }
    return pieces;
}

/** An attribute as a user set it. */
struct Parameter
{
    std::string name;  //!< empty for a value without
    std::string value; //!< as text
};

std::vector<Parameter>
GetParameters(const std::vector<std::string>& pieces)
{
    std::vector<Parameter> parameters;
    for (size_t k = 1; k < pieces.size(); ++k)
    {
        const size_t equal = pieces[k].find('=');
        const bool named = equal != std::string::npos;
        parameters.push_back({named ? pieces[k].substr(0, equal) : "",
                              named ? pieces[k].substr(equal + 1) : pieces[k]});
    }
    return parameters;
}

std::string
DescribeParameters(const std::vector<NamedAttribute>& attributes)
{
    std::set<std::string> names;
    for (const auto& attribute : attributes)
    {
        names.insert(Normalize(attribute.info.name));
    }
    return names.empty() ? "no parameters"
                         : "the parameters " + JoinNames({names.begin(), names.end()});
}

/** A part as a user described it. */
struct Description
{
    std::string what;                                           //!< option and name, for messages
    TypeId type;                                                //!< of the part
    std::vector<std::pair<NamedAttribute, Parameter>> settings; //!< of its attributes
};

void
SetParameter(ObjectFactory& factory,
             const std::string& what,
             const TypeId::AttributeInformation& attribute,
             const Parameter& parameter)
{
    const std::string name =
        what + ": " + (parameter.name.empty() ? Normalize(attribute.name) : parameter.name);
    const auto checker = dynamic_cast<const PointerChecker*>(PeekPointer(attribute.checker));
    const bool random = checker && checker->GetPointeeTypeId() == RandomVariableStream::GetTypeId();
    const std::string value = random && ParseNumber(parameter.value)
                                  ? "ns3::ConstantRandomVariable[Constant=" + parameter.value + "]"
                                  : parameter.value;
    Require(IsValid(value, *attribute.checker, *attribute.initialValue),
            "{} must be {}, got '{}'",
            name,
            DescribeValues(*attribute.checker, *attribute.initialValue),
            parameter.value);
    factory.Set(attribute.name, StringValue(value));
}

/** @return the type itself, or the variant of it that has the first attribute that is named */
TypeId
ChooseVariant(const ComponentFamily& family,
              const NamedType& named,
              const std::vector<Parameter>& parameters)
{
    const auto variant = family.variants.find(named.first);
    if (variant == family.variants.end() || parameters.empty())
    {
        return named.second;
    }
    const TypeId other = FindType(family, variant->second).second;
    const bool has = FindAttribute(GetAttributes(other, family.base), parameters[0].name);
    return has ? other : named.second;
}

/** @return the part that a text describes; its values are not checked */
Description
Describe(const ComponentFamily& family, const std::string& text)
{
    const std::vector<std::string> pieces = Split(text);
    const NamedType named = FindType(family, pieces[0]);
    Require(!named.first.empty(),
            "{} must be one of {}; got '{}'",
            family.option,
            JoinNames(GetComponentNames(family)),
            pieces[0]);
    const std::vector<Parameter> parameters = GetParameters(pieces);
    Description part{family.option + " " + named.first,
                     ChooseVariant(family, named, parameters),
                     {}};
    const auto attributes = GetAttributes(part.type, family.base);
    std::set<std::string> given;
    size_t place = 0; // of the next value without a name
    for (const Parameter& parameter : parameters)
    {
        const bool isNamed = !parameter.name.empty();
        const auto attribute = isNamed ? FindAttribute(attributes, parameter.name)
                               : place < attributes.size() ? &attributes[place++]
                                                           : nullptr;
        Require(attribute != nullptr,
                "{} has {}; got '{}'",
                part.what,
                DescribeParameters(attributes),
                isNamed ? parameter.name : parameter.value);
        Require(given.insert(attribute->info.name).second,
                "{}: {} is given twice",
                part.what,
                Normalize(attribute->info.name));
        part.settings.emplace_back(*attribute, parameter);
    }
    return part;
}

} // namespace

std::vector<std::string>
GetComponentNames(const ComponentFamily& family)
{
    auto types = GetTypes(family);
    std::set<std::string> names;
    for (const auto& [alias, name] : family.aliases)
    {
        names.insert(alias);
        types.erase(name); // listed once, by its alias
    }
    for (const auto& [name, type] : types)
    {
        names.insert(name);
    }
    return {names.begin(), names.end()};
}

std::vector<std::string>
GetComponentUsages(const ComponentFamily& family)
{
    std::vector<std::string> usages;
    for (const std::string& name : GetComponentNames(family))
    {
        const TypeId type = FindType(family, name).second;
        std::string usage = name;
        if (type.GetAttributeN() > 0)
        {
            usage += ":";
            for (const unsigned char c : type.GetAttribute(0).name)
            {
                usage += static_cast<char>(std::toupper(c));
            }
        }
        usages.push_back(usage);
    }
    return usages;
}

std::string
GetComponentName(const std::string& text)
{
    return Split(text).front();
}

bool
IsComponent(const ComponentFamily& family, const std::string& text)
{
    return !FindType(family, GetComponentName(text)).first.empty();
}

bool
IsComponentOf(const ComponentFamily& family, const std::string& text, TypeId base)
{
    const NamedType named = FindType(family, GetComponentName(text));
    return !named.first.empty() && IsOfType(named.second, base);
}

bool
IsComponentNamed(const ComponentFamily& family, const std::string& text, const std::string& name)
{
    return FindType(family, GetComponentName(text)).first == name;
}

ObjectFactory
ParseComponent(const ComponentFamily& family, const std::string& text)
{
    const Description part = Describe(family, text);
    ObjectFactory factory;
    factory.SetTypeId(part.type);
    for (const auto& [attribute, parameter] : part.settings)
    {
        SetParameter(factory, part.what, attribute.info, parameter);
    }
    return factory;
}

std::vector<std::string>
GetGivenAttributes(const ComponentFamily& family, const std::string& text)
{
    std::vector<std::string> names;
    for (const auto& [attribute, parameter] : Describe(family, text).settings)
    {
        names.push_back(attribute.type.GetName() + "::" + attribute.info.name);
    }
    return names;
}

} // namespace ns3::dlearn
