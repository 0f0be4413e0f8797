/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-environment-words.h"

#include "ns3/dlearn-check.h"

#include <cstdlib>
#include <sstream>

namespace ns3::dlearn
{

namespace
{

const char* const VARIABLE = "NS_ATTRIBUTE_DEFAULT";

} // namespace

std::vector<std::string>
TakeEnvironmentWords()
{
    std::vector<std::string> words;
    const char* const text = std::getenv(VARIABLE);
    if (text == nullptr)
    {
        return words;
    }
    std::istringstream settings(text);
    for (std::string setting; std::getline(settings, setting, ';');)
    {
        Require(setting.empty() ||
                    (setting.rfind("ns3::", 0) == 0 && setting.find('=') != std::string::npos),
                "environment variable ",
                VARIABLE,
                " must have ns3::TYPE::ATTRIBUTE=VALUE between its semicolons, got '",
                setting,
                "'");
        if (!setting.empty())
        {
            words.push_back("--" + setting);
        }
    }
    unsetenv(VARIABLE);
    return words;
}

} // namespace ns3::dlearn
