/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Queues and schedules of links as text, and what they do to packets. What an outage does to
 * learners is tested in system/dlearn-asynchronous-peers-test.cc.
 */

#include "dlearn-network-test-support.h"

#include "ns3/dlearn-text-format.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/traffic-control-layer.h"
#include "ns3/wifi-mac-queue.h"
#include "ns3/wifi-mac.h"
#include "ns3/wifi-net-device.h"

namespace ns3::dlearn
{
namespace
{

class LinkQueuesTest : public NetworkTest
{
  protected:
    /** Build a network of two learners with queues of a user's choice. */
    void Build(const std::string& name, const std::string& disc, const std::string& size)
    {
        network = Make(test::WithAttributes(name, {"Rate=1Mbps"}),
                       Complete(2),
                       {},
                       {{"QueueDisc", disc}, {"QueueSize", size}});
        device = network->GetNodes().Get(0)->GetDevice(1);
        root =
            device->GetNode()->GetObject<TrafficControlLayer>()->GetRootQueueDiscOnDevice(device);
    }

    /** @return how many of a burst of packets arrive */
    uint32_t Send(uint32_t packets)
    {
        UdpMesh mesh(*network);
        mesh.Burst(0, network->GetAddress(0, 1), packets);
        Simulate(10);
        Simulator::Destroy();
        return mesh.received[{0, 1}];
    }

