/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * What faults do to packets, against calculation.
 */

#include "helper/network/dlearn-network-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-fault-schedule.h"
#include "ns3/dlearn-network.h"
#include "ns3/udp-socket-factory.h"

#include <algorithm>
#include <cstring>
#include <set>

namespace ns3::dlearn
{
namespace
{

constexpr uint32_t PACKETS = 20000;

/** Sends numbered datagrams from learner 0 to 1 and keeps what arrives. */
class FaultFilterTest : public NetworkTest
{
  protected:
    /** Sends PACKETS of 100 bytes, one each 10 us, the number in the first four. */
    void Send(const std::vector<std::string>& faults)
    {
        m_graph.AddEdge(0, 1);
        m_network = Make("ideal", m_graph, {});
        for (const std::string& fault : faults)
        {
            m_faults.Add(fault);
        }
        // No event is of a learner.
        m_faults.Install(m_graph, *m_network, std::vector<Ptr<LearnerApplication>>(2), 0);
        const auto open = [&](LearnerId id) {
            m_sockets.push_back(
                Socket::CreateSocket(m_network->GetNodes().Get(id), UdpSocketFactory::GetTypeId()));
            m_sockets.back()->Bind(InetSocketAddress(Ipv4Address::GetAny(), 9));
        };
        open(0);
        open(1);
        m_sockets[1]->SetRecvCallback(Callback<void, Ptr<Socket>>([this](Ptr<Socket> socket) {
            while (const Ptr<Packet> packet = socket->Recv())
            {
                std::vector<uint8_t> bytes(packet->GetSize());
                packet->CopyData(bytes.data(), bytes.size());
                arrived.push_back(bytes);
                times.push_back(Simulator::Now());
            }
        }));
        const InetSocketAddress to(m_network->GetAddress(0, 1), 9);
        for (uint32_t k = 0; k < PACKETS; ++k)
        {
            Simulator::Schedule(MicroSeconds(10) * k, [this, k, to] {
                std::vector<uint8_t> bytes(100);
                std::memcpy(bytes.data(), &k, sizeof(k));
                m_sockets[0]->SendTo(Create<Packet>(bytes.data(), bytes.size()), 0, to);
            });
        }
        Simulate(1);
        m_sockets[1]->SetRecvCallback(MakeNullCallback<void, Ptr<Socket>>());
    }

    /** @return number of a packet whose number is whole */
    static uint32_t GetNumber(const std::vector<uint8_t>& bytes)
    {
        uint32_t number;
        std::memcpy(&number, bytes.data(), sizeof(number));
        return number;
    }

    FaultFilter::Counters GetCounters() const { return m_faults.GetCounters(); }

    std::vector<std::vector<uint8_t>> arrived; //!< packets, in the order of arrival
    std::vector<Time> times;                   //!< when

