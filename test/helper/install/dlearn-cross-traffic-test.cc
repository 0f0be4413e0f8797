/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"
#include "support/dlearn-test-networks.h"

#include "ns3/dlearn-cross-traffic.h"
#include "ns3/dlearn-graph-generators.h"
#include "ns3/dlearn-network.h"
#include "ns3/simulator.h"

#include <gtest/gtest.h>
#include <memory>
#include <vector>

namespace ns3::dlearn
{
namespace
{

/** Traffic over a network with a link from learner 0 to each other one. */
class CrossTrafficTest : public testing::Test
{
  protected:
    ~CrossTrafficTest() override { Simulator::Destroy(); }

    /** Send for some time, with packets of 512 bytes. */
    std::vector<CrossTraffic::Counters> Send(const std::string& text,
                                             Time end,
                                             const std::string& network = "p2p")
    {
        m_network = CreateNetwork(test::WithAttributes(network, {"Rate=8Mbps", "TrunkRate=4Mbps"}));
        NetworkSetup setup;
        setup.server = 0;
        m_network->Build(MakeStar(4), setup);
        CrossTraffic traffic = CrossTraffic::Parse(text);
        traffic.Install(*m_network, 7);
        Simulator::Stop(end);
        Simulator::Run();
        return traffic.GetCounters();
    }

