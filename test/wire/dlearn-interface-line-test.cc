/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "app/dlearn-net-test-support.h"

#include "ns3/csma-net-device.h"
#include "ns3/dlearn-interface-line.h"
#include "ns3/drop-tail-queue.h"
#include "ns3/node.h"
#include "ns3/point-to-point-channel.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/simulator.h"
#include "ns3/wifi-mac-queue.h"
#include "ns3/wifi-mac.h"
#include "ns3/wifi-net-device.h"

#include <gtest/gtest.h>
#include <vector>

namespace ns3::dlearn
{
namespace
{

using test::Complete;
using test::Exact;
using test::ExchangeNet;
using test::Pair;

constexpr uint32_t PACKET = 1000; //!< bytes that a packet carries

/** A device of 12 Mbit/s: in 10 ms it sends ten frames of 1500 bytes. */
class InterfaceLineTest : public testing::Test
{
  protected:
    ~InterfaceLineTest() override { Simulator::Destroy(); }

    void SetUp() override
    {
        const auto channel = CreateObject<PointToPointChannel>();
        for (const auto& end : {device, other})
        {
            const auto node = CreateObject<Node>();
            end->SetAddress(Mac48Address::Allocate());
            end->SetQueue(CreateObject<DropTailQueue<Packet>>());
            node->AddDevice(end);
            end->SetDataRate(DataRate("12Mbps"));
            end->Attach(channel);
        }
    }

    /** Let the device send packets, of which one leaves the queue at once. */
    void Fill(uint32_t packets)
    {
        for (uint32_t k = 0; k < packets; ++k)
        {
            device->Send(Create<Packet>(1498), other->GetAddress(), 0x800); // and 2 of PPP
        }
    }

