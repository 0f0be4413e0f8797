/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-run-variant.h"

#include "dlearn-run-options.h"

#include "ns3/dlearn-check.h"

#include <algorithm>

namespace ns3::dlearn
{

std::optional<RunSpec>
MakeVariant(const RunSpec& first, const RunVariant& variant)
{
    RunSpec spec = first;
    const std::vector<RunOption> options = GetRunOptions(spec);
    bool differs = false;
    for (const std::string& word : variant.words)
    {
        const size_t equal = word.find('=');
        const std::string name = word.substr(0, equal);
        const auto option = std::find_if(options.begin(), options.end(), [&](const auto& other) {
            return "--" + other.name == name;
        });
        Require(option != options.end() && equal != std::string::npos,
                "variant ",
                variant.name,
                ": no option --NAME=VALUE of this run: '",
                word,
                "'");
        if (first.invocation.options.count(option->name) > 0)
        {
            continue;
        }
        const std::string before = PrintOption(option->value);
        ReadOption(option->value, option->name, word.substr(equal + 1));
        differs = differs || PrintOption(option->value) != before;
        spec.invocation.options.insert(option->name);
        spec.invocation.command += " " + QuoteForShell(word);
    }
    if (!differs)
    {
        return std::nullopt;
    }
    spec.out = first.out + "/" + variant.name;
    spec.netanim.clear(); // one file, of the first run
    spec.invocation.strict = false;
    spec.invocation.more["compare"] = "false";
    spec.invocation.command += " --compare=false --out=" + QuoteForShell(spec.out);
    return spec;
}

} // namespace ns3::dlearn
