/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-options-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-cafcor-options.h"
#include "ns3/dlearn-threat-model-option.h"

#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

TEST(CafCorOptions, ReadBackWhatTheyPrint)
{
    CafCorOptions options("test");
    ChangeCommonOptions(options);
    options.task = "cnn"; // the defaults here are not those of the other programs
    options.transport = "udp";
    options.workers = 7;
    options.byzantine = 3;
    options.attack = "Alie";
    options.omniscient = false;
    options.byzantineData = "shards";
    options.missingAreByzantine = true;
    options.aggregator = "Median";
    options.pre = "Nnm";
    options.batch = 3;
    options.stepSize = 0.5;
    options.momentum = 0.1;
    options.clip = 3;
    options.threatModel = "byzldp";
    options.view = "lemma";
    options.epsilon = 3;
    options.delta = 1e-5;
    options.unit = "sample";
    options.budget = 4;
    options.pairing = "pairwise";
    options.repair = true;
    options.responseTimeout = "3s";
    ExpectReadBack(options);
}

TEST(CafCorOptions, KnowTheThreatModelByItsFormerName)
{
    for (const std::string name : {"--model=ldp", "--threat-model=ldp"})
    {
        CafCorOptions options("test");
        ProgramArguments program("test");
        options.AddTo(program);
        std::string first = "program";
        std::string second = name;
        char* arguments[] = {first.data(), second.data()};
        program.Parse(2, arguments);
        EXPECT_EQ(options.threatModel, "ldp");
    }
}

TEST(CafCorOptions, RefuseWhatIsNoThreatModel)
{
    CafCorOptions options("test");
    options.threatModel = "nope";
    ExpectRefused([&] { options.Validate(); },
                  "threat-model must be cdp, ldp, secldp or byzldp, got 'nope'");
    options.threatModel = "cdp";
    options.view = "nope";
    ExpectRefused([&] { options.Validate(); }, "view must be transcript or lemma, got 'nope'");
    options.view = "transcript";
    options.repair = true;
    ExpectRefused([&] { options.Validate(); },
                  "repair needs noise that workers share, so threat-model secldp or byzldp");
}

// One name for whom to fear and one for what they see make one threat model.
TEST(ThreatModelOption, MakesTheThreatModelOfAView)
{
    const auto name = [](const std::string& model, const std::string& view) {
        return ParseThreatModel(model, view, 3, 1)->GetInstanceTypeId().GetName();
    };
    EXPECT_EQ(name("secldp", "transcript"), "ns3::dlearn::SecretLocalDp");
    EXPECT_EQ(name("byzldp", "transcript"), "ns3::dlearn::ByzantineLocalDp");
    EXPECT_EQ(name("secldp", "lemma"), "ns3::dlearn::LemmaLocalDp");
    EXPECT_EQ(name("byzldp", "lemma"), "ns3::dlearn::LemmaLocalDp");
    EXPECT_EQ(name("cdp", "transcript"), "ns3::dlearn::CentralDp");
    EXPECT_EQ(name("ldp", "transcript"), "ns3::dlearn::LocalDp");
    ExpectRefused([&] { name("ldp", "lemma"); },
                  "view lemma is for threat-model secldp and byzldp, got ldp");
    // With all three colluding the lemma is right, with one it is not.
    const WorkerCounts counts{10, 3};
    const NoiseScales noise{2, 1};
    EXPECT_DOUBLE_EQ(ParseThreatModel("byzldp", "lemma", 3, 1)->GetRate(counts, 1, noise),
                     TranscriptRate(counts, 3, 1, noise));
    EXPECT_EQ(ParseThreatModel("secldp", "lemma", 3, 1)->GetRate(counts, 1, noise),
              LemmaRate(counts, 1, 1, noise));
}

} // namespace
} // namespace ns3::dlearn
