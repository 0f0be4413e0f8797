/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Ten peers, two of which are Byzantine: what the others learn with the weighted sum and with
 * robust mixing.
 * Eavesdroppers do not change the run to which they listen.
 */

#include "dlearn-system-fixture.h"
#include "support/dlearn-expect-refused.h"
#include "support/dlearn-parameter-name.h"

#include "ns3/config.h"
#include "ns3/dlearn-eavesdropper.h"
#include "ns3/dlearn-privacy-ledger.h"
#include "ns3/dlearn-results-writer.h"
#include "ns3/dlearn-rounds-csv.h"
#include "ns3/dlearn-run-spec.h"
#include "ns3/dlearn-run.h"
#include "ns3/dlearn-wifi-network.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace ns3::dlearn
{
namespace
{

/** LDP-OL without noise: all learners' samples have the same distribution, so none is an outlier.
 */
RunSpec
TenPeers()
{
    RunSpec options = LdpOnlinePreset("system-test");
    options.network = "p2p";
    options.learners = 10;
    options.graph = "complete";
    options.edgeWeight = "metropolis";
    options.partition = "iid";
    options.noise = 0;
    options.regularization = 0.1;
    options.rounds = 100;
    options.evaluateEvery = 99;
    options.byzantine = 2;
    return options;
}

/** @return mean squared distance of the honest models from the optimum of the honest data */
double
GetError(const Outcome& outcome)
{
    EXPECT_EQ(outcome.summaries.back().learners, 8U);
    return outcome.summaries.back().mean.error;
}

// The margin: with robust mixing at most 1.5 times the error of honest peers among themselves,
// with the weighted sum at least 5 times. (As run: up to 1.34, and at least 5.5.)
TEST(ByzantinePeers, RobustMixingStaysAtTheHonestOptimum)
{
    RunSpec options = TenPeers();
    options.attack = "silent";
    const double honest = GetError(RunToEnd(options));
    for (const char* attack : {"SignFlipping", "equivocate:3"})
    {
        options.attack = attack;
        options.aggregator = "none";
        EXPECT_GT(GetError(RunToEnd(options)), 5 * honest) << attack;
        for (const char* aggregator : {"Median", "TrimmedMean", "Caf"})
        {
            options.aggregator = aggregator;
            if (options.aggregator == "Caf") // keeps no account, and noise is none
            {
                Config::SetDefault("ns3::dlearn::LdpOnline::PrivacyLedger",
                                   TypeIdValue(PrivacyLedger::GetTypeId()));
            }
            const double error = GetError(RunToEnd(options));
            EXPECT_LT(error, 1.5 * honest) << attack << " " << aggregator;
            Config::Reset();
        }
    }
}

// Learner 0 is cut off, so that no byte leaves it; but attackers that know all vectors use its
// vectors in the forged ones, so its privacy costs as much as that of the others.
TEST(PeerScenarioAttack, WhatAttackersKnowCountsAsReleased)
{
    RunSpec options = LdpOnlinePreset("system-test");
    options.learners = 3;
    options.graph = "complete";
    options.network = "p2p";
    options.transport = "tcp";
    options.deadline = "100ms";
    options.dataSamples = 400;
    options.rounds = 6;
    options.byzantine = 1;
    options.links = "down:0-1@0s,down:0-2@0s";
    options.attack = "SignFlipping";
    EXPECT_GT(RunToEnd(options).results.epsilon.at(0), 1);
    options.omniscient = false; // which knows what reaches it
    EXPECT_EQ(RunToEnd(options).results.epsilon.at(0), 0);
}

/** @return rounds.csv of a run, as a string */
std::string
GetRounds(const RunSpec& options, const std::function<void(dlearn::Run&)>& customize)
{
    return MakeRoundsCsv(RunToEnd(options, customize).results.rows);
}

/** Network and transport. */
class EavesdropperRun : public testing::TestWithParam<std::pair<const char*, const char*>>
{
  protected:
    void SetUp() override
    {
        // Segments that TCP sends again arrive after a round's timeout. A learner that no longer
        // waited for such neighbours would close rounds before their messages have left.
        Config::SetDefault("ns3::dlearn::PeerApplication::SuspicionTimeout",
                           TimeValue(Seconds(1000)));
    }

    void TearDown() override { Config::Reset(); }
};

TEST_P(EavesdropperRun, IsTheSameToTheLastByte)
{
    RunSpec options = SmallRun(GetParam().first, GetParam().second);
    options.loss = options.network.rfind("wifi", 0) == 0 ? 0.02 : 0.1;
    const auto spy = CreateObject<Eavesdropper>();
    const auto listen = [&spy](dlearn::Run& scenario) {
        if (auto radio = dynamic_cast<WifiNetwork*>(&scenario.GetNetwork()))
        {
            spy->Listen(radio->AddListener(20, 20, 1 << 20));
        }
        for (const auto& learner : scenario.GetPeers())
        {
            spy->ListenAt(learner->GetNode());
            for (uint32_t k = 1; k < learner->GetNode()->GetNDevices(); ++k)
            {
                if (scenario.GetSpec().network != "ideal")
                {
                    spy->Listen(learner->GetNode()->GetDevice(k));
                }
            }
        }
    };
    const std::string alone = GetRounds(options, nullptr);
    EXPECT_EQ(alone, GetRounds(options, listen));
    EXPECT_GT(alone.size(), 5000U);
    // With an ear at every node nothing that was sent is missed: 20 rounds, 5 learners, and each
    // vector once on its way to each of two neighbours, or once to all.
    const bool broadcast = options.transport == "broadcast";
    EXPECT_EQ(spy->GetCounters().messages, broadcast ? 100U : 200U);
}

INSTANTIATE_TEST_SUITE_P(All,
                         EavesdropperRun,
                         testing::Values(std::make_pair("ideal", "tcp"),
                                         std::make_pair("p2p", "udp"),
                                         std::make_pair("p2p", "tcp"),
                                         std::make_pair("csma", "broadcast"),
                                         std::make_pair("csma", "tcp"),
                                         std::make_pair("wifi-adhoc", "broadcast"),
                                         std::make_pair("wifi-adhoc", "tcp"),
                                         std::make_pair("wifi-infra", "udp"),
                                         std::make_pair("wifi-infra", "tcp")),
                         [](const auto& info) { return test::MakeParameterName(info.param); });

/** A run of peers, of which the one that spends most is switched off. */
class ReportOfARun : public testing::Test
{
  protected:
    ReportOfARun()
    {
        RunSpec spec = LdpOnlinePreset("report");
        spec.learners = 4;
        spec.graph = "complete";
        spec.rounds = 30;
        spec.evaluateEvery = 1;
        spec.noiseExponentStep = 0.3; // learner 0 has the least noise
        spec.dataSamples = 200;
        spec.churn = "crash:0@12ms";
        dlearn::Run run(spec);
        std::ostringstream table;
        m_results = run.Execute(table);
        m_summaries = run.GetSummaries();
    }

    RunResults m_results;                  //!< of the run
    std::vector<RoundSummary> m_summaries; //!< what the program has printed
};

TEST_F(ReportOfARun, SaysTheNumbersOfTheTable)
{
    auto files = MakeResultsFiles(m_results);
    std::istringstream lines(*files["results.jsonl"]);
    std::string line;
    ASSERT_EQ(m_summaries.size(), 30U);
    for (const RoundSummary& summary : m_summaries)
    {
        ASSERT_TRUE(std::getline(lines, line));
        const auto round = nlohmann::json::parse(line);
        EXPECT_EQ(round["round"], summary.round);
        EXPECT_EQ(round["time_s"], summary.time.GetSeconds());
        EXPECT_EQ(round["learners"], summary.learners);
        EXPECT_NEAR(round["loss"], summary.mean.loss, 1e-12);
        EXPECT_NEAR(round["accuracy"], summary.mean.accuracy, 1e-12);
        EXPECT_NEAR(round["error"], summary.mean.error, 1e-12 * summary.mean.error);
        EXPECT_EQ(round["epsilon"], summary.epsilon);
        EXPECT_EQ(round["delivered"], summary.delivered);
    }
    EXPECT_FALSE(std::getline(lines, line));
    const auto final = nlohmann::json::parse(*files["summary.json"])["final"];
    const RoundSummary& last = m_summaries.back();
    EXPECT_EQ(last.learners, 3U);
    EXPECT_EQ(final["learners"], 3);
    EXPECT_EQ(final["time_s"], last.time.GetSeconds());
    EXPECT_NEAR(final["loss"], last.mean.loss, 1e-12);
    EXPECT_NEAR(final["accuracy"], last.mean.accuracy, 1e-12);
}

} // namespace
} // namespace ns3::dlearn
