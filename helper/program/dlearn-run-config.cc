/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-run-config.h"

#include "dlearn-run-options.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-files.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/rng-seed-manager.h"

#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <utility>

namespace ns3::dlearn
{

namespace
{

using Json = nlohmann::ordered_json;

/** @return a value of a member as it is written on a command line */
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

/** Refuses a member that an object has twice: of two values one would have no effect. */
class TwiceCheck
{
  public:
    /** @param path of the file */
    explicit TwiceCheck(std::string path)
        : m_path(std::move(path))
    {
    }

    /** Called by the parser. */
    bool operator()(int /* depth */, Json::parse_event_t event, Json& value)
    {
        if (event == Json::parse_event_t::object_start)
        {
            m_members.emplace_back();
        }
        else if (event == Json::parse_event_t::object_end)
        {
            m_members.pop_back();
        }
        else if (event == Json::parse_event_t::key)
        {
            Require(m_members.back().insert(value.get<std::string>()).second,
                    m_path,
                    ": member ",
                    value.dump(),
                    " is there twice in one object");
        }
        return true;
    }

  private:
    std::string m_path;                           //!< of the file
    std::vector<std::set<std::string>> m_members; //!< of the objects around this place
};

/** @return what a file holds */
Json
ParseFile(const std::string& path)
{
    try
    {
        return Json::parse(ReadTextFile(path), TwiceCheck(path));
    }
    catch (const Json::parse_error& error)
    {
        const std::string text = error.what();
        const size_t colon = text.find("line "); // after the number of the error
        throw std::invalid_argument(
            path + ": config must be JSON: " + text.substr(colon == std::string::npos ? 0 : colon));
    }
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
            // The results of the run that is repeated must not be lost.
            if (name != "out" || !json.contains("status"))
            {
                add(name, value);
            }
        }
    }
    for (const auto& [member, value] : json.items())
    {
        // A summary.json has more members.
        Require(json.contains("status") || known.count(member) > 0,
                path,
                ": no member '",
                member,
                "' is known; there are ",
                JoinNames({known.begin(), known.end()}));
    }
    return words;
}

} // namespace ns3::dlearn
