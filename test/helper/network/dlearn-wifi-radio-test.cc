/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-network-test-support.h"

#include "ns3/config.h"
#include "ns3/dlearn-graph-generators.h"
#include "ns3/dlearn-wifi-stalls.h"
#include "ns3/double.h"
#include "ns3/ht-frame-exchange-manager.h"
#include "ns3/on-off-helper.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/qos-txop.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "ns3/wifi-mac-queue.h"
#include "ns3/wifi-mac.h"
#include "ns3/wifi-net-device.h"
#include "ns3/wifi-phy.h"

#ifdef DLEARN_WITH_MESH
#include "ns3/mesh-point-device.h"
#endif

#include <cmath>

namespace ns3::dlearn
{
namespace
{

/** Defaults that a test changes are back when it is over. */
class WifiRadioTest : public NetworkTest
{
  protected:
    void TearDown() override
    {
        network = nullptr;
        NetworkTest::TearDown();
    }

    /** @return the device of the first of two learners, 40 m apart */
    static Ptr<WifiNetDevice> Build(const std::string& text = "wifi-adhoc",
                                    const Attributes& attributes = {})
    {
        NetworkSetup setup;
        setup.positions = {{0, 0}, {40, 0}};
        network = Make(text, Complete(2), setup, attributes);
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

    static inline Ptr<Network> network; //!< the newest
};

TEST_F(WifiRadioTest, RefusesWhatIsNone)
{
    ExpectBuildRefused("wifi-adhoc,standard=ax,width=30",
                       Complete(2),
                       {},
                       "wifi-width must be 20, 40, 80 or 160; got 30");
    ExpectBuildRefused("wifi-adhoc,pathloss=three-gpp-uma",
                       Complete(2),
                       {},
                       "path-loss must be one of");
}

TEST_F(WifiRadioTest, PresetsAreWhatTheyAreCalled)
{
    const auto describe = [](const std::string& attributes) {
        Build("wifi-infra" + attributes);
        return network->Describe();
    };
    EXPECT_EQ(describe(""), "Wi-Fi n (802.11n, 20 MHz, 2 streams, rates by ideal, A-MPDU)");
    EXPECT_EQ(describe(",preset=ac"),
              "Wi-Fi ac (802.11ac, 80 MHz, 2 streams, rates by ideal, A-MPDU)");
    EXPECT_EQ(describe(",preset=ax,width=40,ratemanager=minstrel-ht"),
              "Wi-Fi ax (802.11ax, 40 MHz, 2 streams, rates by minstrel-ht, A-MPDU)");
    EXPECT_EQ(describe(",preset=legacy"),
              "Wi-Fi legacy (802.11n, 20 MHz, 1 stream, rates by constant-rate, no A-MPDU)");
    EXPECT_EQ(describe(",standard=a"),
              "Wi-Fi n (802.11a, 20 MHz, 2 streams, rates by ideal, no A-MPDU)");
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
            for (const std::string name : {"wifi-adhoc", "wifi-infra"})
            {
                const auto radio =
                    name + ",standard=" + standard + ",width=" + width + ",ratemanager=" + rates;
                EXPECT_EQ(Build(radio)->GetPhy()->GetChannelWidth(), std::stod(width));
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
        Build(std::string("wifi-mesh,standard=") + standard + ",width=" + width);
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
    Build("wifi-adhoc,pathloss=friis");
    EXPECT_EQ(Exchange(), 100U);
    Simulator::Destroy();
    Build("wifi-adhoc", {{"PathLoss", "log-distance:4"}});
    EXPECT_EQ(Exchange(), 0U);
    Simulator::Destroy();
    Build("wifi-adhoc", {{"Fading", "fixed-rss:-90"}});
    EXPECT_EQ(Exchange(), 0U) << "the fading is the last in the chain and fixes the power";
}

// Antennas on the ground are outside of what Okumura and Hata fitted; radios of ns-3 crash on NaN.
TEST_F(WifiRadioTest, PathLossThatGivesNoPowerIsRefused)
{
    Build("wifi-adhoc,pathloss=okumura-hata");
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
    EXPECT_EQ(read(Build()), std::make_tuple(23.0, 7935U));
    Simulator::Destroy();
    Config::SetDefault("ns3::WifiPhy::TxPowerStart", DoubleValue(20));
    Config::SetDefault("ns3::WifiPhy::TxPowerEnd", DoubleValue(20));
    Config::SetDefault("ns3::WifiMac::BE_MaxAmsduSize", UintegerValue(3839));
    EXPECT_EQ(read(Build()), std::make_tuple(20.0, 3839U));
    EXPECT_EQ(Exchange(), 100U);
}

// What a rate manager may have to send again at 6.5 Mbit/s has to last less than 5.484 ms.
TEST_F(WifiRadioTest, JoinsNoMoreThanTheSlowestRateCarries)
{
    const auto read = [](const Ptr<WifiNetDevice>& device, const std::string& name) {
        UintegerValue bytes;
        device->GetMac()->GetAttribute(name, bytes);
        return bytes.Get();
    };
    const auto ideal = Build("wifi-adhoc,ratemanager=ideal");
    EXPECT_EQ(read(ideal, "BE_MaxAmsduSize"), 3839U);
    EXPECT_EQ(read(ideal, "BE_MaxAmpduSize"), 0U) << "as with all of legacy";
    Simulator::Destroy();
    const auto modern = Build("wifi-infra");
    EXPECT_EQ(read(modern, "BE_MaxAmsduSize"), 3839U);
    EXPECT_EQ(read(modern, "BE_MaxAmpduSize"), 65535U);
    EXPECT_EQ(modern->GetPhy()->GetMaxSupportedTxSpatialStreams(), 2U);
    Simulator::Destroy();
    Config::SetDefault("ns3::WifiMac::BE_MaxAmsduSize", UintegerValue(7935));
    ExpectRefused(
        [&] { Build("wifi-adhoc,ratemanager=minstrel-ht"); },
        "wifi-adhoc: ns3::WifiMac::BE_MaxAmsduSize must be at most 4000 with minstrel-ht");
}

TEST_F(WifiRadioTest, FramesExpireWhereTheirReceiverMayBeGone)
{
    const auto life = [](bool learnersLeave, const std::string& attributes) {
        NetworkSetup setup;
        setup.learnersLeave = learnersLeave;
        network = CreateNetwork("wifi-infra" + attributes);
        network->Build(Complete(2), setup);
        const auto device = DynamicCast<WifiNetDevice>(network->GetNodes().Get(0)->GetDevice(1));
        const Time delay = device->GetMac()->GetTxopQueue(AC_BE)->GetMaxDelay();
        network = nullptr;
        Simulator::Destroy();
        return delay;
    };
    EXPECT_EQ(life(false, ""), Hours(24));
    EXPECT_EQ(life(true, ""), Seconds(1));
    EXPECT_EQ(life(false, ",mobility=random-waypoint,preset=ax"), Seconds(1));
    EXPECT_EQ(life(true, ",preset=legacy"), Hours(24)) << "which repeats nothing for ever";
}

#if !__has_include("ns3/eht-operation.h") // newer ones need no help
// Both sides know, of each direction, when learners begin: the receiver, too.
TEST_F(WifiRadioTest, BothSidesKnowOfBlockAcknowledgement)
{
    constexpr uint32_t STATIONS = 10;
    for (const char* preset : {"n", "ac", "ax", "legacy"})
    {
        NetworkSetup setup;
        setup.server = 0;
        network = CreateNetwork(std::string("wifi-infra,preset=") + preset);
        network->Build(Star(STATIONS + 1, 0), setup);
        network->AssignStreams(1);
        Simulator::Stop(network->GetReadyTime() + NanoSeconds(1));
        Simulator::Run();
        const auto get = [](uint32_t k) {
            return DynamicCast<WifiNetDevice>(network->GetNodes().Get(k)->GetDevice(1))->GetMac();
        };
        const auto agree = [](const Ptr<WifiMac>& from, const Ptr<WifiMac>& to) {
            const auto receiver =
                DynamicCast<HtFrameExchangeManager>(to->GetFrameExchangeManager());
            return int{from->GetQosTxop(AC_BE)->GetBaAgreementEstablished(to->GetAddress(), 0)} +
                   int{receiver->GetBaAgreementEstablished(from->GetAddress(), 0)};
        };
        for (uint32_t k = 1; k <= STATIONS; ++k)
        {
            const int sides = std::string(preset) == "legacy" ? 0 : 2;
            EXPECT_EQ(agree(get(0), get(k)), sides) << preset << " " << k;
            EXPECT_EQ(agree(get(k), get(0)), sides) << preset << " " << k;
        }
        network = nullptr;
        Simulator::Destroy();
    }
}
#endif

// Where one frame in five is lost, so are Acks of ADDBA responses, and with the handshake of
// ns-3.37 flows then stall. Of eight attempts that need four frames one succeeds nearly always.
TEST_F(WifiRadioTest, BlockAcknowledgementDoesNotStallWhereItsSetUpIsLost)
{
    for (const char* standard : {"n", "ac"})
    {
        network =
            CreateNetwork(std::string("wifi-adhoc,preset=n,side=20,loss=0.2,standard=") + standard);
        const Graph graph = MakeRing(20);
        network->Build(graph, {});
        network->AssignStreams(1);
        UdpMesh mesh(*network);
        mesh.BurstToNeighbors(graph, 30);
        Simulator::Stop(Seconds(10));
        Simulator::Run();
        EXPECT_EQ(mesh.received.size(), 40U) << standard;
        for (const auto& [pair, received] : mesh.received)
        {
            EXPECT_GE(received, 20U) << standard << " " << pair.first << " to " << pair.second;
        }
        Simulator::Destroy();
    }
}

/**
 * Saturation throughput of a cell of 802.11n, 20 MHz, MCS 5 of one stream, with RTS/CTS: G.
 * Bianchi, Performance analysis of the IEEE 802.11 distributed coordination function, IEEE JSAC
 * 18(3), 2000, equations 7, 9 and 13, with the durations of IEEE Std 802.11-2020.
 *
 * @param stations that always have something to send
 * @return payload in bit/s
 */
double
GetBianchiThroughput(uint32_t stations)
{
    constexpr double SIFS = 16;
    constexpr double SLOT = 9;
    constexpr double AIFS = SIFS + 3 * SLOT;
    constexpr double RTS = 28; // 20 bytes at 24 Mbit/s
    constexpr double CTS = 28; // 14 bytes
    constexpr double BLOCK_ACK = 32;
    constexpr double SUBFRAME = 1544; // 1472 + UDP 8, IP 20, LLC 8, MAC 26, FCS 4, delimiter 4, pad
    const auto last = [](uint32_t packets) { // preamble 36 us, 208 bits a symbol of 4 us
        return 36 + 4 * std::ceil((8 * (SUBFRAME * packets - 2) + 22) / 208);
    };
    uint32_t packets = 42; // of 65,535 bytes
    while (last(packets) > 5484)
    {
        --packets;
    }
    const double window = 16;
    double p = 0;
    double tau = 0;
    for (int k = 0; k < 20000; ++k)
    {
        tau =
            2 * (1 - 2 * p) / ((1 - 2 * p) * (window + 1) + p * window * (1 - std::pow(2 * p, 6)));
        p += 0.02 * (1 - std::pow(1 - tau, stations - 1.0) - p);
    }
    const double any = 1 - std::pow(1 - tau, stations);
    const double one = stations * tau * std::pow(1 - tau, stations - 1.0);
    const double success = RTS + SIFS + CTS + SIFS + last(packets) + SIFS + BLOCK_ACK + AIFS;
    const double collision = RTS + SIFS + SLOT + 20 + AIFS;
    return one * packets * 1472 * 8 * 1e6 /
           ((1 - any) * SLOT + one * success + (any - one) * collision);
}

class SaturatedCell : public WifiRadioTest, public testing::WithParamInterface<uint32_t>
{
};

TEST_P(SaturatedCell, CarriesWhatBianchisModelSays)
{
    constexpr double SECONDS = 2;
    const uint32_t stations = GetParam();
    NetworkSetup setup;
    setup.server = 0;
    setup.positions = {{30, 30}};
    for (uint32_t k = 0; k < stations; ++k)
    {
        const double angle = 2 * M_PI * k / stations;
        setup.positions.emplace_back(30 + 3 * std::cos(angle), 30 + 3 * std::sin(angle));
    }
    network = CreateNetwork("wifi-infra,ratemanager=constant-rate");
    network->Build(Star(stations + 1, 0), setup);
    network->AssignStreams(1);
    const NodeContainer nodes = network->GetNodes();
    const uint16_t port = 9;
    PacketSinkHelper sink("ns3::UdpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), port));
    const auto received = DynamicCast<PacketSink>(sink.Install(nodes.Get(0)).Get(0));
    const Time begin = network->GetReadyTime() + Seconds(0.5);
    for (uint32_t k = 0; k <= stations; ++k)
    {
        const auto device = DynamicCast<WifiNetDevice>(nodes.Get(k)->GetDevice(1));
        device->GetMac()->SetAttribute("BE_MaxAmsduSize", UintegerValue(0));
        device->GetRemoteStationManager()->SetAttribute("DataMode", StringValue("HtMcs5"));
        device->GetRemoteStationManager()->SetAttribute("ControlMode",
                                                        StringValue("OfdmRate24Mbps"));
        if (k > 0)
        {
            OnOffHelper source("ns3::UdpSocketFactory",
                               InetSocketAddress(network->GetAddress(k, 0), port));
            source.SetConstantRate(DataRate(80000000 / stations), 1472);
            source.SetAttribute("StartTime", TimeValue(network->GetReadyTime()));
            source.Install(nodes.Get(k));
        }
    }
    uint64_t before = 0;
    Simulator::Schedule(begin, [&] { before = received->GetTotalRx(); });
    Simulator::Stop(begin + Seconds(SECONDS));
    Simulator::Run();
    const double measured = 8 * (received->GetTotalRx() - before) / SECONDS;
    EXPECT_NEAR(measured / GetBianchiThroughput(stations), 1, 0.05);
}

INSTANTIATE_TEST_SUITE_P(Stations, SaturatedCell, testing::Values(1, 5, 20));

constexpr uint32_t PACKETS = 20; //!< of a burst, which are joined to frames that need an RTS

/** Learner 0 sends to learner 2, which is out of range, and then to learner 1, which is not. */
class RtsRetries : public NetworkTest, public testing::WithParamInterface<std::string>
{
  protected:
    /** @return how many packets arrive at learner 1 in a second */
    static uint32_t Send(const std::string& name)
    {
        NetworkSetup setup;
        setup.positions = {{0, 0}, {10, 0}, {300, 300}};
        setup.server = 0; // the access point
        const auto network = Make(name + ",side=300", Star(3, 0), setup);
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