    Ptr<PointToPointNetDevice> device{CreateObject<PointToPointNetDevice>()};
    Ptr<PointToPointNetDevice> other{CreateObject<PointToPointNetDevice>()};
};

TEST_F(InterfaceLineTest, HasRoomForTenMilliseconds)
{
    const InterfaceLine line(device, PACKET, [](LearnerId) {});
    EXPECT_EQ(line.GetRoom(1), 10U * PACKET);
    Fill(4);
    EXPECT_EQ(line.GetRoom(1), 7U * PACKET);
    Fill(20);
    EXPECT_EQ(line.GetRoom(1), 0U);
    EXPECT_EQ(line.GetLeast(), 2U * PACKET);
}

TEST_F(InterfaceLineTest, HasRoomForOnePacketOnSlowLinksAndForManyOnFastOnes)
{
    device->SetDataRate(DataRate("100kbps"));
    EXPECT_EQ(InterfaceLine(device, PACKET, [](LearnerId) {}).GetRoom(1), uint64_t{PACKET});
    EXPECT_EQ(InterfaceLine(device, PACKET, [](LearnerId) {}).GetLeast(), 0U);
    device->SetDataRate(DataRate("1Gbps"));
    EXPECT_EQ(InterfaceLine(device, PACKET, [](LearnerId) {}).GetRoom(1), 32U * PACKET);
    EXPECT_GT(InterfaceLine(nullptr, PACKET, [](LearnerId) {}).GetRoom(1), 1ULL << 40);
}

// When half of the ten have left there is room for five: for three of the first, two of the second.
// The third, and the first again, wait until there is more.
TEST_F(InterfaceLineTest, ServesThoseInLineInTurn)
{
    std::vector<std::pair<LearnerId, uint64_t>> served;
    InterfaceLine* served_by = nullptr;
    InterfaceLine line(device, PACKET, [&](LearnerId peer) {
        const uint64_t room = served_by->GetRoom(peer);
        served.emplace_back(peer, room);
        const auto packets = std::min<uint32_t>(3, room / PACKET);
        Fill(packets);
        served_by->Use(packets * PACKET);
        if (served.size() == 1)
        {
            served_by->Join(peer);
        }
    });
    served_by = &line;
    Fill(11);
    for (const LearnerId peer : {7, 5, 6, 5})
    {
        line.Join(peer);
    }
    EXPECT_EQ(line.GetRoom(8), 0U) << "others are before it";
    Simulator::Stop(MilliSeconds(100));
    Simulator::Run();
    const std::vector<std::pair<LearnerId, uint64_t>> expected{{7, 5 * PACKET},
                                                               {5, 2 * PACKET},
                                                               {6, 5 * PACKET},
                                                               {7, 2 * PACKET}};
    EXPECT_EQ(served, expected);
    EXPECT_EQ(line.GetRoom(8), 10U * PACKET);
}

// Packets of others keep the queue full: after a while, one packet goes all the same.
TEST_F(InterfaceLineTest, DoesNotWaitForEver)
{
    device->SetDataRate(DataRate("1bps"));
    std::vector<uint64_t> rooms;
    InterfaceLine* own = nullptr;
    InterfaceLine line(device, PACKET, [&](LearnerId peer) {
        rooms.push_back(own->GetRoom(peer));
    });
    own = &line;
    Fill(11);
    line.Join(1);
    Simulator::Stop(InterfaceBacklog::GetLongestWait(device) + MilliSeconds(1));
    Simulator::Run();
    EXPECT_EQ(rooms, std::vector<uint64_t>{PACKET});
}

TEST_F(InterfaceLineTest, ServesNobodyAfterClear)
{
    uint32_t served = 0;
    InterfaceLine line(device, PACKET, [&](LearnerId) { ++served; });
    Fill(11);
    line.Join(1);
    line.Clear();
    Simulator::Stop(Seconds(1));
    Simulator::Run();
    EXPECT_EQ(served, 0U);
}

/** @return the queue of the first device of a node that datagrams of best effort leave by */
Ptr<QueueBase>
GetQueue(Ptr<Node> node)
{
    if (const auto p2p = DynamicCast<PointToPointNetDevice>(node->GetDevice(1)))
    {
        return p2p->GetQueue();
    }
    if (const auto csma = DynamicCast<CsmaNetDevice>(node->GetDevice(1)))
    {
        return csma->GetQueue();
    }
    return DynamicCast<WifiNetDevice>(node->GetDevice(1))->GetMac()->GetTxopQueue(AC_BE);
}

/** Follows the length of a queue. */
struct Longest
{
    explicit Longest(Ptr<QueueBase> queue)
    {
        queue->TraceConnectWithoutContext("PacketsInQueue",
                                          MakeCallback(&Longest::HandleChange, this));
    }

    void HandleChange(uint32_t /* before */, uint32_t now) { packets = std::max(packets, now); }

