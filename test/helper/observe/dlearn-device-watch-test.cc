/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "helper/network/dlearn-network-test-support.h"

#include "ns3/dlearn-link-statistics.h"
#include "ns3/dlearn-round-phases.h"
#include "ns3/node-list.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/queue-disc.h"
#include "ns3/queue.h"
#include "ns3/simulator.h"
#include "ns3/traffic-control-layer.h"
#include "ns3/wifi-mac-header.h"
#include "ns3/wifi-net-device.h"
#include "ns3/wifi-phy-state-helper.h"
#include "ns3/wifi-phy.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <map>

namespace ns3::dlearn
{
namespace
{

/** The devices of a network, and what their nodes do. */
class DeviceWatchTest : public NetworkTest
{
  protected:
    /** Build a network of two learners that reach each other. */
    void Build(const std::string& name)
    {
        m_network = Make(name, Complete(2));
        m_mesh = std::make_unique<UdpMesh>(*m_network);
        m_links = std::make_unique<LinkStatistics>(m_network->GetNodes(), [this](const Node& node) {
            return &m_activities[node.GetId()];
        });
    }

    void TearDown() override
    {
        m_links.reset();
        m_mesh.reset();
        m_network = nullptr;
        NetworkTest::TearDown();
    }

    /** @return the record of the device of learner 0 */
    LinkRecord GetRecord() const
    {
        const auto records = m_links->GetRecords();
        return *std::find_if(records.begin(), records.end(), [](const auto& record) {
            return record.from == "0";
        });
    }

    /** @return seconds that the node of learner 0 has been in a phase */
    double GetTime(NodeActivity::Phase phase)
    {
        return m_activities[m_network->GetNodes().Get(0)->GetId()].GetTimes()[phase].GetSeconds();
    }

    std::map<uint32_t, NodeActivity> m_activities; //!< by node
    Ptr<Network> m_network;                        //!< under the learners
    std::unique_ptr<UdpMesh> m_mesh;               //!< sends
    std::unique_ptr<LinkStatistics> m_links;       //!< under test
};

// What leaves a queue disc and does not come to the device waits no longer, and is lost.
TEST_F(DeviceWatchTest, WhatTheDeviceDoesNotTakeIsADrop)
{
    Build("p2p,rate=1Mbps,queuedisc=fq-codel");
    m_mesh->Burst(0,
                  m_network->GetAddress(0, 1),
                  300,
                  1000); // 1030 bytes on the link: 8.24 ms each
    const auto device = m_network->GetNodes().Get(0)->GetDevice(1);
    const auto disc =
        device->GetNode()->GetObject<TrafficControlLayer>()->GetRootQueueDiscOnDevice(device);
    uint32_t removed = 0;
    Simulator::Schedule(MilliSeconds(50), [&] {
        for (; disc->Dequeue(); ++removed)
        {
        }
    });
    Simulate(10);
    EXPECT_GT(removed, 150U);
    EXPECT_EQ(m_mesh->arrivals.size(), 300 - removed);
    EXPECT_EQ(GetRecord().queueDrops, removed);
    EXPECT_NEAR(GetTime(NodeActivity::SENDING), (300 - removed) * 0.00824, 1e-6);
    EXPECT_NEAR(GetTime(NodeActivity::WAITING), 10 - (300 - removed) * 0.00824, 1e-6);
}

// A station that has not joined its access point gives packets away.
TEST_F(DeviceWatchTest, WhatAStationCanNotSendYetIsADrop)
{
    Build("wifi-infra");
    m_mesh->Burst(0, m_network->GetAddress(0, 1), 20, 500, Time(0) - m_network->GetReadyTime());
    Simulate(10);
    EXPECT_EQ(m_mesh->arrivals.size(), 0U);
    EXPECT_EQ(GetRecord().queueDrops, 20U);
    EXPECT_GT(GetTime(NodeActivity::WAITING), 9.9);
}

// Of a frame that is under way at the end, what was sent until then counts.
TEST_F(DeviceWatchTest, BusyUntilTheEndOfLearning)
{
    Build("p2p,rate=1Mbps");
    m_mesh->Burst(0, m_network->GetAddress(0, 1), 3, 1000, MilliSeconds(10));
    for (const auto& [end, share] :
         std::map<double, double>{{0.014, 4 / 14.}, {0.02, 10 / 20.}, {0.04, 24.72 / 40}})
    {
        Simulator::Schedule(Seconds(end), [this, end = end, share = share] {
            EXPECT_NEAR(GetRecord().busy, share, 1e-9) << "so far, at " << end;
            m_links->NoteEnd(true);
            EXPECT_NEAR(GetRecord().busy, share, 1e-9) << "until " << end;
            m_links->NoteEnd(false);
        });
    }
    Simulate(1);
}

/** Cuts transmissions of a device of Wi-Fi into halves. */
struct Halves
{
    LinkStatistics* links;                         //!< asked in the middle of each
    std::function<LinkRecord()> find;              //!< record of the device
    Time sent;                                     //!< by transmissions before
    std::vector<std::pair<double, double>> shares; //!< of the time: right and recorded

