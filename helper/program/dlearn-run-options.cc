/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-run-options.h"

#include "dlearn-attribute-watch.h"
#include "dlearn-run-option-groups.h"

#include "ns3/dlearn-attribute-lookup.h"
#include "ns3/dlearn-attribute-text.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/string.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <cctype>
#include <variant>

namespace ns3::dlearn
{

namespace
{

/** @return an attribute that an option sets */
NamedAttribute
GetAttribute(const std::string& name)
{
    const auto attribute = FindAttribute(name);
    Require(attribute.has_value(), "no attribute ", name);
    return *attribute;
}

/**
 * Complete the help of an option that leaves it, or what comes after its colon, to the first
 * attribute that it sets.
 */
void
CompleteHelp(RunOption& option)
{
    const bool begun = !option.help.empty() && option.help.back() == ':';
    if (!option.help.empty() && !begun)
    {
        return;
    }
    const auto& info = GetAttribute(option.attributes.at(0)).info;
    std::string help = info.help;
    help.erase(help.find_last_not_of('.') + 1);
    if (help.size() > 1 && std::islower(static_cast<unsigned char>(help[1])))
    {
        help[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(help[0])));
    }
    option.help += (begun ? " " : "") + help;
    const std::string initial = info.originalInitialValue->SerializeToString(info.checker);
    if (PrintOption(option.value).empty() && !initial.empty()) // the attribute keeps it then
    {
        option.help += "; empty: " + initial;
    }
}

/** @return full names of the attributes in the description of a part, if an option has one */
std::vector<std::string>
GetDescribedAttributes(const RunOption& option)
{
    const std::string text = PrintOption(option.value);
    if (!option.family || !IsComponent(*option.family, text))
    {
        return {};
    }
    ComponentFamily family = *option.family;
    family.option = option.name; // several options take parts of a family
    return GetGivenAttributes(family, text);
}

/** @return full names of the attributes in the descriptions of parts, TYPE[NAME=VALUE|...] */
std::vector<std::string>
GetNestedAttributes(const std::string& text)
{
    std::vector<std::string> names;
    for (size_t open = text.find('['); open != std::string::npos; open = text.find('[', open + 1))
    {
        const size_t begin = text.find_last_of("=,", open) + 1; // 0 when there is none
        TypeId type;
        if (!TypeId::LookupByNameFailSafe(text.substr(begin, open - begin), &type))
        {
            continue;
        }
        const std::string list = text.substr(open + 1, text.find(']', open) - open - 1);
        for (const std::string& item : SplitText(list, '|'))
        {
            const std::string name = item.substr(0, item.find('='));
            ForEachAttribute([&](TypeId owner, size_t index, const auto& info) {
                if (info.name == name && (type == owner || type.IsChildOf(owner)))
                {
                    names.push_back(owner.GetAttributeFullName(index));
                }
            });
        }
    }
    return names;
}

} // namespace

std::vector<RunOption>
GetRunOptions(RunSpec& spec)
{
    OptionTable table(spec.kind);
    AddLearningOptions(spec, table);
    AddDataOptions(spec, table);
    AddNetworkOptions(spec, table);
    AddEnergyOptions(spec, table);
    AddTimingOptions(spec, table);
    AddPrivacyOptions(spec, table);
    AddAttackOptions(spec, table);
    AddFaultOptions(spec, table);
    AddOutputOptions(spec, table);
    std::vector<RunOption> options = table.Take();
    std::for_each(options.begin(), options.end(), CompleteHelp);
    return options;
}

void
TakeDefaults(RunSpec& spec)
{
    for (const RunOption& option : GetRunOptions(spec))
    {
        // An empty text leaves the attribute alone.
        if (!option.attributes.empty() && !std::holds_alternative<std::string*>(option.value))
        {
            const auto& info = GetAttribute(option.attributes.front()).info;
            ReadOption(option.value,
                       option.name,
                       info.originalInitialValue->SerializeToString(info.checker));
        }
    }
}

void
RequireRanges(const RunSpec& spec)
{
    for (const RunOption& option : GetRunOptions(const_cast<RunSpec&>(spec)))
    {
        const std::string value = PrintOption(option.value);
        for (const std::string& attribute : option.attributes)
        {
            const auto& info = GetAttribute(attribute).info;
            Require(value.empty() || IsValid(value, *info.checker, *info.initialValue),
                    option.name,
                    " must be ",
                    DescribeValues(*info.checker, *info.initialValue),
                    ", got '",
                    value,
                    "'");
        }
    }
}

