/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-network-test-support.h"

#include "ns3/config.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

constexpr uint32_t PACKETS = 20; //!< of a burst, which are joined to frames that need an RTS

/** Learner 0 sends to learner 2, which is out of range, and then to learner 1, which is not. */
class RtsRetries : public NetworkTest, public testing::WithParamInterface<std::string>
{
  protected:
    void TearDown() override
    {
        Config::Reset();
        NetworkTest::TearDown();
    }

    /** @return how many packets arrive at learner 1 in a second */
    static uint32_t Send(const std::string& name)
    {
        NetworkOptions options;
        options.side = 300;
        options.positions = {{0, 0}, {10, 0}, {300, 300}};
        options.server = 0; // the access point
        const auto network = Make(name, Star(3, 0), options);
        UdpMesh mesh(*network);
        mesh.Burst(0, network->GetAddress(0, 2), PACKETS);
        mesh.Burst(0, network->GetAddress(0, 1), PACKETS, 1400, MilliSeconds(1));
        Simulate(network->GetReadyTime().GetSeconds() + 1);
        EXPECT_EQ((mesh.received[{0, 2}]), 0U);
        return mesh.received[{0, 1}];
    }
};

TEST_P(RtsRetries, WhoIsOutOfRangeDoesNotSilenceTheOthers)
{
    EXPECT_EQ(Send(GetParam()), PACKETS);
}

TEST_P(RtsRetries, AnotherThresholdIsKept)
{
    Config::SetDefault("ns3::WifiRemoteStationManager::RtsCtsThreshold", UintegerValue(500));
    EXPECT_EQ(Send(GetParam()), PACKETS);
}

INSTANTIATE_TEST_SUITE_P(Wifi,
                         RtsRetries,
                         testing::Values("wifi-adhoc", "wifi-infra"),
                         [](const auto& info) { return info.param.substr(5); });

} // namespace
} // namespace ns3::dlearn