    /** Trace State. */
    void HandleState(Time /* start */, Time duration, WifiPhyState state)
    {
        if (state != WifiPhyState::TX)
        {
            return;
        }
        Simulator::Schedule(duration / 2, [this, duration] {
            const Time right = sent + duration / 2;
            shares.emplace_back(right.GetSeconds() / Simulator::Now().GetSeconds(), find().busy);
            sent += duration;
        });
    }
};

TEST_F(DeviceWatchTest, BusyInTheMiddleOfAFrameOfWifi)
{
    Build("wifi-adhoc");
    m_mesh->Burst(0, m_network->GetAddress(0, 1), 5, 1000, MilliSeconds(1));
    Halves halves{m_links.get(), [this] { return GetRecord(); }, Time(0), {}};
    DynamicCast<WifiNetDevice>(m_network->GetNodes().Get(0)->GetDevice(1))
        ->GetPhy()
        ->GetState()
        ->TraceConnectWithoutContext("State", MakeCallback(&Halves::HandleState, &halves));
    Simulate(1);
    EXPECT_GE(halves.shares.size(), 2U); // some frames may be one A-MPDU
    for (const auto& [right, recorded] : halves.shares)
    {
        EXPECT_NEAR(recorded, right, 1e-9);
    }
}

/** Frames that a device of Wi-Fi with one receiver sends again. */
struct Repeats
{
    bool rts{false};   //!< whether the last frame was an RTS
    bool again{false}; //!< whether that which begins is sent again
    uint32_t count{0}; //!< RTS sent again
    Time time;         //!< of frames sent again

    /** Trace PhyTxBegin. */
    void HandleTx(Ptr<const Packet> packet, double /* power */)
    {
        WifiMacHeader header;
        packet->PeekHeader(header);
        again = header.IsRts() ? rts : header.IsRetry();
        count += again && header.IsRts() ? 1 : 0;
        rts = header.IsRts();
    }

    /** Trace State, which follows. */
    void HandleState(Time /* start */, Time duration, WifiPhyState state)
    {
        time += state == WifiPhyState::TX && again ? duration : Time(0);
    }
};

// An RTS that is not answered is sent again, although ns-3 does not mark it. With 10 % of the
// frames lost, 19 % of them are not answered; that one fails seven times in a row, so that the next
// one is of another packet, has a probability of 9e-6 for each packet.
TEST_F(DeviceWatchTest, AnRtsIsSentAgain)
{
    Build("wifi-adhoc,loss=0.1");
    m_mesh->Burst(0, m_network->GetAddress(0, 1), 300, 1400);
    Repeats repeats;
    const auto phy =
        DynamicCast<WifiNetDevice>(m_network->GetNodes().Get(0)->GetDevice(1))->GetPhy();
    phy->TraceConnectWithoutContext("PhyTxBegin", MakeCallback(&Repeats::HandleTx, &repeats));
    phy->GetState()->TraceConnectWithoutContext("State",
                                                MakeCallback(&Repeats::HandleState, &repeats));
    Simulate(10);
    EXPECT_GT(repeats.count, 5U);
    EXPECT_NEAR(GetTime(NodeActivity::SENDING_AGAIN), repeats.time.GetSeconds(), 1e-9);
}

/** Tells an activity what happens at which second. */
class NodeActivityTest : public testing::Test
{
  protected:
    ~NodeActivityTest() override { Simulator::Destroy(); }

    void At(double seconds, const std::function<void()>& action)
    {
        Simulator::Schedule(Seconds(seconds), action);
    }

    /** @return seconds of the phases, in their order, until a time */
    std::vector<double> GetTimesAt(double seconds)
    {
        Simulator::Stop(Seconds(seconds));
        Simulator::Run();
        std::vector<double> times;
        for (const Time& time : activity.GetTimes())
        {
            times.push_back(time.GetSeconds());
        }
        return times;
    }

    NodeActivity activity; //!< what it does
};

TEST_F(NodeActivityTest, WaitsWhenItDoesNothing)
{
    EXPECT_EQ(GetTimesAt(3), (std::vector<double>{0, 0, 0, 0, 3}));
}

// Computing goes before sending, a new frame before one that is sent again, and that before waiting
// packets; frames end by themselves or are ended.
TEST_F(NodeActivityTest, DoesTheFirstPhaseThatApplies)
{
    At(0, [this] { activity.Compute(Seconds(2)); });
    At(1, [this] { activity.AddWaiting(2); });
    At(1, [this] { activity.BeginSending(false); });
    At(3, [this] { activity.EndSending(false); });
    At(4, [this] { activity.BeginSending(true); });
    At(5, [this] { activity.Send(Seconds(1), false); });
    At(7, [this] { activity.EndSending(true); });
    At(9, [this] { activity.AddWaiting(-2); });
    // 0-2 computing, 2-3 sending, 3-4 queue, 4-5 again, 5-6 sending, 6-7 again, 7-9 queue, 9-10.
    EXPECT_EQ(GetTimesAt(10), (std::vector<double>{2, 2, 2, 3, 1}));
}

TEST_F(NodeActivityTest, ComputingMayEndEarly)
{
    At(1, [this] { activity.Compute(Seconds(5)); });
    At(2, [this] { activity.Compute(Time(0)); });
    EXPECT_EQ(GetTimesAt(4), (std::vector<double>{1, 0, 0, 0, 3}));
}

} // namespace
} // namespace ns3::dlearn
