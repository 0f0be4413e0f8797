/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-stored-config.h"

#include "ns3/config-store.h"
#include "ns3/dlearn-attribute-lookup.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-files.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/global-value.h"
#include "ns3/string.h"

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <stdexcept>

namespace ns3::dlearn
{

namespace
{

using Json = nlohmann::ordered_json;

/** @return a value of a member as on a command line */
std::string
GetText(const std::string& path, const std::string& name, const Json& value)
{
    Require(value.is_string() || value.is_number() || value.is_boolean(),
            path,
            ": '",
            name,
            "' must be a text, a number, true or false; got ",
            value.dump());
    return value.is_string() ? value.get<std::string>() : value.dump();
}

Json
ParseFile(const std::string& path)
{
    try
    {
        return Json::parse(ReadTextFile(path));
    }
    catch (const Json::parse_error& error)
    {
        const std::string text = error.what();
        const size_t colon = text.find("line "); // after the number of the error
        throw std::invalid_argument(
            path + ": config must be JSON: " + text.substr(colon == std::string::npos ? 0 : colon));
    }
}

/** @return the default of an attribute, or a global value, as text; empty if unknown */
std::string
FindValue(const std::string& name)
{
    const auto attribute = FindAttribute(name);
    StringValue value;
    if (!attribute)
    {
        GlobalValue::GetValueByNameFailSafe(name, value);
    }
    return attribute ? attribute->info.initialValue->SerializeToString(attribute->info.checker)
                     : value.Get();
}

} // namespace

std::vector<std::string>
ReadRunConfig(const std::string& path, const std::string& program)
{
    const Json json = ParseFile(path);
    Require(json.is_object() && json.contains("parameters"),
            path,
            ": config must be a summary.json of an earlier run, or a JSON object with its member "
            "'parameters'");
    const std::string other =
        json.contains("program") ? GetText(path, "program", json["program"]) : program;
    Require(other == program,
            path,
            ": config must be of a run of ",
            program,
            ", got one of ",
            other);
    std::vector<std::string> words;
    const auto add = [&](const std::string& name, const Json& value) {
        words.push_back("--" + name + "=" + GetText(path, name, value));
    };
    std::set<std::string> known{"program"};
    for (const auto& [member, option] : {std::pair("seed", "RngSeed"), std::pair("run", "RngRun")})
    {
        known.insert(member);
        if (json.contains(member))
        {
            add(option, json[member]);
        }
    }
    for (const char* member : {"globals", "attributes", "parameters"})
    {
        known.insert(member);
        const Json values = json.value(member, Json::object());
        Require(values.is_object(), path, ": '", member, "' must be an object");
        for (const auto& [name, value] : values.items())
        {
            // The results of the repeated run must not be overwritten.
            if (name != "out" || !json.contains("status"))
            {
                add(name, value);
            }
        }
    }
    for (const auto& [member, value] : json.items())
    {
        Require(json.contains("status") || known.count(member) > 0, // a summary.json has more
                path,
                ": no member '",
                member,
                "' is known; there are ",
                JoinNames({known.begin(), known.end()}));
    }
    return words;
}

std::vector<std::string>
ReadStoredConfig()
{
    std::vector<std::string> words;
    if (FindValue("ns3::ConfigStore::Mode") != "Load")
    {
        return words;
    }
    const std::string path = FindValue("ns3::ConfigStore::Filename");
    std::istringstream lines(ReadTextFile(path));
    std::string line;
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
                path,
                ", line ",
                number,
                ": must be 'default' or 'global', a name, and a value in quotes; got '",
                line,
                "'");
        value = value.substr(1, value.size() - 2);
        if (name.rfind("ns3::ConfigStore::", 0) != 0 && FindValue(name) != value)
        {
            words.push_back("--" + name + "=" + value);
        }
    }
    return words;
}

void
SaveStoredConfig()
{
    if (FindValue("ns3::ConfigStore::Mode") == "Save")
    {
        ConfigStore().ConfigureDefaults();
    }
}

} // namespace ns3::dlearn
