/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-program.h"

#include "dlearn-quantity-parser.h"
#include "dlearn-results-writer.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-number-parser.h"
#include "ns3/type-id.h"

#include <exception>
#include <iostream>

namespace ns3
{
namespace dlearn
{

int
RunGuarded(const std::string& program, const std::function<void()>& body)
{
    try
    {
        body();
        return 0;
    }
    catch (const std::exception& error)
    {
        std::cerr << program << ": error: " << error.what() << std::endl;
        return 1;
    }
}

namespace
{

/**
 * @param type name of the attribute's value class
 * @param text a value
 * @return whether ns-3 can read the value without aborting
 */
bool
CanBeRead(const std::string& type, const std::string& text)
{
    if (type == "ns3::DoubleValue")
    {
        return ParseNumber(text).has_value();
    }
    if (type == "ns3::UintegerValue" || type == "ns3::IntegerValue")
    {
        const size_t first = type == "ns3::IntegerValue" && text[0] == '-' ? 1 : 0;
        return text.size() > first && text.size() < 20 &&
               text.find_first_not_of("0123456789", first) == std::string::npos;
    }
    if (type == "ns3::TimeValue")
    {
        ParseTime("time", text);
    }
    else if (type == "ns3::TypeIdValue")
    {
        TypeId found;
        return TypeId::LookupByNameFailSafe(text, &found);
    }
    return true; // the others answer for themselves
}

/** @param word "--ns3::TYPE::ATTRIBUTE=VALUE" */
void
CheckAttribute(const std::string& word)
{
    const size_t equal = word.find('=');
    const std::string name = word.substr(2, equal - 2);
    TypeId::AttributeInformation info;
    const size_t colons = name.rfind("::");
    TypeId type;
    const bool known = equal != std::string::npos && colons != std::string::npos &&
                       TypeId::LookupByNameFailSafe(name.substr(0, colons), &type) &&
                       type.LookupAttributeByName(name.substr(colons + 2), &info);
    Require(known,
            "no attribute '",
            name,
            "': write --ns3::TYPE::ATTRIBUTE=VALUE; --PrintAttributes=TYPE lists those of a type");
    const std::string value = word.substr(equal + 1);
    const std::string kind = info.checker->GetValueTypeName();
    Require(CanBeRead(kind, value), "attribute ", name, ": '", value, "' is no ", kind);
}

} // namespace

void
ParseArguments(CommandLine& cmd, int argc, char* argv[])
{
    for (int k = 1; k < argc; ++k)
    {
        const std::string word = argv[k];
        Require(word.rfind("-", 0) == 0,
                "unexpected '",
                word,
                "': options are written --name=value");
        if (word.rfind("--ns3::", 0) == 0)
        {
            CheckAttribute(word);
        }
    }
    cmd.Parse(argc, argv);
}

int
RunScenario(const ScenarioOptions& options, const std::function<void(Scenario&)>& customize)
{
    return RunGuarded(options.program, [&] {
        Scenario scenario(options);
        if (customize)
        {
            customize(scenario);
        }
        MakeResultsDirectory(options.out);
        const RunResults results = scenario.Run(std::cout);
        for (const std::string& warning : results.warnings)
        {
            std::cerr << "warning: " << warning << "\n";
        }
        WriteResults(options.out, results);
        std::cout << "\nReport: " << options.out << "/report.html" << std::endl;
    });
}

} // namespace dlearn
} // namespace ns3