    uint32_t packets{0}; //!< most at a time
};

// Four learners send 3 x 100 datagrams each at the same time, where at most a quarter of the rate
// is for each: with a queue of ten packets and no queue disc nothing is lost where it is sent.
TEST(InterfaceBacklog, ASenderDoesNotOverflowItsQueue)
{
    for (const std::string name : {"p2p", "csma", "wifi-adhoc"})
    {
        ExchangeNet net(name + ",queuedisc=none,queuesize=10p", Complete(4), 36000);
        std::vector<std::unique_ptr<Longest>> longest;
        for (LearnerId from = 0; from < 4; ++from)
        {
            longest.push_back(
                std::make_unique<Longest>(GetQueue(net.network->GetNodes().Get(from))));
        }
        net.Open();
        for (LearnerId from = 0; from < 4; ++from)
        {
            std::vector<LearnerId> others;
            for (LearnerId to = 0; to < 4; ++to)
            {
                to != from ? others.push_back(to) : void();
            }
            net.SendAt(Seconds(1), from, others, 0, Exact(36000, from));
        }
        Simulator::Stop(Seconds(30));
        Simulator::Run();
        for (LearnerId id = 0; id < 4; ++id)
        {
            const auto queue = GetQueue(net.network->GetNodes().Get(id));
            EXPECT_GE(queue->GetTotalReceivedPackets(), 100U) << name;
            EXPECT_EQ(queue->GetTotalDroppedPacketsBeforeEnqueue(), 0U) << name;
            EXPECT_GE(longest[id]->packets, 5U) << name << ": the device is never idle";
            EXPECT_LE(longest[id]->packets, 10U) << name;
        }
    }
}

// Once half of a full queue has left, and in an event of its own.
TEST(InterfaceBacklog, CallsBackWhenHalfOfTheQueueHasLeft)
{
    ExchangeNet net("p2p", Pair(), 1);
    const auto device =
        DynamicCast<PointToPointNetDevice>(net.network->GetNodes().Get(0)->GetDevice(1));
    device->SetDataRate(DataRate("8Mbps"));
    std::vector<double> calls;
    uint32_t room = 0;
    InterfaceBacklog backlog(device, [&] {
        calls.push_back(Simulator::Now().GetSeconds());
        room = backlog.GetRoom();
    });
    EXPECT_EQ(backlog.GetRoom(), InterfaceBacklog::LIMIT);
    Simulator::Schedule(Seconds(1), [&] {
        for (uint32_t k = 0; k <= InterfaceBacklog::LIMIT; ++k) // one of them leaves at once
        {
            device->Send(Create<Packet>(998), device->GetBroadcast(), 0x0800); // with PPP 1 ms
        }
        EXPECT_EQ(backlog.GetRoom(), 0U);
        backlog.Wait();
        backlog.Wait(); // means the same
        EXPECT_TRUE(backlog.IsWaiting());
    });
    Simulator::Run();
    ASSERT_EQ(calls.size(), 1U);
    EXPECT_NEAR(calls[0], 1 + 1e-3 * InterfaceBacklog::LIMIT / 2, 1e-9);
    EXPECT_EQ(room, InterfaceBacklog::LIMIT / 2);
    EXPECT_FALSE(backlog.IsWaiting());
}

// What others send can keep a queue full.
TEST(InterfaceBacklog, WaitsItsLongestWaitAndNoMore)
{
    struct Row
    {
        const char* rate; //!< of the link
        Time longest;     //!< 100 ms, or on a slow link the time of 64 packets of 1500 bytes
    };

    for (const Row& row : {Row{"8Mbps", MilliSeconds(100)}, Row{"800kbps", MilliSeconds(960)}})
    {
        ExchangeNet net("p2p", Pair(), 1);
        const DataRate rate(row.rate);
        const auto device =
            DynamicCast<PointToPointNetDevice>(net.network->GetNodes().Get(0)->GetDevice(1));
        device->SetDataRate(rate);
        std::vector<Time> calls;
        InterfaceBacklog backlog(device, [&] { calls.push_back(Simulator::Now()); });
        const auto send = [&] {
            device->Send(Create<Packet>(998), device->GetBroadcast(), 0x0800);
        };
        Simulator::Schedule(Seconds(1), [&] {
            for (uint32_t k = 0; k <= InterfaceBacklog::LIMIT; ++k)
            {
                send();
            }
            backlog.Wait();
        });
        for (int k = 0; k < 100; ++k) // one for each packet that leaves
        {
            Simulator::Schedule(Seconds(1) + rate.CalculateBytesTxTime(1000) * k, send);
        }
        Simulator::Stop(Seconds(3));
        Simulator::Run();
        EXPECT_EQ(calls, std::vector<Time>{Seconds(1) + row.longest}) << row.rate;
    }
}

TEST(InterfaceBacklog, UnknownDevicesHaveRoom)
{
    ExchangeNet net("ideal", Pair(), 1);
    const InterfaceBacklog ideal(net.network->GetNodes().Get(0)->GetDevice(1), nullptr);
    EXPECT_GT(ideal.GetRoom(), 1000000U);
    const InterfaceBacklog none(nullptr, nullptr);
    EXPECT_GT(none.GetRoom(), 1000000U);
}

} // namespace
} // namespace ns3::dlearn