  private:
    Graph m_graph{2};
    Ptr<Network> m_network;
    FaultSchedule m_faults;
    std::vector<Ptr<Socket>> m_sockets;
};

// Before its time, and in the other direction, nothing happens.
TEST_F(FaultFilterTest, AFaultHasATimeAndADirection)
{
    Send({"corrupt=1:*@500ms", "down:1to0@0s"});
    ASSERT_EQ(arrived.size(), PACKETS);
    EXPECT_EQ(GetCounters().cut, 0U);
    for (uint32_t k = 0; k < PACKETS; ++k)
    {
        ASSERT_EQ(GetNumber(arrived[k]), k);
    }
}

// A share of independent packets: Hoeffding, probability 2 exp(-2 n 0.02^2) = 2e-7.
TEST_F(FaultFilterTest, LossIsIndependent)
{
    Send({"loss=0.3:0to1@0s"});
    EXPECT_NEAR(arrived.size() / double{PACKETS}, 0.7, 0.02);
    EXPECT_EQ(GetCounters().lost + arrived.size(), PACKETS);
}

// Gilbert (1960): with P_GB = 0.02, P_BG = 0.1 and losses 0 and 1 the stationary loss is 1/6 and
// the mean burst 10 packets. The variance of the share over n packets is about pi_G pi_B (1 + r) /
// (1 - r) / n with r = 1 - 0.02 - 0.1, so the standard deviation is 0.0104; that of the mean of
// about 333 geometric lengths is 0.52. Five of them each: probability 6e-7.
TEST_F(FaultFilterTest, BurstsHaveTheRateAndTheLengthOfGilbertsChannel)
{
    Send({"burst=0,1,0.02,0.1:*@0s"});
    EXPECT_NEAR(1 - arrived.size() / double{PACKETS}, 1.0 / 6, 0.052);
    uint32_t bursts = 0;
    uint32_t lost = 0;
    uint32_t next = 0;
    for (const auto& bytes : arrived)
    {
        bursts += GetNumber(bytes) > next ? 1 : 0;
        lost += GetNumber(bytes) - next;
        next = GetNumber(bytes) + 1;
    }
    EXPECT_NEAR(lost / double(bursts), 10, 2.6);
}

// Elliott (1963): losses in both states; pi_B = 0.25, so 0.75 * 0.1 + 0.25 * 0.5 = 0.2. The states
// change so fast (r = 0.2) that the standard deviation is below 0.0037.
TEST_F(FaultFilterTest, BothStatesOfElliottsChannelLose)
{
    Send({"burst=0.1,0.5,0.2,0.6:*@0s"});
    EXPECT_NEAR(1 - arrived.size() / double{PACKETS}, 0.2, 0.02);
}

// The expected number of distinct bits of 800 that 20,000 draws hit is 800 (1 - 1.4e-11).
TEST_F(FaultFilterTest, CorruptionFlipsOneBitAnywhereInTheData)
{
    Send({"corrupt=1:*@0s"});
    ASSERT_EQ(arrived.size(), PACKETS);
    EXPECT_EQ(GetCounters().corrupted, PACKETS);
    std::set<uint32_t> hit;
    for (uint32_t k = 0; k < PACKETS; ++k)
    {
        std::vector<uint8_t> sent(100);
        std::memcpy(sent.data(), &k, sizeof(k));
        uint32_t flipped = 0;
        ASSERT_EQ(arrived[k].size(), sent.size());
        for (uint32_t bit = 0; bit < 800; ++bit)
        {
            if (((sent[bit / 8] ^ arrived[k][bit / 8]) >> (bit % 8) & 1) != 0)
            {
                ++flipped;
                hit.insert(bit);
            }
        }
        ASSERT_EQ(flipped, 1U);
    }
    EXPECT_EQ(hit.size(), 800U);
}

TEST_F(FaultFilterTest, CopiesComeRightAfterTheirPackets)
{
    Send({"duplicate=0.25:*@0s"});
    EXPECT_NEAR(arrived.size() / double{PACKETS}, 1.25, 0.02);
    EXPECT_EQ(arrived.size(), PACKETS + GetCounters().duplicated);
    for (size_t k = 1; k < arrived.size(); ++k)
    {
        ASSERT_LE(GetNumber(arrived[k]) - GetNumber(arrived[k - 1]), 1U);
    }
}

TEST_F(FaultFilterTest, WhatIsHeldBackIsOvertaken)
{
    Send({"reorder=0.1,105us:*@0s"});
    ASSERT_EQ(arrived.size(), PACKETS);
    uint32_t late = 0;
    for (size_t k = 0; k < arrived.size(); ++k)
    {
        const Time delay = times[k] - MicroSeconds(10) * GetNumber(arrived[k]);
        ASSERT_TRUE(delay.IsZero() || delay == MicroSeconds(105));
        late += delay.IsZero() ? 0 : 1;
    }
    EXPECT_EQ(late, GetCounters().reordered);
    EXPECT_NEAR(late / double{PACKETS}, 0.1, 0.02);
}

TEST_F(FaultFilterTest, NothingCrossesALinkThatIsDownOrAPartition)
{
    Send({"down:0to1@20005us", "up:0to1@40005us", "partition:0|1@60005us", "heal@80005us"});
    ASSERT_EQ(arrived.size(), PACKETS - 4000);
    EXPECT_EQ(GetCounters().cut, 4000U);
    for (const auto& bytes : arrived)
    {
        const uint32_t k = GetNumber(bytes);
        EXPECT_TRUE(k <= 2000 || (k > 4000 && k <= 6000) || k > 8000) << k;
    }
}

// All faults act by learners on every kind of network, whatever is between the learners.
TEST_F(NetworkTest, FaultsWorkInEveryNetwork)
{
    std::vector<std::string> stars = test::ListCells();
    stars.emplace_back("tree:2");
    std::vector<std::string> names{"ideal", "p2p", "csma", "wifi-adhoc", "wifi-infra"};
    names.insert(names.end(), stars.begin(), stars.end());
    for (const std::string& name : names)
    {
        const bool star = std::count(stars.begin(), stars.end(), name) > 0;
        NetworkSetup setup;
        const Graph graph = star ? Star(3, 0) : Complete(3);
        if (star)
        {
            setup.server = 0;
        }
        auto network = Make(test::WithAttributes(name, {"Side=10"}), graph, setup);
        FaultSchedule faults;
        faults.Add("partition:0,1@0s");
        faults.Install(graph, *network, std::vector<Ptr<LearnerApplication>>(3), 1000000);
        UdpMesh mesh(*network);
        mesh.BurstToNeighbors(graph, 3);
        Simulate(network->GetReadyTime().GetSeconds() + 2);
        for (const auto& [pair, count] : mesh.received)
        {
            const bool together = pair.first != 2 && pair.second != 2;
            EXPECT_EQ(count, together ? 3U : 0U) << name;
        }
        EXPECT_EQ((mesh.received[{0, 1}] + mesh.received[{1, 0}]), 6U) << name;
        EXPECT_GE(faults.GetCounters().cut, 6U) << name;
        Simulator::Destroy();
    }
}

} // namespace
} // namespace ns3::dlearn
