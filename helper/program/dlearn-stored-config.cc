/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-stored-config.h"

#include "ns3/config-store.h"
#include "ns3/config.h"
#include "ns3/dlearn-attribute-lookup.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-files.h"
#include "ns3/global-value.h"
#include "ns3/string.h"

#include <optional>
#include <set>
#include <sstream>

namespace ns3::dlearn
{

namespace
{

/** @return the default of an attribute, as text; nothing when there is no such attribute */
std::optional<std::string>
FindDefault(const std::string& name)
{
    const auto found = FindAttribute(name);
    if (!found)
    {
        return std::nullopt;
    }
    return found->info.initialValue->SerializeToString(found->info.checker);
}

/** @return a global value, as text; nothing when there is none of that name */
std::optional<std::string>
FindGlobal(const std::string& name)
{
    StringValue value;
    if (!GlobalValue::GetValueByNameFailSafe(name, value))
    {
        return std::nullopt;
    }
    return value.Get();
}

} // namespace

StoredConfig::StoredConfig()
    : m_mode(FindDefault("ns3::ConfigStore::Mode").value()),
      m_file(FindDefault("ns3::ConfigStore::Filename").value())
{
    if (m_mode == "None")
    {
        Require(m_file.empty(),
                "attribute ns3::ConfigStore::Filename=",
                m_file,
                " has no effect without ns3::ConfigStore::Mode, which is Load or Save");
        return;
    }
    Require(!m_file.empty(),
            "attribute ns3::ConfigStore::Mode=",
            m_mode,
            " needs ns3::ConfigStore::Filename");
    const std::string format = FindDefault("ns3::ConfigStore::FileFormat").value();
    Require(format == "RawText",
            "attribute ns3::ConfigStore::FileFormat must be RawText, got ",
            format);
}

std::vector<std::string>
StoredConfig::ReadWords() const
{
    std::vector<std::string> words;
    if (m_mode != "Load")
    {
        return words;
    }
    std::istringstream lines(ReadTextFile(m_file));
    std::string line;
    std::set<std::string> names;
    for (size_t number = 1; std::getline(lines, line); ++number)
    {
        std::istringstream fields(line);
        std::string kind;
        std::string name;
        std::string value;
        fields >> kind >> name >> std::ws;
        std::getline(fields, value);
        if (kind.empty() || kind[0] == '#')
        {
            continue;
        }
        const bool quoted = value.size() >= 2 && value.front() == '"' && value.back() == '"';
        Require(quoted && (kind == "default" || kind == "global"),
                m_file,
                ", line ",
                number,
                ": must be 'default' or 'global', a name, and a value in quotes; got '",
                line,
                kind == "value" ? "', and values of single objects are not loaded" : "'");
        Require(names.insert(name).second,
                m_file,
                ", line ",
                number,
                ": ",
                name,
                " is there twice");
        value = value.substr(1, value.size() - 2);
        const bool itself = name.rfind("ns3::ConfigStore::", 0) == 0;
        if (!itself && (kind == "default" ? FindDefault(name) : FindGlobal(name)) != value)
        {
            words.push_back("--" + name + "=" + value);
        }
    }
    return words;
}

void
StoredConfig::Save() const
{
    if (m_mode == "Save")
    {
        OutputFile file(m_file);
        {
            // It opens its file when it is made, and the file does not say that it had another
            // name.
            const std::string name = "ns3::ConfigStore::Filename";
            Config::SetDefault(name, StringValue(file.GetPart()));
            ConfigStore store;
            Config::SetDefault(name, StringValue(m_file));
            store.ConfigureDefaults();
        }
        RequireWhole(file.GetPart(), m_file);
        file.Commit();
    }
}

} // namespace ns3::dlearn
