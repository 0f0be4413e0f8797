/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/config.h"
#include "ns3/dlearn-attribute-lookup.h"
#include "ns3/dlearn-component-parser.h"
#include "ns3/dlearn-page.h"
#include "ns3/dlearn-presets.h"
#include "ns3/dlearn-run-options.h"
#include "ns3/double.h"
#include "ns3/string.h"
#include "ns3/type-id.h"

#include <cctype>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace ns3::dlearn
{

namespace
{

/** Changes the value of an option to one that needs all digits. */
struct Changer
{
    void operator()(std::string* value) const { *value += "changed"; }

    void operator()(bool* value) const { *value = !*value; }

    void operator()(uint32_t* value) const { *value += 123456789; }

    void operator()(int64_t* value) const { *value += 123456789; }

    void operator()(double* value) const { *value += 0.1 + 0.2; }

    void operator()(std::optional<uint32_t>* value) const { *value = value->value_or(0) + 7; }

    void operator()(std::optional<double>* value) const { *value = value->value_or(0) + 1.0 / 3; }
};

/** @return how a user may write a part */
std::vector<std::string>
GetSpellings(const std::string& name, TypeId type)
{
    std::vector<std::string> spellings{name, type.GetName()};
    if (name == type.GetName()) // is known by that alone
    {
        return spellings;
    }
    std::string plain;
    std::string small;
    std::string large;
    for (const unsigned char c : name)
    {
        plain += c == '-' ? "" : std::string(1, static_cast<char>(c));
        small += static_cast<char>(std::tolower(c));
        large += static_cast<char>(std::toupper(c));
    }
    spellings.insert(spellings.end(), {plain, small, large});
    return spellings;
}

/** Gives a command line to the options of a run. */
void
Parse(RunSpec& spec, std::vector<std::string> words)
{
    ProgramArguments arguments("test");
    for (const RunOption& option : GetRunOptions(spec))
    {
        arguments.AddOption(option.name, option.help, option.value, option.aliases, option.alone);
    }
    std::vector<char*> argv;
    words.insert(words.begin(), "program");
    for (std::string& word : words)
    {
        argv.push_back(word.data());
    }
    arguments.Parse(static_cast<int>(argv.size()), argv.data());
}

/** The options of every program. */
class RunOptions : public testing::TestWithParam<RunSpec (*)(const std::string&)>
{
  protected:
    ~RunOptions() override { Config::Reset(); }

    RunSpec m_spec{GetParam()("test")};
};

TEST_P(RunOptions, ReadBackWhatTheyPrint)
{
    const auto defaults = GetParameters(m_spec);
    for (const RunOption& option : GetRunOptions(m_spec))
    {
        std::visit(Changer(), option.value);
    }
    const auto changed = GetParameters(m_spec);
    std::vector<std::string> words;
    for (size_t k = 0; k < changed.size(); ++k)
    {
        EXPECT_NE(changed[k].second, defaults[k].second) << changed[k].first;
        words.push_back("--" + changed[k].first + "=" + changed[k].second);
    }
    RunSpec copy = GetParam()("test");
    Parse(copy, words);
    EXPECT_EQ(GetParameters(copy), changed);
}

TEST_P(RunOptions, AreDeclaredOnce)
{
    std::set<std::string> names;
    for (const RunOption& option : GetRunOptions(m_spec))
    {
        EXPECT_TRUE(names.insert(option.name).second) << option.name;
        for (const std::string& alias : option.aliases)
        {
            EXPECT_TRUE(names.insert(alias).second) << alias;
        }
        EXPECT_FALSE(option.help.empty()) << option.name;
        EXPECT_FALSE(option.group.empty()) << option.name;
    }
}

TEST_P(RunOptions, OfPrivacyAreKnownToComparisons)
{
    for (const RunOption& option : GetRunOptions(m_spec))
    {
        EXPECT_EQ(IsPrivacySetting(option.name), option.group == "Privacy") << option.name;
    }
}

TEST_P(RunOptions, KnowTheirFormerNames)
{
    for (const RunOption& option : GetRunOptions(m_spec))
    {
        for (const std::string& alias : option.aliases)
        {
            std::visit(Changer(), option.value);
            const std::string value = PrintOption(option.value);
            m_spec = GetParam()("test");
            Parse(m_spec, {"--" + alias + "=" + value});
            EXPECT_EQ(PrintOption(option.value), value) << alias;
        }
    }
}

TEST_P(RunOptions, NameAttributesThatExist)
{
    for (const RunOption& option : GetRunOptions(m_spec))
    {
        std::vector<std::string> attributes = option.attributes;
        attributes.insert(attributes.end(), option.overwritten.begin(), option.overwritten.end());
        for (const std::string& attribute : attributes)
        {
            const size_t colons = attribute.rfind("::");
            TypeId type;
            TypeId::AttributeInformation info;
            ASSERT_TRUE(TypeId::LookupByNameFailSafe(attribute.substr(0, colons), &type))
                << attribute;
            EXPECT_TRUE(type.LookupAttributeByName(attribute.substr(colons + 2), &info))
                << attribute;
        }
    }
}

TEST_P(RunOptions, RefuseTheAttributesThatTheySet)
{
    for (const RunOption& option : GetRunOptions(m_spec))
    {
        for (const std::string& attribute : option.attributes)
        {
            if (Config::SetDefaultFailSafe(attribute, DoubleValue(0.4321)))
            {
                ExpectRefused([&] { RefuseOverwrittenAttributes(m_spec); },
                              attribute + " is set by the option --" + option.name);
            }
            Config::Reset();
        }
    }
    RefuseOverwrittenAttributes(m_spec);
}

TEST_P(RunOptions, HaveTheDefaultsOfTheAttributesThatTheySet)
{
    RunSpec plain(m_spec.kind, "test");
    for (const RunOption& option : GetRunOptions(plain))
    {
        const std::string value = PrintOption(option.value);
        if (!option.attributes.empty() && !value.empty())
        {
            const auto attribute = FindAttribute(option.attributes.front());
            const auto initial = attribute->info.checker->CreateValidValue(StringValue(value));
            EXPECT_EQ(
                initial->SerializeToString(attribute->info.checker),
                attribute->info.originalInitialValue->SerializeToString(attribute->info.checker))
                << option.name;
        }
    }
}

TEST_P(RunOptions, RefuseWhatTheAttributesThatTheySetDoNotTake)
{
    EXPECT_NO_THROW(RequireRanges(m_spec));
    for (const RunOption& option : GetRunOptions(m_spec))
    {
        if (const auto number = std::get_if<double*>(&option.value);
            number && !option.attributes.empty() && option.name != "smoothness")
        {
            const double usual = **number;
            **number = -0.5;
            ExpectRefused([&] { RequireRanges(m_spec); }, option.name + " must be a number ");
            **number = usual;
        }
    }
}

TEST_P(RunOptions, RefuseAttributesWithinDescriptionsOfParts)
{
    if (m_spec.kind != RunKind::FEDERATION)
    {
        GTEST_SKIP() << "only clients and servers have steps that an option always sets";
    }
    m_spec.clientRule = "LocalSgd,StepSchedule=ns3::dlearn::PowerSchedule[Exponent=1]";
    EXPECT_NO_THROW(RefuseOverwrittenAttributes(m_spec));
    m_spec.clientRule = "LocalSgd,StepSchedule=ns3::dlearn::PowerSchedule[Exponent=1|Initial=2]";
    ExpectRefused([&] { RefuseOverwrittenAttributes(m_spec); },
                  "ns3::dlearn::StepSchedule::Initial is set by the option --step-size");
}

// Code that compares texts with names would take some of these for another part.
TEST_P(RunOptions, KnowPartsByEachOfTheirNames)
{
    std::set<const ComponentFamily*> families{&GetAttackFamily(), &GetPreAggregatorFamily()};
    for (const RunOption& option : GetRunOptions(m_spec))
    {
        families.insert(option.family ? option.family : *families.begin());
    }
    for (const ComponentFamily* family : families)
    {
        const std::vector<std::string> names = GetComponentNames(*family);
        EXPECT_FALSE(names.empty()) << family->option;
        for (const std::string& name : names)
        {
            const TypeId type = ParseComponent(*family, name).GetTypeId();
            for (const std::string& spelling : GetSpellings(name, type))
            {
                EXPECT_EQ(ParseComponent(*family, spelling).GetTypeId(), type) << spelling;
                EXPECT_TRUE(IsComponentOf(*family, spelling + ":1", type)) << spelling;
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    All,
    RunOptions,
    testing::Values(&LdpOnlinePreset, &GradientTrackingPreset, &FedAvgPreset, &CafCorPreset));

/** What a program's command line refuses, of a program with an option of each kind. */
class Arguments : public testing::Test
{
  protected:
    void Take(const std::string& word)
    {
        RunSpec spec = FedAvgPreset("test");
        Parse(spec, {word});
    }
};

TEST(IdleOptions, HaveNoEffectBecauseOfOthers)
{
    RunSpec spec = FedAvgPreset("test");
    auto idle = FindIdleOptions(spec);
    EXPECT_EQ(idle.count("target-epsilon") + idle.count("clip"), 2U);
    EXPECT_EQ(idle.count("threat-model") + idle.count("learners"), 0U);
    spec.threatModel = "cdp";
    idle = FindIdleOptions(spec);
    EXPECT_EQ(idle.count("target-epsilon") + idle.count("clip"), 0U);
}

TEST_F(Arguments, AreStrict)
{
    ExpectRefused([&] { Take("rounds"); }, "unexpected 'rounds': options are written --name=value");
    ExpectRefused([&] { Take("--rounds=2e3"); }, "rounds must be a whole number, got '2e3'");
    ExpectRefused([&] { Take("--rounds"); }, "rounds needs a value: --rounds=VALUE");
    ExpectRefused([&] { Take("--loss=0.1x"); }, "loss must be a number, got '0.1x'");
    ExpectRefused([&] { Take("--energy=maybe"); }, "energy must be true or false, got 'maybe'");
    ExpectRefused([&] { Take("--samples=few"); }, "samples must be a whole number, got 'few'");
    ExpectRefused([&] { Take("--RngRun=-1"); },
                  "RngRun must be a whole number from 0 to 18446744073709551615, got '-1'");
    ExpectRefused([&] { Take("--ns3::Nope::Nope=1"); }, "no attribute 'ns3::Nope::Nope'");
    Take("--energy");
    Take("--mobility");
    Take("--samples=auto");
}

TEST_F(Arguments, SuggestWhatMayBeMeant)
{
    ExpectRefused([&] { Take("--round=3"); }, "'--round=3'; did you mean --rounds?");
    ExpectRefused([&] { Take("--netwrok=p2p"); }, "did you mean --network?");
    ExpectRefused([&] { Take("--epsilon=3"); },
                  "'--epsilon=3'; for epsilon see --view, --target-epsilon, --noise-multiplier, "
                  "--delta, --budget (");
    ExpectRefused([&] { Take("--seed=3"); }, "'--seed=3'; for seed see --RngSeed (");
    ExpectRefused([&] { Take("--=3"); }, "Invalid argument '--=3' (");
    ExpectRefused([&] { Take("--the=3"); }, "Invalid argument '--the=3' ("); // in many of them
    ExpectRefused([&] { Take("--no-such-option=1"); }, "Invalid argument '--no-such-option=1' (");
}

} // namespace

} // namespace ns3::dlearn
