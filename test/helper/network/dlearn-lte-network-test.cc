/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "app/dlearn-net-test-support.h"
#include "dlearn-network-test-support.h"

#include "ns3/config.h"
#include "ns3/dlearn-network.h"
#include "ns3/dlearn-run-spec.h"
#include "ns3/dlearn-run.h"
#include "ns3/double.h"
#include "ns3/mobility-model.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <map>

namespace ns3::dlearn
{
namespace
{

using test::Exact;
using test::ExchangeNet;

const char* const TCP = "ns3::dlearn::TcpTransport";
const char* const UDP = "ns3::dlearn::UdpTransport";

/** Skips everything where ns-3 has no LTE. */
class LteNetworkTest : public NetworkTest
{
  protected:
    void SetUp() override
    {
        NetworkTest::SetUp();
        m_handovers = 0;
        if (!IsComponent(GetNetworkFamily(), "lte"))
        {
            GTEST_SKIP() << "this ns-3 was built without its module lte";
        }
    }

    static NetworkSetup Server(LearnerId server)
    {
        NetworkSetup setup;
        setup.server = server;
        return setup;
    }

    /** Sink of the trace source HandoverEndOk of all base stations. */
    static void CountHandover(uint64_t /* imsi */, uint16_t /* cell */, uint16_t /* rnti */)
    {
        ++m_handovers;
    }

    /** Sink of the trace source ConnectionEstablished of all base stations. */
    static void NoteCell(uint64_t imsi, uint16_t cell, uint16_t /* rnti */)
    {
        m_cells[imsi] = cell;
    }

