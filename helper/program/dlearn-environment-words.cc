/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-environment-words.h"

#include "dlearn-general-arguments.h"

#include "ns3/default-simulator-impl.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-ranks.h"
#include "ns3/global-value.h"
#include "ns3/string.h"

#include <cstdlib>
#include <set>
#include <sstream>

namespace ns3::dlearn
{

namespace
{

/** A variable of the environment that ns-3 reads. */
struct Variable
{
    const char* name;                        //!< of it
    const char* form;                        //!< of what is between its semicolons
    bool (*isName)(const std::string& name); //!< whether it sets something of that name
};

/** @return whether ns-3 takes a name for that of an attribute */
bool
IsAttributeName(const std::string& name)
{
    return name.rfind("ns3::", 0) == 0;
}

constexpr Variable VARIABLES[]{
    {"NS_ATTRIBUTE_DEFAULT", "ns3::TYPE::ATTRIBUTE=VALUE", IsAttributeName},
    {"NS_GLOBAL_VALUE", "GLOBAL=VALUE", IsGlobal}};

/** @return the words of a variable, which is removed */
std::vector<std::string>
Take(const Variable& variable)
{
    std::vector<std::string> words;
    std::set<std::string> names;
    const char* const text = std::getenv(variable.name);
    std::istringstream settings(text == nullptr ? "" : text);
    for (std::string setting; std::getline(settings, setting, ';');)
    {
        const size_t equal = setting.find('=');
        const std::string name = setting.substr(0, equal);
        Require(setting.empty() || (equal != std::string::npos && variable.isName(name)),
                "environment variable ",
                variable.name,
                " must have ",
                variable.form,
                " between its semicolons, got '",
                setting,
                "'");
        Require(setting.empty() || names.insert(name).second,
                "environment variable ",
                variable.name,
                ": ",
                name,
                " is there twice");
        if (!setting.empty())
        {
            words.push_back("--" + setting);
        }
    }
    unsetenv(variable.name);
    const std::string simulator = "SimulatorImplementationType";
    if (names.count(simulator) > 0 && !Ranks::AreEnabled())
    {
        // ns-3 has taken any text already; the word is checked by what was there before.
        GlobalValue::Bind(simulator, StringValue(DefaultSimulatorImpl::GetTypeId().GetName()));
    }
    return words;
}

} // namespace

std::vector<std::string>
TakeEnvironmentWords()
{
    std::vector<std::string> words;
    for (const Variable& variable : VARIABLES)
    {
        const auto more = Take(variable);
        words.insert(words.end(), more.begin(), more.end());
    }
    return words;
}

} // namespace ns3::dlearn