    Ptr<Network> m_network; //!< of the last run
};

TEST_F(CrossTrafficTest, ReadsFlows)
{
    using Kind = CrossTraffic::Kind;
    using End = CrossTraffic::EndKind;
    const auto flows =
        CrossTraffic::Parse("onoff:2Mbps:*to0,bulk:0to3,constant:1kbps:2to*,bulk:node12torouter3")
            .GetFlows();

    const struct
    {
        Kind kind;
        uint64_t rate;
        End from;
        uint32_t fromNumber;
        End to;
        uint32_t toNumber;
    } wanted[] = {{Kind::ON_OFF, 2000000, End::ALL, 0, End::LEARNER, 0},
                  {Kind::BULK, 0, End::LEARNER, 0, End::LEARNER, 3},
                  {Kind::CONSTANT, 1000, End::LEARNER, 2, End::ALL, 0},
                  {Kind::BULK, 0, End::NODE, 12, End::ROUTER, 3}};

    ASSERT_EQ(flows.size(), std::size(wanted));
    for (size_t k = 0; k < flows.size(); ++k)
    {
        EXPECT_EQ(flows[k].kind, wanted[k].kind);
        EXPECT_EQ(flows[k].rate.GetBitRate(), wanted[k].rate);
        EXPECT_EQ(flows[k].from.kind, wanted[k].from);
        EXPECT_EQ(flows[k].from.number, wanted[k].fromNumber);
        EXPECT_EQ(flows[k].to.kind, wanted[k].to);
        EXPECT_EQ(flows[k].to.number, wanted[k].toNumber);
    }
    EXPECT_TRUE(CrossTraffic::Parse("").GetFlows().empty());
}

TEST_F(CrossTrafficTest, RefusesOtherTexts)
{
    for (const char* text : {"x",
                             "onoff:1Mbps",
                             "onoff:1to2",
                             "bulk:1Mbps:1to2",
                             "bulk:1",
                             "bulk:*to*",
                             "bulk:1to-2",
                             "bulk:0to1,",
                             "bulk:nodeto1",
                             "bulk:hub1to2",
                             "bulk:node1to*to2"})
    {
        ExpectRefused([&] { CrossTraffic::Parse(text); },
                      "cross-traffic: a flow must be constant:RATE:AtoB, onoff:RATE:AtoB or "
                      "bulk:AtoB; A and B are learners like 2, routers like router4, other nodes "
                      "like node12, or one of them * (all other learners); got '");
    }
    ExpectRefused([] { CrossTraffic::Parse("bulk:router1torouter1"); },
                  "cross-traffic: a flow must have two ends, got 'router1torouter1'");
    for (const auto& [flow, network, message] :
         {std::tuple("bulk:2tonode2",
                     "p2p",
                     "node 2 is that of learner 2, which flows call by its "
                     "number alone"),
          std::tuple("bulk:2torouter0", "p2p", "network p2p has no routers"),
          std::tuple("bulk:node5torouter1", "tree:2", "node 5 and router 1 must be two nodes")})
    {
        ExpectRefused([&, text = flow, name = network] { Send(text, Seconds(1), name); },
                      std::string("cross-traffic: ") + message);
        Simulator::Destroy();
    }
    ExpectRefused([this] { Send("bulk:1to2", Seconds(1)); }, ""); // not joined by a link
}

// A packet of 512 bytes every 512 * 8 / 1e6 s, from a start in the first 0.1 s on.
TEST_F(CrossTrafficTest, SendsAtTheRateAskedFor)
{
    const auto counters = Send("constant:1Mbps:0to1", Seconds(10)).front();
    const double most = 1e6 / 8 * 10;
    EXPECT_LE(counters.sent, most + 512);
    EXPECT_GE(counters.sent, most * 0.99 - 512);
    EXPECT_LE(counters.sent - counters.received, 512U) << "one packet may be on its way";
}

// Half of the time on, half of it off: the defaults of OnOffApplication are 1 s each.
TEST_F(CrossTrafficTest, PausesWhenItIsOff)
{
    const auto counters = Send("onoff:1Mbps:0to1", Seconds(10)).front();
    EXPECT_NEAR(static_cast<double>(counters.received), 1e6 / 8 * 5, 0.1 * 1e6 / 8 + 512);
    EXPECT_GT(counters.first, Seconds(1)) << "it begins with a pause";
    EXPECT_LT(counters.first, Seconds(1.1 + 512 * 8 / 1e6));
}

// A star has a learner in its centre: three senders, each on a link of its own.
TEST_F(CrossTrafficTest, AllOthersSendToOne)
{
    const uint64_t one = Send("constant:1Mbps:1to0", Seconds(5)).front().received;
    Simulator::Destroy();
    const auto all = Send("constant:1Mbps:*to0", Seconds(5));
    ASSERT_EQ(all.size(), 3U);
    for (const CrossTraffic::Counters& counters : all)
    {
        EXPECT_NEAR(static_cast<double>(counters.received), one, 0.03 * one);
    }
}

// TCP over a link of 8 Mbit/s: segments of 536 bytes have 54 bytes of headers (PPP 2, IP 20, TCP
// 20 and 12 of time stamps).
TEST_F(CrossTrafficTest, BulkFillsTheLink)
{
    const auto counters = Send("bulk:0to1", Seconds(20)).front();
    const double most = 8e6 / 8 * 20 * 536 / (536 + 54);
    EXPECT_LE(counters.received, most);
    EXPECT_GE(counters.received, 0.97 * most);
}

// A tree of four learners, of which 0 is the server, has the routers 0 (root), 1 (of 1 and 2) and 2
// (of 3). TCP between the routers has the trunks of 4 Mbit/s for itself, and the links of learners
// carry nothing of it.
TEST_F(CrossTrafficTest, LoadsTheTrunksAlone)
{
    const auto counters = Send("bulk:router1torouter2", Seconds(20), "tree:2").front();
    const double most = 4e6 / 8 * 20 * 536 / (536 + 54);
    EXPECT_LE(counters.received, most);
    EXPECT_GE(counters.received, 0.97 * most);
}

// Both ways; node 4 is router 0.
TEST_F(CrossTrafficTest, RoutersAndLearnersReachEachOther)
{
    const auto counters = Send("bulk:1torouter2,bulk:router0to3,constant:100kbps:router2to2,"
                               "onoff:1Mbps:node4to1",
                               Seconds(5),
                               "tree:2");
    ASSERT_EQ(counters.size(), 4U);
    for (const CrossTraffic::Counters& pair : counters)
    {
        EXPECT_GT(pair.received, 50000U);
    }
}

} // namespace
} // namespace ns3::dlearn
