/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-interface-line.h"
#include "ns3/drop-tail-queue.h"
#include "ns3/node.h"
#include "ns3/point-to-point-channel.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/simulator.h"

#include <gtest/gtest.h>
#include <vector>

namespace ns3::dlearn
{
namespace
{

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

} // namespace
} // namespace ns3::dlearn
