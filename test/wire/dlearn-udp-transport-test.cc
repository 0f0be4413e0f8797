/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "app/dlearn-net-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-broadcast-queue.h"
#include "ns3/dlearn-network.h"
#include "ns3/dlearn-udp-transport.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

using test::Complete;
using test::Exact;
using test::ExchangeNet;
using test::IpTally;
using test::Pair;
using test::Recorder;

/** Defaults that a test changes are back when it is over. */
class UdpTransportTest : public testing::Test
{
  protected:
    void TearDown() override { Config::Reset(); }

    static void SetDefault(const std::string& name, const AttributeValue& value)
    {
        Config::SetDefault("ns3::dlearn::UdpTransport::" + name, value);
    }
};

std::vector<Time>
ArrivalTimes(const Recorder& recorder)
{
    std::vector<Time> times;
    for (const auto& entry : recorder.entries)
    {
        times.push_back(entry.when);
    }
    return times;
}

// 640 = 700 - 60 bytes of numbers fit a packet, so 4000 take seven; with 1500, three of 1440.
TEST_F(UdpTransportTest, DatagramsFitThePacketsOfTheNetwork)
{
    for (const auto& [mtu, packets, largest] :
         {std::tuple(700U, 7U, 700U), std::tuple(1500U, 3U, 1500U), std::tuple(9000U, 3U, 1500U)})
    {
        ExchangeNet net("p2p,mtu=" + std::to_string(mtu), Pair(), 1000);
        const IpTally tally(net.network->GetNodes().Get(0));
        net.Open();
        net.SendAt(Seconds(1), 0, {1}, 0, Exact(1000, 1));
        Simulator::Stop(Seconds(2));
        Simulator::Run();
        EXPECT_EQ(net.recorders[1].GetVectors(), std::vector<ModelVector>{Exact(1000, 1)});
        EXPECT_EQ(tally.packets, packets) << mtu;
        EXPECT_EQ(tally.largest, largest) << mtu;
    }
}

TEST_F(UdpTransportTest, UnicastOverASharedBus)
{
    ExchangeNet net("csma", Complete(4), 1000);
    net.Open();
    for (LearnerId from = 0; from < 4; ++from)
    {
        std::vector<LearnerId> others;
        for (LearnerId to = 0; to < 4; ++to)
        {
            if (to != from)
            {
                others.push_back(to);
            }
        }
        net.SendAt(Seconds(1), from, others, 0, Exact(1000, from));
    }
    Simulator::Run();
    for (const Recorder& recorder : net.recorders)
    {
        EXPECT_EQ(recorder.GetVectors().size(), 3U);
        for (const auto& entry : recorder.entries)
        {
            EXPECT_EQ(entry.arrival->values, Exact(1000, entry.source.first));
        }
    }
}

TEST_F(UdpTransportTest, LostDatagramsLeaveHolesWhereTheyWere)
{
    const uint32_t fragments = 40;
    ExchangeNet net("p2p,loss=0.3", Pair(), 360 * fragments);
    net.Open();
    const ModelVector sent = Exact(360 * fragments, 1);
    net.SendAt(Seconds(1), 0, {1}, 0, sent);
    Simulator::Run();
    EXPECT_TRUE(net.recorders[1].entries.empty());
    const uint64_t arrived = net.exchanges[1]->GetTransport()->GetRxBytes() / 1472;
    // All or none of 40 at 30 % loss: 6e-7; the streams are fixed.
    ASSERT_GT(arrived, 0U);
    ASSERT_LT(arrived, fragments);
    const auto arrival = net.exchanges[1]->TakePartial({0, ModelChannel::STATE}, 0);
    ASSERT_TRUE(arrival.has_value());
    EXPECT_EQ(std::count(arrival->present.begin(), arrival->present.end(), true), 360 * arrived);
    for (uint32_t k = 0; k < 360 * fragments; ++k)
    {
        ASSERT_EQ(arrival->present[k], arrival->present[k / 360 * 360]); // whole datagrams
        ASSERT_EQ(arrival->values[k], arrival->present[k] ? sent[k] : 0.0);
    }
}

// A datagram of 360 numbers has 1472 bytes, and 28 of UDP and IP; at 1.5 Mbit/s it takes 8 ms.
TEST_F(UdpTransportTest, PacingSpacesDatagramsWithinAndBetweenMessages)
{
    SetDefault("PacingRate", DataRateValue(DataRate("1500kbps")));
    ExchangeNet net("ideal", Complete(3), 360);
    net.Open();
    net.SendAt(MilliSeconds(1000), 0, {1, 2}, 0, Exact(360)); // 1000, each on its link
    net.SendAt(MilliSeconds(1000), 0, {1}, 1, Exact(360));    // 1008
    net.SendAt(MilliSeconds(1015), 0, {1}, 2, Exact(360));    // 1016: 8 after the last
    net.SendAt(MilliSeconds(1007), 0, {2}, 3, Exact(360));    // 1008
    net.SendAt(MilliSeconds(1100), 0, {1}, 4, Exact(360));    // 1100: nothing before it
    Simulator::Run();
    EXPECT_EQ(ArrivalTimes(net.recorders[1]),
              (std::vector<Time>{MilliSeconds(1000),
                                 MilliSeconds(1008),
                                 MilliSeconds(1016),
                                 MilliSeconds(1100)}));
    EXPECT_EQ(ArrivalTimes(net.recorders[2]),
              (std::vector<Time>{MilliSeconds(1000), MilliSeconds(1008)}));
}

