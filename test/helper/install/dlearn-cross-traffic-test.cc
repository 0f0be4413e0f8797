/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-cross-traffic.h"
#include "ns3/dlearn-graph-generators.h"
#include "ns3/dlearn-network-factory.h"
#include "ns3/simulator.h"

#include <gtest/gtest.h>
#include <memory>

namespace ns3::dlearn
{
namespace
{

/** Traffic over a network with a link from learner 0 to each other one. */
class CrossTrafficTest : public testing::Test
{
  protected:
    ~CrossTrafficTest() override
    {
        Simulator::Destroy();
    }

    /** Send for some time, with packets of 512 bytes. */
    CrossTraffic::Counters Send(const std::string& text,
                                Time end,
                                const std::string& rate = "8Mbps")
    {
        m_network = CreateNetwork("p2p");
        NetworkOptions options;
        options.rate = DataRate(rate);
        options.server = 0;
        m_network->Build(MakeStar(4), options);
        CrossTraffic traffic = CrossTraffic::Parse(text);
        traffic.Install(*m_network, 7);
        Simulator::Stop(end);
        Simulator::Run();
        return traffic.GetCounters();
    }

    std::unique_ptr<Network> m_network; //!< of the last run
};

TEST_F(CrossTrafficTest, ReadsFlows)
{
    const auto flows =
        CrossTraffic::Parse("onoff:2Mbps:*to0,bulk:0to3,constant:1kbps:2to*").GetFlows();
    ASSERT_EQ(flows.size(), 3U);
    EXPECT_EQ(flows[0].kind, CrossTraffic::Kind::ON_OFF);
    EXPECT_EQ(flows[0].rate.GetBitRate(), 2000000U);
    EXPECT_FALSE(flows[0].from);
    EXPECT_EQ(flows[0].to, 0U);
    EXPECT_EQ(flows[1].kind, CrossTraffic::Kind::BULK);
    EXPECT_EQ(flows[1].from, 0U);
    EXPECT_EQ(flows[1].to, 3U);
    EXPECT_EQ(flows[2].kind, CrossTraffic::Kind::CONSTANT);
    EXPECT_FALSE(flows[2].to);
    EXPECT_TRUE(CrossTraffic::Parse("").GetFlows().empty());
}

TEST_F(CrossTrafficTest, RefusesWhatIsNoFlow)
{
    for (const char* text : {"x",
                             "onoff",
                             "onoff:1Mbps",
                             "onoff:1to2",
                             "bulk:1Mbps:1to2",
                             "bulk:1",
                             "bulk:1to1",
                             "bulk:*to*",
                             "bulk:1to-2",
                             "bulk:0to1,",
                             "bulk:ato1"})
    {
        ExpectRefused([&] { CrossTraffic::Parse(text); },
                      "CrossTraffic: a flow must be constant:RATE:LINK, onoff:RATE:LINK or "
                      "bulk:LINK, with a LINK like 1to2 or *to0 (from all others), got '");
    }
    ExpectRefused([] { CrossTraffic::Parse("onoff:fast:0to1"); },
                  "CrossTraffic: rate of 'onoff:fast:0to1'");
    ExpectRefused([this] { Send("bulk:0to4", Seconds(1)); },
                  "CrossTraffic: learner must be less than 4, got 4");
    ExpectRefused([this] { Send("bulk:1to2", Seconds(1)); }, "");
}

// A packet of 512 bytes every 512 * 8 / 1e6 s, from a start in the first 0.1 s on.
TEST_F(CrossTrafficTest, SendsAtTheRateAskedFor)
{
    const auto counters = Send("constant:1Mbps:0to1", Seconds(10));
    const double most = 1e6 / 8 * 10;
    EXPECT_LE(counters.sent, most + 512);
    EXPECT_GE(counters.sent, most * 0.99 - 512);
    EXPECT_LE(counters.sent - counters.received, 512U) << "one packet may be on its way";
}

// Half of the time on, half of it off: the defaults of OnOffApplication are 1 s each.
TEST_F(CrossTrafficTest, PausesWhenItIsOff)
{
    const auto counters = Send("onoff:1Mbps:0to1", Seconds(10));
    EXPECT_NEAR(static_cast<double>(counters.received), 1e6 / 8 * 5, 0.1 * 1e6 / 8 + 512);
}

// A star has a learner in its centre: three senders, each on a link of its own.
TEST_F(CrossTrafficTest, AllOthersSendToOne)
{
    const auto one = Send("constant:1Mbps:1to0", Seconds(5)).received;
    Simulator::Destroy();
    const auto all = Send("constant:1Mbps:*to0", Seconds(5)).received;
    EXPECT_NEAR(static_cast<double>(all), 3.0 * one, 0.03 * all);
}

// TCP over a link of 8 Mbit/s: segments of 536 bytes have 54 bytes of headers (PPP 2, IP 20, TCP
// 20 and 12 of time stamps).
TEST_F(CrossTrafficTest, BulkFillsTheLink)
{
    const auto counters = Send("bulk:0to1", Seconds(20));
    const double most = 8e6 / 8 * 20 * 536 / (536 + 54);
    EXPECT_LE(counters.received, most);
    EXPECT_GE(counters.received, 0.97 * most);
}

} // namespace
} // namespace ns3::dlearn
