/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Eavesdroppers do not change the run to which they listen.
 */

#include "dlearn-system-fixture.h"
#include "support/dlearn-parameter-name.h"

#include "ns3/config.h"
#include "ns3/dlearn-eavesdropper.h"
#include "ns3/dlearn-rounds-csv.h"
#include "ns3/dlearn-wifi-network.h"

#include <algorithm>

namespace ns3::dlearn
{
namespace
{

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

} // namespace
} // namespace ns3::dlearn