std::vector<std::pair<std::string, std::string>>
GetParameters(const RunSpec& spec)
{
    std::vector<std::pair<std::string, std::string>> parameters;
    // GetRunOptions() hands out pointers for a program to write to; here they are only read.
    for (const RunOption& option : GetRunOptions(const_cast<RunSpec&>(spec)))
    {
        parameters.emplace_back(option.name, PrintOption(option.value));
    }
    return parameters;
}

std::set<std::string>
FindIdleOptions(const RunSpec& spec)
{
    std::set<std::string> names;
    for (const RunOption& option : GetRunOptions(const_cast<RunSpec&>(spec))) // only read
    {
        if (!option.missing.empty())
        {
            names.insert(option.name);
        }
    }
    return names;
}

bool
IsAnyChanged(const RunSpec& spec, const RunSpec& usual, TheoryEffect effect)
{
    const std::vector<RunOption> options = GetRunOptions(const_cast<RunSpec&>(spec));
    const auto values = GetParameters(usual);
    for (size_t k = 0; k < options.size(); ++k) // the same ones in the same order
    {
        if (options[k].theory == effect && PrintOption(options[k].value) != values[k].second)
        {
            return true;
        }
    }
    return false;
}

std::string
NameOption(const RunSpec& spec, const std::string& message)
{
    for (const RunOption& option : GetRunOptions(const_cast<RunSpec&>(spec))) // only read
    {
        auto attributes = option.attributes;
        attributes.insert(attributes.end(), option.overwritten.begin(), option.overwritten.end());
        for (const std::string& attribute : attributes)
        {
            const auto [type, info] = GetAttribute(attribute);
            const std::string owner = type.GetName();
            const std::string begin = owner.substr(owner.rfind(':') + 1) + ": " + info.name + " ";
            if (spec.invocation.options.count(option.name) > 0 && message.rfind(begin, 0) == 0)
            {
                return message + " (option " + option.name + ")";
            }
        }
    }
    return message;
}

OptionAttributes::OptionAttributes(const RunSpec& spec)
{
    for (const RunOption& option : GetRunOptions(const_cast<RunSpec&>(spec)))
    {
        const std::string value = PrintOption(option.value);
        for (const std::string& attribute : option.attributes)
        {
            if (!value.empty())
            {
                const auto [type, info] = GetAttribute(attribute);
                m_settings.push_back({option.name, type, info.name, value});
            }
        }
    }
}

void
OptionAttributes::Apply(ObjectBase& object) const
{
    const TypeId own = object.GetInstanceTypeId();
    for (const Setting& setting : m_settings)
    {
        if (own == setting.type || own.IsChildOf(setting.type))
        {
            object.SetAttribute(setting.name, StringValue(setting.value));
            m_applied.insert(setting.option);
        }
    }
}

void
OptionAttributes::RequireEffect(const std::set<std::string>& options) const
{
    for (const Setting& setting : m_settings)
    {
        Require(options.count(setting.option) == 0 || m_applied.count(setting.option) > 0,
                "option ",
                setting.option,
                " has no effect: this run has no part with the attribute ",
                setting.type.GetName(),
                "::",
                setting.name);
    }
}

void
RefuseUselessOptions(const RunSpec& spec)
{
    for (const RunOption& option : GetRunOptions(const_cast<RunSpec&>(spec)))
    {
        RefuseWithoutEffect(spec.invocation, option.name, option.missing);
    }
}

void
RefuseOverwrittenAttributes(const RunSpec& spec)
{
    const std::vector<RunOption> options = GetRunOptions(const_cast<RunSpec&>(spec));
    auto chosen = GetChangedAttributes();
    chosen.insert(spec.invocation.attributes.begin(), spec.invocation.attributes.end());
    for (const RunOption& option : options)
    {
        for (const std::string& attribute : GetDescribedAttributes(option))
        {
            chosen.emplace(attribute, PrintOption(option.value));
        }
    }
    for (const auto& [name, text] : std::map<std::string, std::string>(chosen))
    {
        for (const std::string& attribute : GetNestedAttributes(text))
        {
            chosen.emplace(attribute, text);
        }
    }
    std::map<std::string, std::string> owners; // of what is chosen: options that set it
    for (const RunOption& option : options)
    {
        for (const auto* attributes : {&option.attributes, &option.overwritten})
        {
            for (const std::string& attribute : *attributes)
            {
                if (chosen.count(attribute) > 0)
                {
                    std::string& names = owners[attribute];
                    names += (names.empty() ? "--" : " or --") + option.name;
                }
            }
        }
    }
    for (const auto& [attribute, names] : owners)
    {
        Require(false,
                attribute,
                " is set by the option ",
                names,
                "; use that instead of the attribute");
    }
}

} // namespace ns3::dlearn