    static inline uint32_t m_handovers;
    static inline std::map<uint64_t, uint16_t> m_cells; //!< of clients, when they attached
};

/** @return fragments of 1440 bytes that arrive of a model of a client, sent at once, over UDP */
uint64_t
CountFragments(const std::string& queue, uint32_t fragments)
{
    NetworkSetup setup;
    setup.server = 0;
    ExchangeNet net("lte" + queue, Star(2, 0), 360 * fragments, UDP, 32, setup);
    net.Open();
    const Time ready = net.network->GetReadyTime();
    net.SendAt(ready, 1, {0}, 1, Exact(360 * fragments));
    Simulator::Stop(ready + Seconds(2));
    Simulator::Run();
    return net.exchanges[0]->GetTransport()->GetRxBytes() / 1472;
}

// 500 packets of 1500 bytes and their headers of two bytes, and what leaves while the model is
// handed over, which takes no time: one more at most.
TEST_F(LteNetworkTest, BuffersAreBounded)
{
    EXPECT_EQ(CountFragments("", 480), 480U);
    EXPECT_NEAR(CountFragments("", 1000), 500, 2);
    EXPECT_NEAR(CountFragments(",queuesize=64kB", 1000), 65536 / 1502, 2);
    EXPECT_EQ(CountFragments(",queuesize=unlimited", 1000), 1000U);
    Config::SetDefault("ns3::LteRlcAm::MaxTxBufferSize", UintegerValue(150000));
    EXPECT_NEAR(CountFragments("", 1000), 150000 / 1502, 2);
}

TEST_F(LteNetworkTest, ObeysWhatAUserHasChosen)
{
    Config::SetDefault("ns3::LteEnbPhy::TxPower", DoubleValue(40));
    Config::SetDefault("ns3::LteEnbNetDevice::DlBandwidth", UintegerValue(75));
    Config::SetDefault("ns3::LteEnbRrc::EpsBearerToRlcMapping", StringValue("RlcUmAlways"));
    const auto network = CreateNetwork("lte");
    network->Build(Star(2, 0), Server(0));
    const std::string station = "/NodeList/*/DeviceList/*/$ns3::LteEnbNetDevice";
    const auto read = [](const std::string& path, const std::string& name) {
        StringValue text;
        Config::LookupMatches(path).Get(0)->GetAttribute(name, text);
        return text.Get();
    };
    EXPECT_EQ(read(station, "DlBandwidth"), "75");
    EXPECT_EQ(read(station, "UlBandwidth"), "50") << "not chosen";
    EXPECT_EQ(read(station + "/LteEnbRrc", "EpsBearerToRlcMapping"), "RlcUmAlways");
    EXPECT_EQ(read(station + "/ComponentCarrierMap/*/LteEnbPhy", "TxPower"), "40");
}

TEST_F(LteNetworkTest, CoversTheCornersOfTheLargestSquare)
{
    NetworkSetup setup = Server(0);
    setup.positions = {{0, 0}, {0, 0}, {1000, 1000}};
    const uint32_t size = 10000; // 40 kB each
    ExchangeNet net("lte,side=1000", Star(3, 0), size, TCP, 32, setup);
    net.Open();
    const Time ready = net.network->GetReadyTime();
    net.SendAt(ready, 0, {1, 2}, 1, Exact(size));
    net.SendAt(ready, 1, {0}, 1, Exact(size));
    net.SendAt(ready, 2, {0}, 1, Exact(size));
    Simulator::Stop(ready + Seconds(2));
    Simulator::Run();
    EXPECT_EQ(net.recorders[0].entries.size(), 2U);
    EXPECT_EQ(net.recorders[1].entries.size(), 1U);
    EXPECT_EQ(net.recorders[2].entries.size(), 1U);
}

TEST_F(LteNetworkTest, RefusesWhatItCanNotGive)
{
    const auto refused = [](const std::function<void(NetworkSetup&)>& change,
                            const std::string& message,
                            uint32_t learners = 3,
                            const std::string& text = "lte") {
        NetworkSetup setup = Server(0);
        setup.links.resize(learners);
        change(setup);
        ExpectBuildRefused(text, Star(learners, 0), setup, "lte: " + message);
    };
    refused([](auto& o) { o.server.reset(); }, "needs a server, the host behind the core network");
    refused([](auto&) {}, "a base station can serve 280 clients, the graph has 281", 282);
    refused([](auto& o) { o.links[2].loss = 0.1; },
            "client 2 can have no rate, delay or loss of its own, its link is the radio");
    refused([](auto&) {},
            "side must be at most 1000 m, which the base station covers, got 1001",
            3,
            "lte,side=1001");
    refused(
        [](auto& o) {
            o.positions = {{0, 0}, {1, 1}};
        },
        "positions must have 3 entries, got 2");
    Config::SetDefault("ns3::LteRlcAm::MaxTxBufferSize", UintegerValue(1));
    refused([](auto&) {},
            "queue-size and ns3::LteRlcAm::MaxTxBufferSize exclude each other",
            3,
            "lte,queuesize=64kB");
    Config::SetDefault("ns3::LteUePhy::TxPower", DoubleValue(20));
    refused([](auto&) {}, "ns3::LteUePhy::TxPower has no effect, as clients control their power");
}

/** Server 4 and clients near the corners of a square of 2 km with four base stations. */
NetworkSetup
FourBaseStations()
{
    NetworkSetup setup;
    setup.server = 4;
    setup.positions = {{200, 200}, {1800, 200}, {200, 1800}, {1800, 1800}, {0, 0}};
    return setup;
}

TEST_F(LteNetworkTest, SeveralBaseStationsCoverMoreThanOne)
{
    const auto network = Make("lte,basestations=4,side=2000", Star(5, 4), FourBaseStations());
    Config::ConnectWithoutContext("/NodeList/*/DeviceList/*/LteEnbRrc/ConnectionEstablished",
                                  MakeCallback(&LteNetworkTest::NoteCell));
    UdpMesh mesh(*network);
    mesh.BurstToNeighbors(Star(5, 4), 20);
    Simulate(3);
    for (LearnerId client = 0; client < 4; ++client)
    {
        EXPECT_EQ((mesh.received[{client, 4}]), 20U) << client;
        EXPECT_EQ((mesh.received[{4, client}]), 20U) << client;
        EXPECT_EQ(m_cells[client + 1], client + 1) << "cells are numbered as on the grid";
    }
}

// It drives from one base station to the other, 1 km, in 25 s, and has all that is sent to it and
// sends all it has to, but for what is under way during the handover.
TEST_F(LteNetworkTest, AClientThatMovesIsHandedOver)
{
    NetworkSetup setup = Server(0);
    setup.positions = {{0, 0}, {250, 500}, {250, 400}};
    const auto network = Make("lte,basestations=2,side=1000", Star(3, 0), setup);
    Config::ConnectWithoutContext("/NodeList/*/DeviceList/*/LteEnbRrc/HandoverEndOk",
                                  MakeCallback(&LteNetworkTest::CountHandover));
    UdpMesh mesh(*network);
    const auto model = network->GetNodes().Get(1)->GetObject<MobilityModel>();
    constexpr uint32_t STEPS = 250;
    for (uint32_t k = 0; k < STEPS; ++k)
    {
        const Time when = Seconds(1 + k * 0.1);
        Simulator::Schedule(when, [=] { model->SetPosition(Vector(250 + 2 * k, 500, 0)); });
        mesh.Burst(0, network->GetAddress(0, 1), 1, 1000, when);
        mesh.Burst(1, network->GetAddress(1, 0), 1, 1000, when);
        mesh.Burst(2, network->GetAddress(2, 0), 1, 1000, when);
    }
    Simulate(30);
    EXPECT_EQ(m_handovers, 1U);
    EXPECT_GE((mesh.received[{0, 1}]), STEPS - 2);
    EXPECT_GE((mesh.received[{1, 0}]), STEPS - 2);
    EXPECT_EQ((mesh.received[{2, 0}]), STEPS);
}

} // namespace
} // namespace ns3::dlearn
