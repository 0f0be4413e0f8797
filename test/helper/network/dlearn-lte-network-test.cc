/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "app/dlearn-net-test-support.h"
#include "dlearn-network-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-network-factory.h"
#include "ns3/dlearn-run-spec.h"
#include "ns3/dlearn-run.h"
#include "ns3/node-list.h"
#include "ns3/object-map.h"
#include "ns3/pointer.h"
#include "ns3/string.h"

#include <cmath>
#include <limits>

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
        try
        {
            CreateNetwork("lte");
        }
        catch (const std::invalid_argument& error)
        {
            EXPECT_STREQ(error.what(),
                         "network lte needs ns-3's module lte, without which this ns-3 was built; "
                         "configure ns-3 with it, build ns-3, then build dlearn again");
            GTEST_SKIP() << error.what();
        }
    }

    /** Options with a server. */
    static NetworkOptions Options(LearnerId server)
    {
        NetworkOptions options;
        options.server = server;
        return options;
    }

    /**
     * Send one message from the server to all clients and one from each client, all at once.
     *
     * @param transport TypeId of the transport
     * @return when which message came, by receiver
     */
    static std::vector<std::vector<std::pair<Time, LearnerId>>> Exchange(
        const std::string& transport)
    {
        const uint32_t clients = 5;
        const LearnerId server = 2;
        const uint32_t size = 20000; // 80 kB; a bearer of ns-3 holds 10 kB by default
        ExchangeNet net("lte", Star(clients + 1, server), size, transport, 32, Options(server));
        net.Open();
        const Time ready = net.network->GetReadyTime();
        std::vector<LearnerId> all;
        for (LearnerId id = 0; id <= clients; ++id)
        {
            if (id != server)
            {
                all.push_back(id);
                net.SendAt(ready, id, {server}, 1, Exact(size, id));
            }
        }
        net.SendAt(ready, server, all, 1, Exact(size, server));
        Simulator::Stop(ready + Seconds(1));
        Simulator::Run();
        std::vector<std::vector<std::pair<Time, LearnerId>>> arrivals(clients + 1);
        for (LearnerId id = 0; id <= clients; ++id)
        {
            for (const auto& entry : net.recorders[id].entries)
            {
                const LearnerId sender = entry.source.first;
                EXPECT_TRUE(entry.arrival && entry.arrival->values == Exact(size, sender));
                arrivals[id].emplace_back(entry.when, sender);
            }
            EXPECT_EQ(arrivals[id].size(), id == server ? clients : 1U) << id;
        }
        return arrivals;
    }
};

TEST_F(LteNetworkTest, MayEndBeforeTheRun)
{
    ExchangeNet net("lte", Star(3, 0), 100, UDP, 32, Options(0));
    net.Open();
    const Time ready = net.network->GetReadyTime();
    net.SendAt(ready, 1, {0}, 1, Exact(100));
    net.network.reset();
    Simulator::Stop(ready + Seconds(1));
    Simulator::Run();
    EXPECT_EQ(net.recorders[0].entries.size(), 1U);
}

TEST_F(LteNetworkTest, CarriesTcpBothWaysAndTheSameTwice)
{
    EXPECT_EQ(Exchange(TCP), Exchange(TCP));
}

TEST_F(LteNetworkTest, CarriesUdpBothWaysAndTheSameTwice)
{
    EXPECT_EQ(Exchange(UDP), Exchange(UDP));
}

/** @return fragments of 1440 bytes that arrive of a model of a client, sent at once, over UDP */
uint64_t
CountFragments(const NetworkOptions& options, uint32_t fragments)
{
    ExchangeNet net("lte", Star(2, 0), 360 * fragments, UDP, 32, options);
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
    NetworkOptions options = Options(0);
    EXPECT_EQ(CountFragments(options, 480), 480U);
    EXPECT_NEAR(CountFragments(options, 1000), 500, 2);
    options.queues.size = QueueSize("64kB");
    EXPECT_NEAR(CountFragments(options, 1000), 65536 / 1502, 2);
    options.queues.size = QueueSize(QueueSizeUnit::PACKETS, std::numeric_limits<uint32_t>::max());
    EXPECT_EQ(CountFragments(options, 1000), 1000U);
    options.queues.size.reset();
    Config::SetDefault("ns3::LteRlcAm::MaxTxBufferSize", UintegerValue(150000));
    EXPECT_NEAR(CountFragments(options, 1000), 150000 / 1502, 2);
    Config::Reset();
}

