/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-run-option-table.h"

#include "ns3/dlearn-attribute-lookup.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/dlearn-update-rule.h"

#include <algorithm>

namespace ns3::dlearn
{

namespace
{

/** Add full names to a list of attributes of dlearn's types. */
void
AddFullNames(OptionTable::Names& names, const OptionTable::Names& attributes)
{
    for (const std::string& attribute : attributes)
    {
        names.push_back("ns3::dlearn::" + attribute);
    }
}

} // namespace

OptionTable::OptionTable(RunKind kind)
    : m_kind(static_cast<uint32_t>(kind)),
      m_theory(TheoryEffect::VOIDS)
{
}

void
OptionTable::Begin(const char* group, TheoryEffect theory)
{
    m_group = group;
    m_theory = theory;
}

OptionTable&
OptionTable::Add(const char* name, uint32_t kinds, OptionValue value, const std::string& help)
{
    m_options.push_back({name, m_group, kinds, help, value});
    m_options.back().theory = m_theory;
    return *this;
}

OptionTable&
OptionTable::Alias(const Names& aliases)
{
    m_options.back().aliases = aliases;
    return *this;
}

OptionTable&
OptionTable::Alone(const std::string& value)
{
    m_options.back().alone = value;
    return *this;
}

OptionTable&
OptionTable::Sets(const Names& attributes)
{
    AddFullNames(m_options.back().attributes, attributes);
    return *this;
}

OptionTable&
OptionTable::Governs(const Names& attributes)
{
    AddFullNames(m_options.back().overwritten, attributes);
    return *this;
}

OptionTable&
OptionTable::GovernsInRules(const std::string& attribute)
{
    ForEachAttribute([&](TypeId type, size_t index, const TypeId::AttributeInformation& info) {
        if (info.name == attribute && type.IsChildOf(UpdateRule::GetTypeId()))
        {
            m_options.back().overwritten.push_back(type.GetAttributeFullName(index));
        }
    });
    return *this;
}

OptionTable&
OptionTable::Describes(const ComponentFamily& family)
{
    m_options.back().family = &family;
    return *this;
}

OptionTable&
OptionTable::Theory(TheoryEffect effect)
{
    m_options.back().theory = effect;
    return *this;
}

OptionTable&
OptionTable::OfNetworks()
{
    m_options.back().ofNetworks = true;
    return *this;
}

OptionTable&
OptionTable::Needs(bool there, const std::string& what)
{
    m_options.back().missing = there ? "" : what;
    return *this;
}

void
OptionTable::AllNeed(const char* first, bool there, const std::string& what)
{
    const auto begin = std::find_if(m_options.begin(), m_options.end(), [&](const auto& option) {
        return option.name == first;
    });
    for (auto option = begin; option != m_options.end(); ++option)
    {
        option->missing = there ? option->missing : what;
    }
}

std::vector<RunOption>
OptionTable::Take()
{
    std::vector<RunOption> options;
    for (RunOption& option : m_options)
    {
        if ((option.kinds & m_kind) != 0)
        {
            options.push_back(std::move(option));
        }
    }
    return options;
}

std::string
ListTypes(const ComponentFamily& family)
{
    return JoinNames(GetComponentNames(family));
}

} // namespace ns3::dlearn