TEST_F(UdpTransportTest, SettleWithdrawsWhatDidNotLeave)
{
    SetDefault("PacingRate", DataRateValue(DataRate("1500kbps")));
    ExchangeNet net("ideal", Pair(), 720); // two datagrams
    net.Open();
    net.SendAt(MilliSeconds(1000), 0, {1}, 0, Exact(720, 0)); // 1000 and 1008
    net.SendAt(MilliSeconds(1000), 0, {1}, 1, Exact(720, 1)); // 1016 and 1024
    net.SendAt(MilliSeconds(1000), 0, {1}, 2, Exact(720, 2)); // not before 1032
    bool zero = false;
    bool one = true;
    bool none = true;
    Simulator::Schedule(MilliSeconds(1004), [&] {
        zero = net.exchanges[0]->Settle(0); // half of it left; the other half will follow
        one = net.exchanges[0]->Settle(1);  // nothing left: must not leave any more
        none = net.exchanges[0]->Settle(9); // never sent
    });
    Simulator::Run();
    EXPECT_TRUE(zero);
    EXPECT_FALSE(one);
    EXPECT_FALSE(none);
    EXPECT_EQ(net.recorders[1].GetVectors(),
              (std::vector<ModelVector>{Exact(720, 0), Exact(720, 2)}));
    EXPECT_EQ(ArrivalTimes(net.recorders[1]),
              (std::vector<Time>{MilliSeconds(1008), MilliSeconds(1024)}));
}

TEST_F(UdpTransportTest, WhatTheStackRefusesHasNotLeft)
{
    const auto network = CreateNetwork("ideal");
    network->Build(Pair(), {});
    const auto exchange = CreateObject<MessageExchange>();
    exchange->Setup(network->GetNodes().Get(0), 0, {{1, Ipv4Address("192.168.9.9")}}, 720);
    exchange->Open();
    exchange->Send(0, {ModelChannel::STATE, {1}, Exact(720)}); // no route there
    EXPECT_EQ(exchange->GetTransport()->GetTxRefused(), 2U);
    EXPECT_EQ(exchange->GetTransport()->GetTxBytes(), 0U);
    EXPECT_FALSE(exchange->Settle(0));
    exchange->Dispose();
    Simulator::Destroy();
}

TEST_F(UdpTransportTest, ClosesAndOpensAgain)
{
    SetDefault("PacingRate", DataRateValue(DataRate("1500kbps")));
    ExchangeNet net("ideal", Pair(), 720);
    net.Open();
    net.SendAt(MilliSeconds(1000), 0, {1}, 0, Exact(720)); // the second half never leaves
    Simulator::Schedule(MilliSeconds(1004), [&net] {
        net.exchanges[0]->Close();
        net.exchanges[0]->Open();
        EXPECT_FALSE(net.exchanges[0]->Settle(0)); // forgotten with everything else
    });
    net.SendAt(MilliSeconds(1020), 0, {1}, 1, Exact(720, 1));
    Simulator::Schedule(MilliSeconds(1100), [&net] { net.exchanges[1]->Close(); });
    net.SendAt(MilliSeconds(1110), 0, {1}, 2, Exact(720, 2)); // no learner listens
    Simulator::Schedule(MilliSeconds(1200), [&net] { net.exchanges[1]->Open(); });
    net.SendAt(MilliSeconds(1210), 0, {1}, 3, Exact(720, 3));
    Simulator::Run();
    EXPECT_EQ(net.recorders[1].GetVectors(),
              (std::vector<ModelVector>{Exact(720, 1), Exact(720, 3)}));
}

TEST_F(UdpTransportTest, MayBeClosedByItsCallback)
{
    ExchangeNet net("ideal", Pair(), 4);
    uint32_t told = 0;
    std::function<void()> close = [&net, &told] {
        ++told;
        net.exchanges[1]->Close();
    };

    /** A sink that closes the exchange from within. */
    struct Sink
    {
        std::function<void()> action;

        void Offer(const MessageSource&, uint32_t, std::optional<Arrival>&) { action(); }
    } sink{close};

    net.exchanges[1]->SetSink(MakeCallback(&Recorder::Classify, &net.recorders[1]),
                              MakeCallback(&Sink::Offer, &sink));
    net.Open();
    for (uint32_t round = 0; round < 3; ++round)
    {
        net.SendAt(Seconds(1), 0, {1}, round, Exact(4));
    }
    Simulator::Run();
    EXPECT_EQ(told, 1U);
}