/** @return the base stations of the simulation, whose class is not known where ns-3 has no LTE */
std::vector<Ptr<NetDevice>>
FindBaseStations()
{
    std::vector<Ptr<NetDevice>> stations;
    for (auto node = NodeList::Begin(); node != NodeList::End(); ++node)
    {
        for (uint32_t k = 0; k < (*node)->GetNDevices(); ++k)
        {
            const auto device = (*node)->GetDevice(k);
            if (device->GetInstanceTypeId().GetName() == "ns3::LteEnbNetDevice")
            {
                stations.push_back(device);
            }
        }
    }
    return stations;
}

/** @return an attribute of an object, as text */
std::string
GetText(const Ptr<Object>& object, const std::string& name)
{
    StringValue text;
    object->GetAttribute(name, text);
    return text.Get();
}

/** @return a part of an object */
Ptr<Object>
GetPart(const Ptr<Object>& object, const std::string& name)
{
    PointerValue part;
    object->GetAttribute(name, part);
    return part.GetObject();
}

TEST_F(LteNetworkTest, ObeysWhatAUserHasChosen)
{
    Config::SetDefault("ns3::LteEnbPhy::TxPower", DoubleValue(40));
    Config::SetDefault("ns3::LteEnbNetDevice::DlBandwidth", UintegerValue(75));
    Config::SetDefault("ns3::LteEnbRrc::EpsBearerToRlcMapping", StringValue("RlcUmAlways"));
    const auto network = CreateNetwork("lte");
    network->Build(Star(2, 0), Options(0));
    const auto stations = FindBaseStations();
    ASSERT_EQ(stations.size(), 1U);
    EXPECT_EQ(GetText(stations[0], "DlBandwidth"), "75");
    EXPECT_EQ(GetText(stations[0], "UlBandwidth"), "50") << "not chosen";
    EXPECT_EQ(GetText(GetPart(stations[0], "LteEnbRrc"), "EpsBearerToRlcMapping"), "RlcUmAlways");
    ObjectMapValue carriers;
    stations[0]->GetAttribute("ComponentCarrierMap", carriers);
    EXPECT_EQ(GetText(GetPart(carriers.Begin()->second, "LteEnbPhy"), "TxPower"), "40");
    Config::Reset();
}

TEST_F(LteNetworkTest, RefusesWhatHasNoEffect)
{
    Config::SetDefault("ns3::LteUePhy::TxPower", DoubleValue(20));
    ExpectRefused([] { CreateNetwork("lte")->Build(Star(2, 0), Options(0)); },
                  "lte: ns3::LteUePhy::TxPower has no effect, as clients control their power");
    Config::Reset();
    Config::SetDefault("ns3::LteRlcAm::MaxTxBufferSize", UintegerValue(1));
    NetworkOptions options = Options(0);
    options.queues.size = QueueSize("64kB");
    ExpectRefused([&] { CreateNetwork("lte")->Build(Star(2, 0), options); },
                  "lte: queue-size and ns3::LteRlcAm::MaxTxBufferSize exclude each other");
    Config::Reset();
}

TEST_F(LteNetworkTest, LossIsOnTheLinkOfTheServer)
{
    NetworkOptions options = Options(0);
    options.loss = 0.5;
    options.mobility = LearnerMobility::Parse("random-waypoint");
    const uint32_t clients = 2;
    const uint32_t rounds = 100;
    ExchangeNet net("lte", Star(clients + 1, 0), 10, UDP, 32, options);
    net.Open();
    EXPECT_EQ(net.network->GetLoss(0, 1), 0.5);
    EXPECT_EQ(net.network->GetLoss(2, 0), 0.5);
    const Time ready = net.network->GetReadyTime();
    for (uint32_t round = 1; round <= rounds; ++round)
    {
        for (LearnerId id = 1; id <= clients; ++id)
        {
            net.SendAt(ready, 0, {id}, round, Exact(10));
            net.SendAt(ready, id, {0}, round, Exact(10));
        }
    }
    Simulator::Stop(ready + Seconds(0.5));
    Simulator::Run();
    // Of 200 independent packets each way 100 get through on average, with a standard deviation
    // of 7.07; 6 of these are exceeded with a probability of 3e-9.
    const size_t up = net.recorders[0].entries.size();
    const size_t down = net.recorders[1].entries.size() + net.recorders[2].entries.size();
    EXPECT_NEAR(up, 100, 42);
    EXPECT_NEAR(down, 100, 42);
}

