/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-run-options.h"

#include "dlearn-attribute-watch.h"
#include "dlearn-run-option-groups.h"

#include "ns3/dlearn-attribute-lookup.h"
#include "ns3/dlearn-attribute-text.h"
#include "ns3/dlearn-check.h"
#include "ns3/string.h"
#include "ns3/type-id.h"

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
    for (RunOption& option : options)
    {
        if (option.help.empty())
        {
            const auto& info = GetAttribute(option.attributes.at(0)).info;
            option.help = info.help;
            if (PrintOption(option.value).empty()) // the attribute keeps its default then
            {
                option.help.erase(option.help.find_last_not_of('.') + 1);
                option.help +=
                    "; empty: " + info.originalInitialValue->SerializeToString(info.checker);
            }
        }
    }
    return options;
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
                m_settings.push_back({option.name,
                                      type,
                                      info.name,
                                      value,
                                      DescribeValues(*info.checker, *info.initialValue)});
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
            Require(object.SetAttributeFailSafe(setting.name, StringValue(setting.value)),
                    setting.option,
                    " must be ",
                    setting.range,
                    ", got '",
                    setting.value,
                    "'");
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
        Require(option.missing.empty() || !spec.invocation.strict ||
                    spec.invocation.options.count(option.name) == 0,
                "option ",
                option.name,
                " has no effect: it needs ",
                option.missing);
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
    for (const RunOption& option : options)
    {
        for (const auto* attributes : {&option.attributes, &option.overwritten})
        {
            for (const std::string& attribute : *attributes)
            {
                Require(chosen.count(attribute) == 0,
                        attribute,
                        " is set by the option --",
                        option.name,
                        "; use that instead of the attribute");
            }
        }
    }
}

} // namespace ns3::dlearn