/** Closes an exchange when its node sends a packet. */
class Closer
{
  public:
    Closer(Ptr<Node> node, Ptr<MessageExchange> exchange)
        : m_exchange(exchange)
    {
        node->GetObject<Ipv4>()->TraceConnectWithoutContext("Tx",
                                                            MakeCallback(&Closer::Close, this));
    }

    uint32_t packets{0}; //!< sent so far

  private:
    void Close(Ptr<const Packet>, Ptr<Ipv4>, uint32_t)
    {
        ++packets;
        m_exchange->Close();
    }

    Ptr<MessageExchange> m_exchange;
};

// From within the sending of the first of three datagrams, for the first of two recipients.
TEST_F(UdpTransportTest, MayBeClosedByAListenerWhenItSends)
{
    ExchangeNet net("ideal", Complete(3), 1000);
    net.Open();
    Closer closer(net.network->GetNodes().Get(0), net.exchanges[0]);
    net.SendAt(Seconds(1), 0, {1, 2}, 0, Exact(1000));
    Simulator::Run();
    EXPECT_EQ(closer.packets, 1U);
    EXPECT_TRUE(net.recorders[1].entries.empty());
    EXPECT_FALSE(net.exchanges[0]->Settle(0)); // forgotten with everything else
}

TEST_F(UdpTransportTest, RefusesAPortInUseAndOddFragments)
{
    {
        ExchangeNet net("ideal", Pair(), 1);
        net.Open();
        const auto second = CreateObject<MessageExchange>();
        second->Setup(net.network->GetNodes().Get(0), 5, {}, 1);
        const std::string node = std::to_string(net.network->GetNodes().Get(0)->GetId());
        ExpectRefused([&] { second->Open(); },
                      "UdpTransport: port 4660 of node " + node +
                          " is in use; give this learner another one by its attribute "
                          "Port");
        second->Dispose();
    }
    SetDefault("FragmentSize", UintegerValue(1444));
    ExpectRefused([] { ExchangeNet net("ideal", Pair(), 1); },
                  "FragmentSize must be a multiple of 8, got 1444");
}

/** Notes when a turn begins. */
class MediumTurnTest : public testing::Test
{
  protected:
    MediumTurnTest()
        : m_turn([this] { m_begun.push_back(Simulator::Now()); })
    {
        m_turn.AssignStreams(7);
        m_turn.SetSpread(MilliSeconds(16));
    }

    ~MediumTurnTest() override { Simulator::Destroy(); }

    /** @return what the turn waits for when all is quiet, the first time */
    Time GetDraw()
    {
        const auto random = CreateObject<UniformRandomVariable>();
        random->SetStream(7);
        return MilliSeconds(16) * int64x64_t(random->GetValue(0, 1));
    }

    std::vector<Time> m_begun;
    MediumTurn m_turn;
};

TEST_F(MediumTurnTest, BeginsAfterTheDrawnTime)
{
    m_turn.Request();
    m_turn.Request(); // no second one
    Simulator::Run();
    EXPECT_EQ(m_begun, std::vector<Time>{GetDraw()});
}

TEST_F(MediumTurnTest, DrawsUniformly)
{
    Time sum;
    Time most;
    for (uint32_t k = 0; k < 1000; ++k)
    {
        const Time before = Simulator::Now();
        m_turn.Request();
        Simulator::Run();
        sum += Simulator::Now() - before;
        most = Max(most, Simulator::Now() - before);
    }
    // Mean 8 ms, standard deviation 16/sqrt(12 * 1000) = 0.146 ms: six of them.
    EXPECT_NEAR(sum.GetSeconds(), 8, 0.9);
    EXPECT_LT(most, MilliSeconds(16));
}

// The count stands still from a millionth of it on for 50 ms, and for 10 more.
TEST_F(MediumTurnTest, CountsOnlyWhileTheMediumIsQuiet)
{
    const Time part = NanoSeconds(GetDraw().GetNanoSeconds() / 4);
    m_turn.Request();
    Simulator::Schedule(part, &MediumTurn::SetBusy, &m_turn, MilliSeconds(50));
    Simulator::Schedule(part + MilliSeconds(30), &MediumTurn::SetBusy, &m_turn, MilliSeconds(40));
    Simulator::Schedule(part * 2 + MilliSeconds(70),
                        &MediumTurn::SetBusy,
                        &m_turn,
                        MilliSeconds(5));
    Simulator::Run();
    EXPECT_EQ(m_begun, std::vector<Time>{GetDraw() + MilliSeconds(75)});
}

TEST_F(MediumTurnTest, IsToldWhenAnotherTurnIsOver)
{
    m_turn.SetBusy(Seconds(1));
    m_turn.Request();
    Simulator::Schedule(MilliSeconds(100), &MediumTurn::SetBusy, &m_turn, Time(0));
    Simulator::Run();
    EXPECT_EQ(m_begun, std::vector<Time>{GetDraw() + MilliSeconds(100)});
}

TEST_F(MediumTurnTest, CanBeCancelled)
{
    m_turn.Request();
    m_turn.Cancel();
    Simulator::Run();
    EXPECT_TRUE(m_begun.empty());
}

} // namespace
} // namespace ns3::dlearn