TEST_F(LteNetworkTest, TheLinkOfTheServerHasRateAndDelay)
{
    NetworkOptions options = Options(0);
    options.links.resize(2);
    options.links[0].rate = DataRate("1Mbps");
    options.links[0].delay = MilliSeconds(50);
    const uint32_t size = 18000; // 50 fragments of 1440 bytes, each an IP packet of 1500
    ExchangeNet net("lte", Star(2, 0), size, UDP, 32, options);
    net.Open();
    const Time ready = net.network->GetReadyTime();
    net.SendAt(ready, 0, {1}, 1, Exact(size));
    Simulator::Stop(ready + Seconds(1));
    Simulator::Run();
    ASSERT_EQ(net.recorders[1].entries.size(), 1U);
    const double took = (net.recorders[1].entries[0].when - ready).GetSeconds();
    const double wired = 50 * 1502 * 8 / 1e6 + 0.05;
    EXPECT_GT(took, wired);
    EXPECT_LT(took, wired + 0.03) << "the last packet alone in the cell takes milliseconds";
}

TEST_F(LteNetworkTest, CoversTheCornersOfTheLargestSquare)
{
    NetworkOptions options = Options(0);
    options.side = 1000;
    options.positions = {{0, 0}, {0, 0}, {1000, 1000}};
    const uint32_t size = 10000; // 40 kB each
    ExchangeNet net("lte", Star(3, 0), size, TCP, 32, options);
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

TEST_F(LteNetworkTest, StaysItsOnlyKindAndChangesNoDefaults)
{
    const auto before = GetChangedAttributes();
    const auto network = Make("lte", Star(3, 0), Options(0));
    EXPECT_EQ(GetChangedAttributes(), before);
    EXPECT_EQ(network->GetPositions().size(), 3U);
    EXPECT_EQ(network->GetPositions()[0], std::make_pair(30.0, 30.0));
    EXPECT_FALSE(network->HasBroadcast());
    ExpectRefused([&] { network->GetAddress(1, 2); },
                  "lte: clients 1 and 2 cannot exchange with each other, only with server 0");
    ExpectRefused([&] { network->GetAddress(0, 3); }, "lte: learner must be less than 3, got 3");
    ExpectRefused([] { Make("lte", Star(3, 0), Options(0)); },
                  "lte: a simulation can have one LTE network only, as ns-3's core network has "
                  "fixed addresses");
    Make("ideal", Star(3, 0), NetworkOptions()); // others are welcome
    Simulator::Destroy();
    Make("lte", Star(3, 0), Options(0)); // the next simulation
}

TEST_F(LteNetworkTest, RefusesWhatItCanNotGive)
{
    const auto refused = [](const NetworkOptions& options,
                            uint32_t learners,
                            const std::string& message) {
        ExpectRefused([&] { CreateNetwork("lte")->Build(Star(learners, 0), options); }, message);
    };
    refused(NetworkOptions(), 3, "lte: needs a server, the host behind the core network");
    refused(Options(0), 282, "lte: a base station can serve 280 clients, the graph has 281");
    NetworkOptions options = Options(0);
    options.links.resize(3);
    options.links[2].loss = 0.1;
    refused(options, 3, "lte: client 2 can have no rate, delay or loss of its own, its link is");
    options = Options(0);
    options.side = 1001;
    refused(options,
            3,
            "lte: side must be at most 1000 m, which the base station covers, got 1001");
    options = Options(0);
    options.positions = {{0, 0}, {1, 1}};
    refused(options, 3, "lte: positions must have 3 entries, got 2");
    options.positions = {{0, 0}, {1, 1}, {61, 0}};
    refused(options, 3, "lte: position (61, 0) of learner 2 lies outside the square of side 60");
}

} // namespace
} // namespace ns3::dlearn
