/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "helper/network/dlearn-network-test-support.h"

#include "ns3/dlearn-run-warnings.h"
#include "ns3/mobility-model.h"
#include "ns3/wifi-mac-queue.h"
#include "ns3/wifi-mac.h"
#include "ns3/wifi-net-device.h"

namespace ns3::dlearn
{
namespace
{

class WifiWatchTest : public NetworkTest
{
  protected:
    /**
     * The access point sends to both of its stations, of which the second one has gone. ns-3's
     * minstrel-ht repeats the RTS for it until what waits is too old.
     *
     * @param life of frames
     * @return the warnings
     */
    static std::vector<std::string> Watch(Time life)
    {
        NetworkOptions options;
        options.radio.rates = TypeId::LookupByName("ns3::MinstrelHtWifiManager");
        options.server = 0;
        options.positions = {{30, 30}, {20, 30}, {40, 30}};
        const auto network = Make("wifi-infra", Star(3, 0), options);
        const auto mac =
            DynamicCast<WifiNetDevice>(network->GetNodes().Get(0)->GetDevice(1))->GetMac();
        mac->GetTxopQueue(AC_BE)->SetMaxDelay(life);
        RunWarnings warnings;
        const WifiWatch watch(warnings);
        UdpMesh mesh(*network);
        mesh.Burst(0, network->GetAddress(0, 1), 20);
        mesh.Burst(0, network->GetAddress(0, 2), 20);
        mesh.Burst(0, network->GetAddress(0, 2), 20, 1400, Seconds(1));
        mesh.Burst(0, network->GetAddress(0, 1), 20, 1400, Seconds(1.1));
        Simulator::Schedule(network->GetReadyTime() + Seconds(0.5), [&network] {
            network->GetNodes().Get(2)->GetObject<MobilityModel>()->SetPosition(Vector(5000, 0, 0));
        });
        Simulate(20);
        EXPECT_EQ((mesh.received[{0, 2}]), 20U);
        return warnings.Finish();
    }
};

TEST_F(WifiWatchTest, NamesWhoBlocksTheQueue)
{
    const auto warnings = Watch(Hours(24));
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_EQ(warnings[0].rfind("Wi-Fi stalls: node 0 has delivered nothing for 5 s at ", 0), 0U)
        << warnings[0];
    EXPECT_NE(warnings[0].find(": node 2 has not answered "), std::string::npos) << warnings[0];
    EXPECT_NE(warnings[0].find("set ns3::WifiMacQueue::MaxDelay to 1s"), std::string::npos)
        << warnings[0];
}

TEST_F(WifiWatchTest, IsSilentWhereFramesExpireInTime)
{
    EXPECT_EQ(Watch(Seconds(1)), std::vector<std::string>());
}

TEST_F(WifiWatchTest, WarnsOfFramesThatExpireTooEarly)
{
    const auto warnings = Watch(MilliSeconds(200));
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_EQ(warnings[0],
              "Wi-Fi drops frames that have waited for longer than 200 ms, as those of a burst do; "
              "set ns3::WifiMacQueue::MaxDelay to 1s");
}

} // namespace
} // namespace ns3::dlearn
