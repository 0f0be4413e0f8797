/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-short-runs.h"

#include "ns3/dlearn-device-watch.h"
#include "ns3/dlearn-files.h"
#include "ns3/dlearn-link-statistics.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/point-to-point-channel.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/queue.h"
#include "ns3/simulator.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/traffic-control-layer.h"
#include "ns3/wifi-mac-header.h"
#include "ns3/wifi-net-device.h"
#include "ns3/wifi-phy.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace ns3::dlearn
{
namespace
{

/**
 * Time in the queues of a device, whoever is who: the sum of the times at which packets leave a
 * queue, less the sum of those at which they come.
 */
struct QueueSums
{
    double waited{0};    //!< seconds
    uint32_t packets{0}; //!< that left the device

    /** @param device with a queue disc or without one */
    void Connect(const Ptr<PointToPointNetDevice>& device)
    {
        const auto layer = device->GetNode()->GetObject<TrafficControlLayer>();
        if (const auto disc = layer->GetRootQueueDiscOnDevice(device))
        {
            disc->TraceConnectWithoutContext("Enqueue", MakeCallback(&QueueSums::ComeToDisc, this));
            disc->TraceConnectWithoutContext("Dequeue", MakeCallback(&QueueSums::LeaveDisc, this));
        }
        device->GetQueue()->TraceConnectWithoutContext("Enqueue",
                                                       MakeCallback(&QueueSums::Come, this));
        device->GetQueue()->TraceConnectWithoutContext("Dequeue",
                                                       MakeCallback(&QueueSums::Leave, this));
    }

  private:
    void ComeToDisc(Ptr<const QueueDiscItem> /* item */)
    {
        waited -= Simulator::Now().GetSeconds();
    }

    void LeaveDisc(Ptr<const QueueDiscItem> /* item */) { waited += Simulator::Now().GetSeconds(); }

    void Come(Ptr<const Packet> /* packet */) { waited -= Simulator::Now().GetSeconds(); }

    void Leave(Ptr<const Packet> /* packet */)
    {
        waited += Simulator::Now().GetSeconds();
        ++packets;
    }
};

/** Segments that TCP of a node hands to IP with bytes that it has handed over before. */
struct RepeatedSegments
{
    uint32_t count{0}; //!< of them

    void HandleSend(const Ipv4Header& ip, Ptr<const Packet> packet, uint32_t /* interface */)
    {
        TcpHeader tcp;
        if (ip.GetProtocol() == TcpL4Protocol::PROT_NUMBER && packet->PeekHeader(tcp) > 0 &&
            (tcp.GetFlags() & TcpHeader::SYN) == 0)
        {
            auto& seen = m_seen[{ip.GetDestination().Get(), tcp.GetSourcePort()}];
            bool again = false;
            for (uint32_t k = 0; k < packet->GetSize() - tcp.GetSerializedSize(); ++k)
            {
                again = !seen.insert(tcp.GetSequenceNumber().GetValue() + k).second || again;
            }
            count += again ? 1 : 0;
        }
    }

  private:
    /** Bytes by destination and port. */
    std::map<std::pair<uint32_t, uint16_t>, std::unordered_set<uint32_t>> m_seen;
};

/** Frames of data with the flag Retry that a device of Wi-Fi sends. */
struct RepeatedFrames
{
    uint64_t count{0}; //!< of them

    void HandleTx(Ptr<const Packet> packet, double /* power */)
    {
        WifiMacHeader header;
        packet->PeekHeader(header);
        count += header.IsData() && header.IsRetry() ? 1 : 0;
    }
};

// A station walks from one of two access points to the other, out of the range of the first.
TEST(LinkStatistics, TellsWhichAccessPointAStationHas)
{
    const std::string way = testing::TempDir() + "dlearn-walk.csv";
    WriteTextFile(way, "time_s,node,x_m,y_m\n0,1,100,200\n3,1,100,200\n6,1,310,200\n");
    RunSpec spec = FedAvgPreset("walk");
    spec.network = "wifi-infra";
    spec.accessPoints = 2;
    spec.side = 400;
    spec.mobility = "csv:" + way;
    spec.learners = 1;
    spec.heterogeneity = 0;
    spec.rounds = 20;
    spec.clientFlops = "1e5";
    spec.responseTimeout = "1s";
    std::vector<std::string> events;
    for (const RunEvent& event : test::Execute(spec).timeline)
    {
        if (event.node == 1U && event.detail.find("node ") != std::string::npos)
        {
            events.push_back(event.event + " " + event.detail);
        }
    }
    EXPECT_EQ(events,
              (std::vector<std::string>{"associated to node 2",
                                        "disassociated from node 2",
                                        "handed-over node 2 to node 3"}));
}

// Ten messages of 448 + 32 + 28 (UDP, IP) + 2 (PPP) = 510 bytes, of 0.51 ms each.
TEST(LinkStatistics, CountsWhatALinkCarries)
{
    const RunResults results = test::Execute(test::ThreePeers());
    ASSERT_EQ(results.links.size(), 6U);
    for (const LinkRecord& link : results.links)
    {
        EXPECT_EQ(link.link.rfind("p2p-", 0), 0U);
        EXPECT_NE(link.from, link.to);
        EXPECT_EQ(link.txBytes, 5100U);
        EXPECT_EQ(link.queueDrops, 0U);
        EXPECT_EQ(link.loss, 0U);
        EXPECT_EQ(link.again, 0U);
        EXPECT_EQ(link.queueMean, 0);
        EXPECT_EQ(link.queueWorst, 0);
        EXPECT_NEAR(link.busy * test::GetEnd(results), 0.0051, 1e-9);
    }
}

// 7840 numbers of 4 bytes are 22 datagrams, the full ones of 1440 + 32 + 28 + 2 = 1502 bytes, which
// take 1.502 ms each. 16 of them are handed to the device at a time and wait for 0 to 15 of these,
// the other 6, once the device is free, for 0 to 5.
TEST(LinkStatistics, MeasuresTimeInQueues)
{
    RunSpec spec = test::ThreePeers();
    spec.data = "glyphs";
    const RunResults results = test::Execute(spec);
    ASSERT_EQ(results.links.size(), 6U);
    for (const LinkRecord& link : results.links)
    {
        EXPECT_EQ(link.txBytes, 10U * (7840 * 4 + 22 * 62));
        EXPECT_NEAR(link.queueMean, (120 + 15) * 1.502 / 22, 1e-4);
        EXPECT_GE(link.queueWorst, 15 * 1.502);
        EXPECT_LE(link.queueWorst, 15 * 1.502 * 1.01);
    }
}

// Segments of a vector have the same UID of ns-3.
TEST(LinkStatistics, MeasuresTimeOfTcpInQueues)
{
    for (const char* disc : {"none", "fq-codel"})
    {
        RunSpec spec = test::ThreePeers("20ms");
        spec.data = "glyphs";
        spec.transport = "tcp";
        spec.queueDisc = disc;
        dlearn::Run run(spec);
        std::map<std::string, QueueSums> sums; // by link and node
        for (uint32_t id = 0; id < 3; ++id)
        {
            const auto node = run.GetNetwork().GetNodes().Get(id);
            for (uint32_t k = 0; k < node->GetNDevices(); ++k)
            {
                if (const auto p2p = DynamicCast<PointToPointNetDevice>(node->GetDevice(k)))
                {
                    sums["p2p-" + std::to_string(p2p->GetChannel()->GetId()) + " " +
                         std::to_string(id)]
                        .Connect(p2p);
                }
            }
        }
        std::ostringstream table;
        const RunResults results = run.Execute(table);
        ASSERT_EQ(results.links.size(), 6U);
        for (const LinkRecord& link : results.links)
        {
            const QueueSums& sum = sums.at(link.link + " " + link.from);
            EXPECT_EQ(link.queueDrops, 0U);
            EXPECT_GT(sum.waited, 0);
            EXPECT_NEAR(link.queueMean, sum.waited / sum.packets * 1e3, 1e-6) << disc;
        }
    }
}

// What the links lose is what the pairs of learners lose.
TEST(LinkStatistics, CountsLosses)
{
    RunSpec spec = test::ThreePeers();
    spec.rounds = 100;
    spec.loss = 0.2;
    spec.deadline = "20ms";
    const RunResults results = test::Execute(spec);
    uint64_t lost = 0;
    for (const PairRecord& pair : results.pairs)
    {
        lost += pair.lost;
    }
    uint64_t dropped = 0;
    for (const LinkRecord& link : results.links)
    {
        dropped += link.loss.value();
    }
    EXPECT_EQ(dropped, lost);
    EXPECT_GT(lost, 0U);
}

// With 60 % of the frames lost, an attempt succeeds with probability 0.16, so that seven of them
// fail with 0.3. What is given up arrives nowhere; what arrives without its acknowledgement is
// given up, too.
TEST(LinkStatistics, CountsFramesOfWifiThatAreGivenUp)
{
    RunSpec spec = test::ThreePeers();
    spec.network = "wifi-adhoc";
    spec.rounds = 50;
    spec.loss = 0.6;
    spec.deadline = "200ms";
    dlearn::Run run(spec);
    std::vector<RepeatedFrames> repeated(3);
    for (uint32_t id = 0; id < 3; ++id)
    {
        const auto node = run.GetNetwork().GetNodes().Get(id);
        for (uint32_t k = 0; k < node->GetNDevices(); ++k)
        {
            if (const auto wifi = DynamicCast<WifiNetDevice>(node->GetDevice(k)))
            {
                wifi->GetPhy()->TraceConnectWithoutContext(
                    "PhyTxBegin",
                    MakeCallback(&RepeatedFrames::HandleTx, &repeated[id]));
            }
        }
    }
    std::ostringstream table;
    const RunResults results = run.Execute(table);
    uint64_t lost = 0;
    for (const PairRecord& pair : results.pairs)
    {
        lost += pair.lost;
    }
    uint64_t givenUp = 0;
    for (const LinkRecord& link : results.links)
    {
        givenUp += link.loss.value();
        // The last one may be under way at the end.
        EXPECT_NEAR(link.again.value(), repeated[std::stoul(link.from)].count, 1);
    }
    EXPECT_GT(lost, 10U);
    EXPECT_GE(givenUp, lost);
}

// 23 dBm, log-distance path loss of 46.6777 dB at 1 m with exponent 3, and the thermal noise of
// 20 MHz at 290 K with a noise figure of 7 dB. Clients hear only the server.
TEST(LinkStatistics, MeasuresRateAndSignalOfWifi)
{
    RunSpec spec = test::TwoClients("");
    spec.network = "wifi-adhoc";
    spec.wifiStandard = "a"; // data at 24 Mbit/s
    spec.rounds = 3;
    const RunResults results = test::Execute(spec);
    const double noise = 10 * std::log10(1.3803e-23 * 290 * 20e6 * 1e3) + 7;
    const auto& places = results.positions;
    for (const LinkRecord& link : results.links)
    {
        EXPECT_DOUBLE_EQ(link.rate, 24);
        if (link.from != "0")
        {
            const auto [x, y] = places.at(std::stoul(link.from));
            const double distance = std::hypot(x - places[0].first, y - places[0].second);
            EXPECT_NEAR(link.snr, 23 - 46.6777 - 30 * std::log10(distance) - noise, 1e-3);
        }
    }
    EXPECT_EQ(results.links.size(), 3U);
}

// A message is one frame, for one learner: what the others on the bus lose of it does not count.
TEST(LinkStatistics, CountsLossesOfABus)
{
    RunSpec spec = test::ThreePeers();
    spec.network = "csma";
    spec.rounds = 100;
    spec.loss = 0.2;
    spec.deadline = "20ms";
    const RunResults results = test::Execute(spec);
    std::map<std::string, uint64_t> lost;
    for (const PairRecord& pair : results.pairs)
    {
        lost[std::to_string(pair.from)] += pair.lost;
    }
    for (const LinkRecord& link : results.links)
    {
        EXPECT_GT(lost[link.from], 0U);
        EXPECT_EQ(link.loss, lost[link.from]);
    }
}

// Vectors of many segments, of which several may be lost.
TEST(LinkStatistics, CountsEachSegmentThatTcpSendsAgain)
{
    RunSpec spec = test::ThreePeers("20ms");
    spec.data = "glyphs";
    spec.transport = "tcp";
    spec.loss = 0.05;
    dlearn::Run run(spec);
    std::map<std::string, RepeatedSegments> repeated;
    for (uint32_t id = 0; id < 3; ++id)
    {
        run.GetNetwork()
            .GetNodes()
            .Get(id)
            ->GetObject<Ipv4L3Protocol>()
            ->TraceConnectWithoutContext(
                "SendOutgoing",
                MakeCallback(&RepeatedSegments::HandleSend, &repeated[std::to_string(id)]));
    }
    std::ostringstream table;
    std::map<std::string, uint64_t> counted;
    for (const LinkRecord& link : run.Execute(table).links)
    {
        counted[link.from] += link.again.value();
    }
    for (const auto& [node, segments] : repeated)
    {
        EXPECT_GT(segments.count, 10U);
        EXPECT_EQ(counted[node], segments.count) << node;
    }
}

TEST(LinkStatistics, KnowsSharedMediaAndOtherNodes)
{
    RunSpec spec = test::ThreePeers();
    spec.network = "csma";
    for (const LinkRecord& link : test::Execute(spec).links)
    {
        EXPECT_EQ(link.link.rfind("csma-", 0), 0U);
        EXPECT_EQ(link.to, "");
    }
    spec = FedAvgPreset("links");
    spec.learners = 4;
    spec.rounds = 2;
    spec.network = "tree:2";
    bool router = false;
    for (const LinkRecord& link : test::Execute(spec).links)
    {
        router = router || link.from.rfind("node ", 0) == 0;
    }
    EXPECT_TRUE(router);
    spec.network = "ideal";
    EXPECT_TRUE(test::Execute(spec).links.empty());
}

#ifdef DLEARN_WITH_LTE

/** @return the records of LTE's radio of a run */
std::vector<LinkRecord>
SelectRadio(const RunResults& results)
{
    std::vector<LinkRecord> radio;
    std::copy_if(results.links.begin(),
                 results.links.end(),
                 std::back_inserter(radio),
                 [](const LinkRecord& link) { return link.link.rfind("lte-", 0) == 0; });
    return radio;
}

/** Three clients, of which each gets and sends 7840 numbers of 4 bytes in each of four rounds. */
RunSpec
ThreeClients()
{
    RunSpec spec = FedAvgPreset("lte");
    spec.network = "lte";
    spec.data = "glyphs";
    spec.dataSamples = 100;
    spec.task = "softmax";
    spec.learners = 3;
    spec.rounds = 4;
    return spec;
}

// Models are 22 datagrams each way with 40 bytes of TCP and IP, whose acknowledgements go the other
// way. Of RLC and PDCP each transport block has a few bytes, and TCP repeats nothing.
TEST(LteLinks, CountWhatTheRadioCarries)
{
    const RunResults results = test::Execute(ThreeClients());
    const std::vector<LinkRecord> radio = SelectRadio(results);
    ASSERT_EQ(radio.size(), 6U);
    const double model = 7840 * 4;
    std::map<std::string, double> sums;
    for (const LinkRecord& link : radio)
    {
        EXPECT_EQ(link.link, "lte-1");
        EXPECT_TRUE((link.from == "node 4") != (link.to == "node 4")) << link.from << link.to;
        EXPECT_GE(link.txBytes, 4 * model * 1.02);
        EXPECT_LE(link.txBytes, 4 * model * 1.2);
        EXPECT_EQ(link.queueDrops, 0U);
        EXPECT_FALSE(link.loss);
        EXPECT_FALSE(link.again);
        // ns-3's radio carries at most 4.6 kB in a subframe of 1 ms at 10 MHz (36.213, 50 blocks).
        EXPECT_GE(link.busy * test::GetEnd(results) * 1000, link.txBytes / 4587.0 * 0.95);
        EXPECT_LE(link.busy, 1);
        EXPECT_GE(link.queueMean, 1) << "a subframe at least";
        EXPECT_GE(link.queueWorst, link.queueMean);
        EXPECT_LT(link.queueWorst, results.simulatedSeconds * 1000);
        sums[link.from == "node 4" ? "down" : "up"] += static_cast<double>(link.txBytes);
    }
    // The wired link of the server carries the same packets, with 2 bytes of PPP.
    for (const LinkRecord& link : results.links)
    {
        if (link.link.rfind("p2p-", 0) == 0 && (link.from == "0" || link.to == "0"))
        {
            const double wired = sums[link.from == "0" ? "down" : "up"] / link.txBytes;
            EXPECT_NEAR(wired, 1, 0.1) << link.from;
        }
    }
}

TEST(LteLinks, AHandoverBeginsAnotherLink)
{
    RunSpec spec = ThreeClients();
    spec.baseStations = 2;
    spec.side = 1000;
    spec.mobility = "random-waypoint,speed=60";
    spec.rounds = 200; // long enough for a handover with whatever positions ns-3 draws
    std::set<std::string> cells;
    const RunResults results = test::Execute(spec);
    const std::vector<LinkRecord> radio = SelectRadio(results);
    for (const LinkRecord& link : radio)
    {
        cells.insert(link.link);
    }
    EXPECT_EQ(cells.size(), 2U);
    EXPECT_GT(radio.size(), 6U);
    std::map<std::string, size_t> events;
    std::set<std::pair<LearnerId, std::string>> moves;
    for (const RunEvent& event : results.timeline)
    {
        ++events[event.event];
        if (event.event == "handed-over")
        {
            moves.emplace(event.node.value(), event.detail);
        }
    }
    EXPECT_EQ(events["associated"], 3U);
    EXPECT_GE(events["handed-over"], (radio.size() - 6) / 2) << "links that three clients lack";
    for (const auto& [client, move] : moves)
    {
        EXPECT_TRUE(move == "node 4 to node 5" || move == "node 5 to node 4") << move;
    }
}

#endif

// Of 1 to 1000 ms, 990 ms is the first that 99 % are not above.
TEST(DelayDistribution, KnowsMeanAndPercentile)
{
    DelayDistribution delays;
    for (int delay = 1000; delay > 0; --delay)
    {
        delays.Add(MilliSeconds(delay));
    }
    EXPECT_NEAR(delays.GetMean(), 500.5, 1e-9);
    EXPECT_GE(delays.GetWorst(), 990);
    EXPECT_LE(delays.GetWorst(), 990 * 1.01);
}

} // namespace
} // namespace ns3::dlearn