    Ptr<Network> network;
    Ptr<NetDevice> device; //!< of learner 0
    Ptr<QueueDisc> root;   //!< of that; null for none
};

TEST(LinkQueues, RefusesWhatNs3CanNotRead)
{
    for (const std::string size : {"0p", "-1p", "10", "p", "10x", "unlimited "})
    {
        ExpectRefused([&] { LinkQueues::Parse("fifo", size); },
                      "queue-size must be a number of packets (100p) or bytes (64kB) of at least "
                      "1, or unlimited, got '" +
                          size + "'");
    }
    for (const std::string disc : {"fair", "mq", "prio"})
    {
        ExpectRefused([&] { LinkQueues::Parse(disc, ""); },
                      "queue-disc must be one of cobalt, codel, fifo, fq-cobalt, fq-codel, fq-pie, "
                      "pfifo-fast, pie, red, tbf; got '" +
                          disc + "'");
    }
}

TEST_F(LinkQueuesTest, AreThoseOfNs3UnlessAskedFor)
{
    Build("p2p", "fq-codel", "");
    ASSERT_TRUE(root);
    EXPECT_EQ(root->GetInstanceTypeId().GetName(), "ns3::FqCoDelQueueDisc");
    EXPECT_EQ(root->GetMaxSize(), QueueSize("10240p"));
    EXPECT_EQ(DynamicCast<PointToPointNetDevice>(device)->GetQueue()->GetMaxSize(),
              QueueSize("100p"));
}

TEST_F(LinkQueuesTest, EveryDiscOfTheListWorks)
{
    for (const std::string& name : GetComponentNames(GetQueueDiscFamily()))
    {
        Build("p2p", name, "1000p");
        ASSERT_TRUE(root) << name;
        EXPECT_EQ(root->GetMaxSize(), QueueSize("1000p")) << name;
        EXPECT_EQ(Send(50), 50U) << name; // the device alone holds 100
    }
}

// The device keeps 100 packets and stops the disc, which has a place for 20; one is on the link.
TEST_F(LinkQueuesTest, ADiscIsAsLongAsAskedFor)
{
    for (const auto& [disc, size, expected] :
         {std::make_tuple("fifo", "20p", 1U + 100 + 20),
          std::make_tuple("none", "20p", 1U + 20),
          std::make_tuple("none", "", 1U + 100),
          std::make_tuple("none", "28600B", 1U + 20), // of 1400 + 30 bytes of headers
          std::make_tuple("none", "unlimited", 400U),
          std::make_tuple("fifo", "unlimited", 400U)})
    {
        Build("p2p", disc, size);
        EXPECT_EQ(Send(400), expected) << disc << " " << size;
    }
}

TEST_F(LinkQueuesTest, WifiHasADiscForEachCategory)
{
    Build("wifi-adhoc", "pie", "50p");
    ASSERT_TRUE(root);
    ASSERT_EQ(root->GetNQueueDiscClasses(), 4U);
    for (size_t k = 0; k < 4; ++k)
    {
        const auto child = root->GetQueueDiscClass(k)->GetQueueDisc();
        EXPECT_EQ(child->GetInstanceTypeId().GetName(), "ns3::PieQueueDisc");
        EXPECT_EQ(child->GetMaxSize(), QueueSize("50p"));
    }
    Build("wifi-adhoc", "none", "50p");
    EXPECT_FALSE(root);
    const auto mac = DynamicCast<WifiNetDevice>(device)->GetMac();
    EXPECT_EQ(mac->GetTxopQueue(AC_BE)->GetMaxSize(), QueueSize("50p"));
}

using Losses = std::vector<std::pair<Time, double>>;

TEST(LinkSchedule, ReadsEachDirectionForItself)
{
    const auto schedule =
        LinkSchedule::Parse("down:1-2@1s,loss=0.25:2to1@1500ms,up:1-2@2.5s,down:2to1@0s");
    EXPECT_EQ(schedule.GetEvents().size(), 6U);
    // For what 1 sends to 2, the schedule contains only down and up.
    EXPECT_EQ(schedule.GetLosses(1, 2, 0.1), (Losses{{Seconds(1), 1}, {MilliSeconds(2500), 0.1}}));
    EXPECT_EQ(schedule.GetLosses(2, 1, 0.1),
              (Losses{{Time(0), 1},
                      {Seconds(1), 1},
                      {MilliSeconds(1500), 1}, // while it is down
                      {MilliSeconds(2500), 0.25}}));
    EXPECT_TRUE(schedule.GetLosses(1, 3, 0.1).empty());
    EXPECT_TRUE(LinkSchedule::Parse("").GetEvents().empty());
}

TEST(LinkSchedule, TheLastWordCountsAtOneTime)
{
    LinkSchedule schedule;
    schedule.SetUp(Seconds(1), 0, 1, false);
    schedule.SetLoss(Seconds(1), 0, 1, 0.5);
    schedule.SetUp(Seconds(1), 0, 1, true);
    EXPECT_EQ(schedule.GetLosses(0, 1, 0).back(), std::make_pair(Seconds(1), 0.5));
}

TEST(LinkSchedule, TheLargestLossIsOneThatALinkHas)
{
    const auto largest = [](const std::string& text, double usual) {
        return LinkSchedule::Parse(text).GetLargestLoss(1, 2, usual);
    };
    EXPECT_EQ(largest("", 0.1), 0.1);
    EXPECT_EQ(largest("loss=0.3:1to2@0s", 0.5), 0.3); // from the beginning
    EXPECT_EQ(largest("loss=0.3:1to2@2s,loss=0.2:1to2@1s", 0.1), 0.3);
    EXPECT_EQ(largest("loss=0.3:1to2@2s", 0.5), 0.5); // until then
    EXPECT_EQ(largest("down:1-2@1s,up:1-2@2s", 0.1), 0.1);
    EXPECT_EQ(largest("loss=0.9:2to1@1s", 0.1), 0.1); // of the other direction
}

TEST(LinkSchedule, RefusesWhatIsNoEventAndQuotesIt)
{
    for (const std::string& text : SplitText(
             "down down:1-2 down@1s down@1s:1-2 break:1-2@1s Down:1-2@1s down:1@1s down:1-@1s "
             "down:1to@1s down:1>2@1s down:1-2-3@1s down:1-1@1s loss:1-2@1s loss=nan:1-2@1s ",
             ' '))
    {
        ExpectRefused([&] { LinkSchedule::Parse("down:0-1@1s," + text + ",up:0-1@1s"); },
                      "an event must be down:LINK@TIME, up:LINK@TIME or loss=P:LINK@TIME, with a "
                      "LINK like 0-1 (both ways) or 0to1, got '" +
                          text + "'");
    }
    ExpectRefused([] { LinkSchedule::Parse("down:0-1@soon"); },
                  "time of 'down:0-1@soon' must be a time of at least 0 with a unit");
    ExpectRefused([] { LinkSchedule::Parse("loss=1.5:0to1@1s"); },
                  "loss from learner 0 to 1 must be in [0, 1], got 1.5");
    ExpectRefused([] { LinkSchedule::Parse("down:0to1@1s,up:0-1@2s"); },
                  "links: 'up:0-1@2s': no down from 1 to 0 that it could end holds at that time, "
                  "so that it has no effect");
    ExpectRefused([] { LinkSchedule::Parse("down:0-1@2s,up:0to1@1s"); },
                  "no down from 0 to 1 that");
    EXPECT_NO_THROW(LinkSchedule::Parse("up:0to1@2s,down:0-1@1s"));
}

TEST(LinkSchedule, RefusesWhatChangesNothing)
{
    const auto refused = [](const std::string& text, const std::string& message) {
        ExpectRefused([&] { LinkSchedule::Parse(text); }, message);
    };
    refused("down:0-1@4ms,down:0-1@5ms",
            "links: 'down:0-1@5ms': holds already, so that it has no effect");
    refused("down:0-1@1s,up:0-1@2s,up:0to1@3s", "'up:0to1@3s': no down from 0 to 1 that it could");
    refused("up:0-1@1s,down:0-1@1s", "'up:0-1@1s': no down from 0 to 1 that it could end holds");
    refused("loss=0.1:0-1@1s,loss=0.1:1to0@2s", "'loss=0.1:1to0@2s': holds already");
    refused("loss=0.1:0-1@1s,loss=0.9:0-1@1s",
            "links: 'loss=0.9:0-1@1s': replaces 'loss=0.1:0-1@1s' at the same time, which has no "
            "effect then");
    refused("down:0-1@1s,up:0-1@1s", "'up:0-1@1s': replaces 'down:0-1@1s' at the same time");
    EXPECT_NO_THROW(LinkSchedule::Parse("loss=0:0-1@0s,loss=0.1:0-1@1s,loss=0.2:0to1@1s"));
    EXPECT_NO_THROW(
        LinkSchedule::Parse("down:0to1@1s,down:0-1@2s,up:0-1@3s,down:0-1@4s,up:0-1@5s"));
}

// Hoeffding: a share of 4,000 independent packets is further than 0.045 from its mean with
// probability less than 2 exp(-2 * 4000 * 0.045^2) = 2e-7; six shares are checked.
TEST_F(NetworkTest, EachDirectionHasTheLossThatWasAskedFor)
{
    for (const std::string name : {"ideal", "p2p"})
    {
        NetworkSetup setup;
        setup.schedule = LinkSchedule::Parse("loss=0.4:0to1@0s,loss=0:2to1@0s");
        const Graph graph = Complete(3);
        auto network =
            Make(test::WithAttributes(name, {"Loss=0.1", "QueueDisc=none", "QueueSize=unlimited"}),
                 graph,
                 setup);
        UdpMesh mesh(*network);
        mesh.BurstToNeighbors(graph, 4000);
        Simulate(20);
        EXPECT_NEAR((mesh.received[{0, 1}]) / 4000.0, 0.6, 0.045) << name;
        EXPECT_NEAR((mesh.received[{1, 0}]) / 4000.0, 0.9, 0.045) << name;
        EXPECT_NEAR((mesh.received[{1, 2}]) / 4000.0, 0.9, 0.045) << name;
        EXPECT_EQ((mesh.received[{2, 1}]), 4000) << name;
        Simulator::Destroy();
    }
}

TEST_F(NetworkTest, NothingArrivesWhileALinkIsDown)
{
    for (const std::string name : {"ideal", "p2p"})
    {
        NetworkSetup setup;
        setup.schedule =
            LinkSchedule::Parse("down:0-1@1005ms,up:0-1@2005ms,down:2to0@1505ms,up:2to0@1605ms");
        auto network = Make(name, Complete(3), setup);
        UdpMesh mesh(*network);
        for (uint32_t k = 0; k < 300; ++k) // one each 10 ms, 1 ms on its way
        {
            for (const auto& [from, to] :
                 std::vector<std::pair<LearnerId, LearnerId>>{{0, 1}, {1, 0}, {2, 0}, {0, 2}})
            {
                mesh.Burst(from, network->GetAddress(from, to), 1, 50, MilliSeconds(10 * k));
            }
        }
        Simulate(4);
        EXPECT_EQ((mesh.received[{0, 1}]), 200U) << name;
        EXPECT_EQ((mesh.received[{1, 0}]), 200U) << name;
        EXPECT_EQ((mesh.received[{2, 0}]), 290U) << name;
        EXPECT_EQ((mesh.received[{0, 2}]), 300U) << name;
        Simulator::Destroy();
    }
}

// Of the packets at 0.5, 1.5, 2.5 and 3.8 s the second has no link, and the last, 0.5 s on its way,
// comes when the link is down again.
TEST_F(NetworkTest, LinksAreUpInTheirWindowsWithTheirDelays)
{
    const std::string path = testing::TempDir() + "windows.csv";
    std::ofstream(path) << "0, 1, 2, 4, 0.5\n1, 0, 0, 1, 0.001\n";
    for (const std::string name : {"ideal", "p2p"})
    {
        NetworkSetup setup;
        setup.schedule = LinkSchedule::Parse("windows:" + path);
        auto network = Make(name, Complete(3), setup);
        UdpMesh mesh(*network);
        for (const int64_t time : {500, 1500, 2500, 3800})
        {
            mesh.Burst(0, network->GetAddress(0, 1), 1, 50, MilliSeconds(time));
            mesh.Burst(1, network->GetAddress(1, 0), 1, 50, MilliSeconds(time));
            mesh.Burst(0, network->GetAddress(0, 2), 1, 50, MilliSeconds(time));
        }
        Simulate(6);
        EXPECT_EQ((mesh.received[{0, 1}]), 2U) << name;
        EXPECT_EQ((mesh.received[{1, 0}]), 2U) << name;
        EXPECT_EQ((mesh.received[{0, 2}]), 4U) << name << ": not in the file";
        Simulator::Destroy();
    }
    std::ofstream(path) << "0,1,2,4\n1,0,3,5\n";
    ExpectRefused([&] { LinkSchedule::Parse("windows:" + path); },
                  "windows.csv: window 2 must not touch another of the link of 1 and 0");
    std::ofstream(path) << "0,1,2,2\n";
    ExpectRefused([&] { LinkSchedule::Parse("windows:" + path); }, "windows.csv: window 1 must");
}

TEST_F(NetworkTest, SchedulesNeedLinksOfTheirOwn)
{
    NetworkSetup setup;
    setup.schedule = LinkSchedule::Parse("down:0-1@1s");
    ExpectBuildRefused(
        "tree:2",
        Complete(3),
        setup,
        "tree:2: a schedule of links needs a network in which neighbours have links");
    setup.schedule = LinkSchedule::Parse("down:2to1@1s");
    ExpectBuildRefused(
        "p2p",
        Star(3, 0),
        setup,
        "p2p: the schedule of links has one of learners 2 and 1, which are not neighbours");
}

} // namespace
} // namespace ns3::dlearn
