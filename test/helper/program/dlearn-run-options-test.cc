/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"
#include "support/dlearn-short-runs.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/dlearn-attribute-lookup.h"
#include "ns3/dlearn-component-parser.h"
#include "ns3/dlearn-compute-model.h"
#include "ns3/dlearn-files.h"
#include "ns3/dlearn-page.h"
#include "ns3/dlearn-program-arguments.h"
#include "ns3/dlearn-run-options.h"
#include "ns3/dlearn-run-spec.h"
#include "ns3/dlearn-stored-config.h"
#include "ns3/double.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/string.h"
#include "ns3/type-id.h"

#include <cctype>
#include <cstdio>
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

/**
 * Gives a command line to the options of a run.
 *
 * @param file words that --config=x stands for
 * @return names of the options that are given
 */
std::set<std::string>
Parse(RunSpec& spec, std::vector<std::string> words, const std::vector<std::string>& file = {})
{
    ProgramArguments arguments("test");
    arguments.AddReader("config", "", "", [&file](const std::string&) { return file; });
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
    arguments.SetPresets("preset", [](const std::string& name) {
        return name == "changed" ? std::map<std::string, std::string>() : GetPreset(name);
    });
    arguments.Parse(static_cast<int>(argv.size()), argv.data());
    return arguments.GetInvocation().options;
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

TEST_P(RunOptions, HaveTheDefaultsOfTheAttributesThatTheySet)
{
    RunSpec plain(m_spec.kind, "test");
    for (const RunOption& option : GetRunOptions(plain))
    {
        const std::string value = PrintOption(option.value);
        if (!option.attributes.empty() && !value.empty())
        {
            const std::string& name = option.attributes.front();
            const size_t colons = name.rfind("::");
            const TypeId owner = TypeId::LookupByName(name.substr(0, colons));
            TypeId::AttributeInformation info; // of the owner, or of a type derived from it
            bool found = owner.LookupAttributeByName(name.substr(colons + 2), &info);
            for (uint16_t k = 0; !found && k < TypeId::GetRegisteredN(); ++k)
            {
                const TypeId type = TypeId::GetRegistered(k);
                found = type.IsChildOf(owner) &&
                        type.LookupAttributeByName(name.substr(colons + 2), &info);
            }
            ASSERT_TRUE(found) << name;
            const auto initial = info.checker->CreateValidValue(StringValue(value));
            EXPECT_EQ(initial->SerializeToString(info.checker),
                      info.originalInitialValue->SerializeToString(info.checker))
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
            number && !option.attributes.empty() && option.name != "smoothness" &&
            option.name != "air-power") // in decibels
        {
            const double usual = **number;
            **number = -0.5;
            ExpectRefused([&] { RequireRanges(m_spec); }, option.name + " must be ");
            **number = usual;
        }
    }
}

TEST(Presets, AreDefaultsOfWhatIsNotGiven)
{
    for (const std::string& name : GetPresetNames())
    {
        RunSpec spec = FedAvgPreset("test");
        const auto given = Parse(spec, {"--clients=7", "--preset=" + name, "--epochs=1"});
        EXPECT_EQ(given, (std::set<std::string>{"epochs", "learners", "preset"})) << name;
        EXPECT_NO_THROW(spec.Validate()) << name;
        const auto preset = GetPreset(name);
        size_t found = 0;
        std::vector<std::string> file;
        for (const auto& [option, value] : GetParameters(spec))
        {
            file.push_back("--" + option + "=" + value);
            found += preset.count(option);
            const bool own = given.count(option) > 0;
            EXPECT_TRUE(own || preset.count(option) == 0 || preset.at(option) == value) << option;
        }
        EXPECT_EQ(found, preset.size()) << "all of them are options";
        EXPECT_EQ(spec.learners, 7);
        EXPECT_EQ(spec.epochs, 1);
        // A summary has all values, in this order, those of the preset not as the user's.
        RunSpec repeated = FedAvgPreset("test");
        Parse(repeated, {"--config=x"}, file);
        EXPECT_EQ(GetParameters(repeated), GetParameters(spec)) << name;
    }
}

// Code that compares texts with names would take some of these for another part.
TEST(Parts, AreKnownByEachOfTheirNames)
{
    for (const ComponentFamily* family : {&GetPeerRuleFamily(),
                                          &GetDirectedRuleFamily(),
                                          &GetClientRuleFamily(),
                                          &GetServerRuleFamily(),
                                          &GetSamplingFamily(),
                                          &GetDataDriftFamily(),
                                          &GetPowerControlFamily(),
                                          &GetMissingFamily(),
                                          &GetStalenessFamily(),
                                          &GetMechanismFamily(),
                                          &GetPrivacyUnitFamily(),
                                          &GetCompensationFamily(),
                                          &GetSharedNoiseFamily(),
                                          &GetCompressorFamily(),
                                          &GetAggregatorFamily(),
                                          &GetPreAggregatorFamily(),
                                          &GetAttackFamily(),
                                          &GetCongestionControlFamily()})
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

/** A short run of each kind, whose user has given options. */
class UnusedOptions : public testing::Test
{
  protected:
    ~UnusedOptions() override { Config::Reset(); }

    /** Expect that a run of words is refused. */
    static void Expect(RunSpec spec, const std::vector<std::string>& words, const std::string& why)
    {
        Give(spec, words);
        ExpectRefused([&] { dlearn::Run run(spec); }, why);
    }

    /** Have a run, as a command line says. */
    static void Give(RunSpec& spec, const std::vector<std::string>& words)
    {
        spec.rounds = 2;
        Parse(spec, words);
        for (const std::string& word : words)
        {
            spec.invocation.options.insert(word.substr(2, word.find('=') - 2));
        }
    }

    const RunSpec m_peers{LdpOnlinePreset("test")};
    const RunSpec m_tracking{GradientTrackingPreset("test")};
    const RunSpec m_federation{FedAvgPreset("test")};
    const RunSpec m_cafcor{CafCorPreset("test")};
};

TEST_F(UnusedOptions, AreRefused)
{
    Expect(m_federation,
           {"--buffer-size=3"},
           "option buffer-size is not used: it is for mode buffered, and mode is sync");
    Expect(m_federation,
           {"--mixing=0.3"},
           "option mixing is not used: it is for ns3::dlearn::FedAsyncServer, and this run has "
           "ns3::dlearn::FedAvgServer");
    Expect(m_federation,
           {"--mode=async", "--sample-count=2"},
           "option sample-count is not used: it is for ns3::dlearn::CountedSampling");
    Expect(m_federation, {"--clip=1"}, "threat-model other than none, and threat-model is none");
    Expect(m_federation,
           {"--task=softmax"},
           "option task is not used: it is for data of a data set");
    Expect(m_federation, {"--rate=1Mbps"}, "network with wired links, and network is ideal");
    Expect(m_federation, {"--harvest=1"}, "harvest is not used: it is for learners with a battery");
    Expect(m_federation, {"--mode=async", "--sampling=loss"}, "it is for mode sync");
    Expect(m_federation,
           {"--sampling=loss", "--sample-plan=1;2"},
           "option sample-plan is not used: it is for ns3::dlearn::ScheduledSampling, and this run "
           "has ns3::dlearn::LossSampling");
    Expect(m_federation,
           {"--sample-plan=1;2", "--over-selection=2"},
           "option over-selection is not used: it is for ns3::dlearn::CountedSampling");
    Expect(m_cafcor, {"--epochs=2"}, "option epochs is not used: it is for algorithm fedavg");
    Expect(m_cafcor, {"--server-rate=0.5"}, "option server-rate is not used");
    Expect(m_peers, {"--attack=silent"}, "it is for byzantine of at least 1, and byzantine is 0");
    Expect(m_peers, {"--algorithm=push-sum", "--edge-weight=0.2"}, "edge-weight is not used");
    Expect(m_peers, {"--algorithm=dp-sgd", "--batch-size=5"}, "option batch-size is not used");
    Expect(m_peers, {"--algorithm=ternary", "--noise-exponent=0.3"}, "noise-exponent is not used");
    Expect(m_peers, {"--delta=1e-5"}, "account of noise that is not of Laplace's law");
    Expect(m_peers, {"--compress=fp16", "--float-bits=64"}, "option float-bits is not used");
    Expect(m_peers, {"--on-missing=wait", "--quorum=0.5"}, "option quorum is not used");
    Expect(m_tracking, {"--algorithm=gt", "--noise=0.5"}, "it is for algorithm that adds noise");
    Expect(m_tracking, {"--algorithm=dsgd", "--beta=0.3"}, "it is for algorithm dp-gt or gt");
    Expect(m_tracking, {"--powers=10"}, "it is for state-graph radio, and state-graph is expon");
}

TEST_F(UnusedOptions, ThatSayWhatIsSoAnywayAreAllowed)
{
    RunSpec tracking = m_tracking;
    Give(tracking, {"--algorithm=gt", "--noise=0", "--attack=none"});
    dlearn::Run(tracking).GetSpec();
    RunSpec cafcor = m_cafcor;
    Give(cafcor, {"--epochs=1", "--server-rate=1", "--drift=0", "--local-steps="});
    dlearn::Run(cafcor).GetSpec();
}

TEST_F(UnusedOptions, AreWarningsOfVariantsAndWhereTheUserSaysSo)
{
    RunSpec spec = m_federation;
    Give(spec, {"--buffer-size=3", "--unused=warn"});
    const auto results = test::Execute(spec);
    ASSERT_FALSE(results.warnings.empty());
    EXPECT_EQ(results.warnings.front(),
              "option buffer-size is not used: it is for mode buffered, and mode is sync");
    EXPECT_EQ(results.withoutEffect.count("buffer-size") + results.withoutEffect.count("clip"), 2U);
    EXPECT_EQ(results.withoutEffect.count("learners") + results.withoutEffect.count("rounds"), 0U);
    spec.unused = "error";
    spec.invocation.strict = false;
    EXPECT_NO_THROW(dlearn::Run(spec).GetSpec());
}

TEST_F(UnusedOptions, ThatAreNotGivenLeaveWhatTheTextOfANetworkSays)
{
    RunSpec spec = m_federation;
    Give(spec, {"--network=p2p,delay=5ms", "--loss=0.1"});
    {
        dlearn::Run run(spec);
        const auto get = [&run](const std::string& name) {
            StringValue value;
            run.GetNetwork().GetAttribute(name, value);
            return value.Get();
        };
        EXPECT_EQ(get("Delay"), "+5e+06ns");
        EXPECT_EQ(get("Loss"), "0.1");
    }
    Expect(m_federation,
           {"--network=p2p,delay=5ms", "--delay=1ms"},
           "ns3::dlearn::P2pNetwork::Delay is set by the option --delay; use that instead");
    Config::SetDefault("ns3::dlearn::Network::HostTcp", BooleanValue(false));
    Expect(m_federation,
           {"--network=p2p"},
           "ns3::dlearn::Network::HostTcp is set by the option --tcp-stack; use that instead");
    Config::Reset();
}

// What a user chooses for an attribute holds, or is refused where an option says it.
TEST_F(UnusedOptions, AreNotOverriddenByAttributes)
{
    Config::SetDefault("ns3::dlearn::LocalSgd::StepSize", DoubleValue(0.3));
    Expect(m_federation,
           {},
           "ns3::dlearn::LocalSgd::StepSize is set by the option --step-size; use that instead");
    Config::Reset();
    Expect(m_federation,
           {"--client-rule=LocalSgd,StepSchedule=ns3::dlearn::PowerSchedule[Initial=2]"},
           "ns3::dlearn::LocalSgd::StepSize is set by the option --step-size");
    Expect(m_peers,
           {"--mechanism=gaussian,growth-exponent=0.3"},
           "ns3::dlearn::GaussianMechanism::GrowthExponent is set by the option --noise-exponent");
    Config::SetDefault("ns3::dlearn::FlopsCompute::Flops", DoubleValue(1e8));
    RunSpec spec = m_federation;
    spec.rounds = 2;
    spec.invocation.attributes["ns3::WifiPhy::TxGain"] = "0"; // as by default
    const std::map<std::string, std::string> expected{{"ns3::dlearn::FlopsCompute::Flops", "1e+08"},
                                                      {"ns3::WifiPhy::TxGain", "0"}};
    EXPECT_EQ(test::Execute(spec).attributes, expected);
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
    ExpectRefused([&] { Take("--=3"); }, "Invalid argument '--=3' (");
    ExpectRefused([&] { Take("--no-such-option=1"); }, "Invalid argument '--no-such-option=1' (");
}

/** Parse a command line with one option, a whole number. */
uint32_t
ParseWords(std::vector<std::string> words)
{
    uint32_t number = 7;
    ProgramArguments arguments("program.cc");
    arguments.AddValue("number", "A number.", number, {"count"});
    arguments.AddReader("file", "FILE", "Sets the number.", [](const std::string& text) {
        return std::vector<std::string>{"--number=" + text};
    });
    words.insert(words.begin(), "program");
    std::vector<char*> pointers;
    for (std::string& text : words)
    {
        pointers.push_back(text.data());
    }
    arguments.Parse(static_cast<int>(pointers.size()), pointers.data());
    return number;
}

/** Parse a command line of one word. */
uint32_t
Parse(const std::string& word)
{
    return ParseWords({word});
}

TEST(ProgramArguments, HaveOneDashOrTwo)
{
    EXPECT_EQ(Parse("-number=3"), 3U);
    for (const std::string word : {"---number=3", "---RngRun=5", "---ns3::Node::Id=1", "---"})
    {
        ExpectRefused([&word] { Parse(word); },
                      "unexpected '" + word + "': options are written --name=value");
    }
}

TEST(ProgramArguments, TheLastValueCounts)
{
    EXPECT_EQ(ParseWords({"--file=3", "--number=4"}), 4U);
    EXPECT_EQ(ParseWords({"--number=4", "--file=3"}), 3U);
    EXPECT_EQ(ParseWords({"--file=3", "--file=5"}), 5U);
    EXPECT_EQ(ParseWords({"--number=3", "--count=4"}), 4U);
    ParseWords({"--RngRun=3", "-RngRun=2"});
    EXPECT_EQ(RngSeedManager::GetRun(), 2U);
    ParseWords({"--RngRun=1"});
    const std::string flops = "ns3::dlearn::FlopsCompute::Flops";
    ParseWords({"--" + flops + "=1e7", "--" + flops + "=1e8"});
    DoubleValue value;
    CreateObject<FlopsCompute>()->GetAttribute("Flops", value);
    EXPECT_EQ(value.Get(), 1e8);
    Config::Reset();
    ExpectRefused([] { Parse("--file="); }, "file needs a value: --file=VALUE");
}

// The largest seed that ns-3 takes; it aborts on the next.
TEST(ProgramArguments, SeedsAreThoseOfTheGenerator)
{
    Parse("--RngSeed=4294944442");
    EXPECT_EQ(RngSeedManager::GetSeed(), 4294944442U);
    Parse("--RngSeed=1");
    for (const std::string seed : {"0", "4294944443", "4294967295"})
    {
        ExpectRefused([&seed] { Parse("--RngSeed=" + seed); },
                      "RngSeed must be a whole number from 1 to 4294944442, got '" + seed + "'");
    }
    ExpectRefused([] { Parse("--RngSeed=-1"); }, "RngSeed must be a whole number");
    ExpectRefused([] { Parse("--RngRun=x"); },
                  "RngRun must be a whole number from 0 to 18446744073709551615, got 'x'");
    ExpectRefused([] { Parse("--RngRun=18446744073709551616"); }, "RngRun must be a whole number");
    Parse("--RngRun=18446744073709551615");
    EXPECT_EQ(RngSeedManager::GetRun(), 18446744073709551615U);
    Parse("--RngRun=1");
}

/** @return the command line that a text stands for */
std::vector<std::string>
Read(const std::string& text)
{
    const std::string path = testing::TempDir() + "dlearn-run-config.json";
    WriteTextFile(path, text);
    auto words = ReadRunConfig(path, "dlearn-fedavg");
    std::remove(path.c_str());
    return words;
}

TEST(RunConfig, IsACommandLine)
{
    const std::vector<std::string> words{"--RngSeed=3",
                                         "--RngRun=18446744073709551615",
                                         "--ChecksumEnabled=true",
                                         "--ns3::Node::SystemId=1",
                                         "--rounds=5",
                                         "--deadline=",
                                         "--mobility=false"};
    EXPECT_EQ(Read(R"({"program": "dlearn-fedavg", "seed": 3, "run": 18446744073709551615,
                       "parameters": {"rounds": "5", "deadline": "", "mobility": false},
                       "attributes": {"ns3::Node::SystemId": 1},
                       "globals": {"ChecksumEnabled": "true"}, "status": "complete"})"),
              words);
    EXPECT_TRUE(Read(R"({"parameters": {}})").empty());
    EXPECT_TRUE(Read(R"({"parameters": {"out": "one"}, "status": "complete"})").empty())
        << "results of a run that is repeated are not overwritten";
    EXPECT_EQ(Read(R"({"parameters": {"out": "one"}})"), std::vector<std::string>{"--out=one"});
}

TEST(RunConfig, RefusesWhatIsNone)
{
    ExpectRefused([] { Read("rounds=5"); }, "config must be JSON: line 1, column 1: ");
    ExpectRefused([] { Read(R"({"Parameters": {}})"); },
                  "an earlier run, or a JSON object with its");
    for (const std::string member : {"attribute", "Run", "global"})
    {
        ExpectRefused([&member] { Read(R"({"parameters": {}, ")" + member + R"(": {}})"); },
                      "no member '" + member +
                          "' is known; there are attributes, globals, parameters, program, run, "
                          "seed");
    }
    ExpectRefused([] { Read("[1]"); }, "config must be a summary.json of an earlier run");
    ExpectRefused([] { Read(R"({"parameters": 3})"); }, "'parameters' must be an object");
    ExpectRefused([] { Read(R"({"parameters": {"rounds": [3]}})"); },
                  "'rounds' must be a text, a number, true or false; got [3]");
    ExpectRefused([] { Read(R"({"program": "dlearn-cafcor", "parameters": {}})"); },
                  "config must be of a run of dlearn-fedavg, got one of dlearn-cafcor");
}

} // namespace
} // namespace ns3::dlearn
