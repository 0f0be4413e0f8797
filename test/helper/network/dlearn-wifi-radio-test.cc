/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-network-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "ns3/wifi-mac.h"
#include "ns3/wifi-net-device.h"
#include "ns3/wifi-phy.h"

#ifdef DLEARN_WITH_MESH
#include "ns3/mesh-point-device.h"
#endif

namespace ns3::dlearn
{
namespace
{

/** Defaults that a test changes are back when it is over. */
class WifiRadioTest : public testing::Test
{
  protected:
    void TearDown() override
    {
        network.reset();
        Simulator::Destroy();
        Config::Reset();
    }

    /** @return the device of the first of two learners, 40 m apart */
    static Ptr<WifiNetDevice> Build(const WifiRadio& radio, const std::string& name = "wifi-adhoc")
    {
        NetworkOptions options;
        options.radio = radio;
        options.positions = {{0, 0}, {40, 0}};
        network = CreateNetwork(name);
        network->Build(Complete(2), options);
        network->AssignStreams(1);
        return DynamicCast<WifiNetDevice>(network->GetNodes().Get(0)->GetDevice(1));
    }

    /** @return datagrams of 100 that arrive */
    static uint32_t Exchange()
    {
        UdpMesh mesh(*network);
        mesh.Burst(0, network->GetAddress(0, 1), 100);
        Simulator::Stop(network->GetReadyTime() + Seconds(10));
        Simulator::Run();
        return mesh.received[{0, 1}];
    }

    static inline std::unique_ptr<Network> network; //!< the newest
};

TEST_F(WifiRadioTest, RefusesWhatTheStandardHasNot)
{
    const auto parse = [](const char* standard, const char* width, const char* rates) {
        return [=] { WifiRadio::Parse(standard, width, rates, "log-distance", "none"); };
    };
    ExpectRefused(parse("b", "20", "constant-rate"),
                  "wifi-standard must be one of a, g, n, ac, ax; got 'b'");
    ExpectRefused(parse("n", "80", "constant-rate"),
                  "wifi-width must be 20, 40, 80 or 160 and, of standard n, at most 40; got '80'");
    ExpectRefused(parse("ax", "30", "constant-rate"), "at most 160; got '30'");
    ExpectRefused(parse("ax", "wide", "constant-rate"), "got 'wide'");
    ExpectRefused(parse("n", "20", "fastest"), "rate-manager must be one of");
    ExpectRefused(parse("n", "20", "constant-rate:HtMcs7"), "rate-manager takes no attributes");
    ExpectRefused([] { WifiRadio::Parse("n", "20", "ideal", "three-gpp-uma", "none"); },
                  "path-loss must be one of");
    ExpectRefused([] { WifiRadio::Parse("n", "20", "ideal", "friis", "fog"); },
                  "fading must be one of");
}

TEST_F(WifiRadioTest, EveryStandardCarriesDatagrams)
{
    for (const auto& [standard, width] : {std::pair{"a", "20"},
                                          std::pair{"g", "20"},
                                          std::pair{"n", "40"},
                                          std::pair{"ac", "80"},
                                          std::pair{"ax", "160"}})
    {
        for (const char* rates : {"constant-rate", "ideal"})
        {
            for (const char* name : {"wifi-adhoc", "wifi-infra"})
            {
                const auto radio = WifiRadio::Parse(standard, width, rates, "log-distance", "none");
                EXPECT_EQ(Build(radio, name)->GetPhy()->GetChannelWidth(), std::stod(width));
                EXPECT_EQ(Exchange(), 100U) << standard << " " << rates << " " << name;
                Simulator::Destroy();
            }
        }
    }
}

#ifdef DLEARN_WITH_MESH
TEST_F(WifiRadioTest, AMeshHasTheWidthThatIsAskedFor)
{
    for (const auto& [standard, width] :
         {std::pair{"n", "20"}, std::pair{"n", "40"}, std::pair{"ac", "80"}})
    {
        const auto radio =
            WifiRadio::Parse(standard, width, "constant-rate", "log-distance", "none");
        Build(radio, "wifi-mesh");
        const auto device0 = network->GetNodes().Get(0)->GetDevice(1);
        const auto point = DynamicCast<MeshPointDevice>(device0);
        ASSERT_TRUE(point);
        const auto device = DynamicCast<WifiNetDevice>(point->GetInterfaces().at(0));
        EXPECT_EQ(device->GetPhy()->GetChannelWidth(), std::stod(width));
        EXPECT_EQ(Exchange(), 100U) << standard << " " << width;
        EXPECT_EQ(device->GetPhy()->GetChannelWidth(), std::stod(width));
        Simulator::Destroy();
    }
}
#endif

// 40 m away Friis' model at 5.18 GHz has 20 log10(4 pi 40 / 0.0579) = 78.8 dB, log-distance 94.7
// dB; with an exponent of 4 it has 110.8 dB, too much for a power of 23 dBm and a threshold of -82
// dBm.
TEST_F(WifiRadioTest, PathLossDecidesWhoIsInRange)
{
    Build(WifiRadio::Parse("n", "20", "constant-rate", "friis", "none"));
    EXPECT_EQ(Exchange(), 100U);
    Simulator::Destroy();
    Build(WifiRadio::Parse("n", "20", "constant-rate", "log-distance:4", "none"));
    EXPECT_EQ(Exchange(), 0U);
    Simulator::Destroy();
    Build(WifiRadio::Parse("n", "20", "constant-rate", "log-distance", "fixed-rss:-90"));
    EXPECT_EQ(Exchange(), 0U) << "the fading is the last in the chain and fixes the power";
}

// Antennas on the ground are outside of what Okumura and Hata fitted; radios of ns-3 crash on NaN.
TEST_F(WifiRadioTest, PathLossThatGivesNoPowerIsRefused)
{
    WifiRadio radio;
    radio.pathLoss.SetTypeId("ns3::OkumuraHataPropagationLossModel");
    Build(radio);
    ExpectRefused([] { Exchange(); },
                  "path-loss and fading must give a power for all places; between 0:0:0 and 40:0:0 "
                  "the received power is ");
}

TEST_F(WifiRadioTest, DefaultsOfAUserAreObeyed)
{
    const auto read = [](const Ptr<WifiNetDevice>& device) {
        DoubleValue power;
        device->GetPhy()->GetAttribute("TxPowerStart", power);
        UintegerValue aggregate;
        device->GetMac()->GetAttribute("BE_MaxAmsduSize", aggregate);
        return std::make_tuple(power.Get(), aggregate.Get());
    };
    EXPECT_EQ(read(Build(WifiRadio())), std::make_tuple(23.0, 7935U));
    Simulator::Destroy();
    Config::SetDefault("ns3::WifiPhy::TxPowerStart", DoubleValue(20));
    Config::SetDefault("ns3::WifiPhy::TxPowerEnd", DoubleValue(20));
    Config::SetDefault("ns3::WifiMac::BE_MaxAmsduSize", UintegerValue(3839));
    EXPECT_EQ(read(Build(WifiRadio())), std::make_tuple(20.0, 3839U));
    EXPECT_EQ(Exchange(), 100U);
}

TEST_F(WifiRadioTest, BlockAcknowledgementIsRefusedWhereItStalls)
{
    Config::SetDefault("ns3::WifiMac::BE_MaxAmpduSize", UintegerValue(20000));
    ExpectRefused([&] { Build(WifiRadio()); },
                  "ns3::WifiMac::BE_MaxAmpduSize must be 0 in ad hoc networks, because flows with "
                  "block acknowledgement stall there under contention, got 20000");
}

} // namespace
} // namespace ns3::dlearn
