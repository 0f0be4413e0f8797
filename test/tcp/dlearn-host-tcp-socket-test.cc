/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-tcp-pair.h"

#include "ns3/config.h"
#include "ns3/dlearn-host-tcp-socket.h"
#include "ns3/double.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/string.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>
#include <list>
#include <memory>
#include <string>
#include <vector>

namespace ns3::dlearn
{

namespace
{

constexpr uint32_t SEGMENT_SIZE = 1000; //!< bytes
const Time DELAY = MilliSeconds(20);    //!< one way; segments take 1 us

/** The server sends messages to the client; the k-th packet that the client gets is dropped. */
class HostTcpSocketTest : public testing::Test
{
  protected:
    HostTcpSocketTest()
    {
        Simulator::Destroy();
        Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(SEGMENT_SIZE));
        m_pair = std::make_unique<TcpPair>("10Gbps", DELAY);
        m_pair->client.total = 1; // so that the server accepts the call
        m_pair->Connect();
        Simulator::Stop(Seconds(1));
        Simulator::Run();
        m_pair->client.onBytes = [this] { m_arrived = Simulator::Now(); };
        m_pair->devices.Get(0)->TraceConnectWithoutContext(
            "PhyTxBegin",
            MakeCallback(&HostTcpSocketTest::HandleSent, this));
    }

    ~HostTcpSocketTest() override
    {
        m_pair->End();
        Config::Reset();
    }

    /**
     * @param segments of a message that the server sends now
     * @param dropped packets that do not arrive, from 0 on
     * @return time until all of it has arrived
     */
    Time Send(uint32_t segments, const std::list<uint32_t>& dropped = {})
    {
        const auto model = CreateObject<ReceiveListErrorModel>();
        model->SetList(dropped);
        m_pair->Lose(model, 1);
        const Time begin = Simulator::Now();
        m_sent.clear();
        m_pair->server.total += segments * SEGMENT_SIZE;
        m_pair->server.Push();
        Simulator::Stop(Seconds(10));
        Simulator::Run();
        EXPECT_EQ(m_pair->client.received, m_pair->server.total);
        EXPECT_TRUE(m_pair->client.intact);
        return m_arrived - begin;
    }

    /** A packet leaves the server. */
    void HandleSent(Ptr<const Packet> packet)
    {
        if (packet->GetSize() > SEGMENT_SIZE)
        {
            m_sent.push_back(Simulator::Now());
        }
    }

    /**
     * @param from a time
     * @param to another one
     * @return segments with data that the server sent between, in the last message
     */
    uint32_t CountSent(Time from, Time to) const
    {
        return std::count_if(m_sent.begin(), m_sent.end(), [&](Time time) {
            return time >= from && time < to;
        });
    }

    std::unique_ptr<TcpPair> m_pair; //!< under test
    Time m_arrived;                  //!< when the client last got bytes
    std::vector<Time> m_sent;        //!< when the server sent segments
};

// Times below are counted in round trips of 40 ms and ms; a segment takes 1 us.

TEST_F(HostTcpSocketTest, SendsTenSegmentsAtOnceAndTwiceAsManyAfterEachRoundTrip)
{
    EXPECT_NEAR(Send(10).GetSeconds(), 0.020, 1e-4);
    EXPECT_NEAR(Send(10 + 20).GetSeconds(), 0.060, 1e-4);
}

TEST_F(HostTcpSocketTest, RepairsALossInTheMiddleAfterOneRoundTrip)
{
    // The three segments behind it are acknowledged after 40 ms.
    EXPECT_NEAR(Send(10, {4}).GetSeconds(), 0.060, 1e-4);
    EXPECT_EQ(m_sent.size(), 11U); // no other one was sent again
}

TEST_F(HostTcpSocketTest, WaitsForAReorderingWindowWhereFewSegmentsFollow)
{
    // RFC 8985: a quarter of the round trip, and 8 ms for the clock of a host.
    EXPECT_NEAR(Send(10, {7}).GetSeconds(), 0.060 + 0.010 + 0.008, 1e-3);
}

TEST_F(HostTcpSocketTest, ProbesAfterTwoRoundTripsWhenTheTailIsLost)
{
    // Seven segments are acknowledged at 40 ms; two round trips and 8 ms later the last one is sent
    // again, and at 168 ms it is known to have arrived, so that the first of the others follows.
    // The other one follows when that has arrived: 208 ms.
    EXPECT_NEAR(Send(10, {7, 8, 9}).GetSeconds(), 0.228, 1e-3);
    EXPECT_EQ(m_sent.size(), 13U);
}

TEST_F(HostTcpSocketTest, OneSegmentWaitsForTheTimeout)
{
    // srtt + 200 ms, less than 2 srtt + 200 ms
    EXPECT_NEAR(Send(1, {0}).GetSeconds(), 0.240 + 0.020, 0.005);
}

TEST_F(HostTcpSocketTest, TimeoutsDoubleUntilASegmentArrives)
{
    // The probe does not double it: after 240, 240, 480 and 960 ms.
    EXPECT_NEAR(Send(1, {0, 1, 2, 3}).GetSeconds(), 0.240 * (1 + 1 + 2 + 4) + 0.020, 0.02);
    EXPECT_NEAR(Send(1, {0}).GetSeconds(), 0.260, 0.06); // nothing of it is left
}

TEST_F(HostTcpSocketTest, RepairsALostRetransmissionWithoutATimeout)
{
    // Segment 2 is sent again at 40 ms, as packet 18. Packet 19 says at 80 ms that it is lost.
    EXPECT_LT(Send(30, {2, 18}), MilliSeconds(200));
    EXPECT_EQ(m_sent.size(), 32U);
}

TEST_F(HostTcpSocketTest, BeginsAgainWithASmallWindowAfterAPause)
{
    Send(70);
    const Time begin = Simulator::Now();
    Send(70);
    EXPECT_EQ(CountSent(begin, begin + MilliSeconds(10)), 10U);
    EXPECT_EQ(CountSent(begin + MilliSeconds(40), begin + MilliSeconds(50)), 20U);
}

TEST_F(HostTcpSocketTest, SendsALostFinAgainAlthoughDataCome)
{
    bool closed = false;
    const auto close = MakeBoundCallback(
        +[](bool* flag, Ptr<Socket>) { *flag = true; },
        &closed);
    m_pair->client.socket->SetCloseCallbacks(close, close);
    const auto model = CreateObject<ReceiveListErrorModel>();
    model->SetList({0});
    m_pair->Lose(model, 1);
    m_pair->server.socket->Close();
    Simulator::Stop(MilliSeconds(100));
    Simulator::Run();
    m_pair->client.total += SEGMENT_SIZE;
    m_pair->client.Push();
    Simulator::Stop(Seconds(2));
    Simulator::Run();
    EXPECT_TRUE(closed);
}

TEST_F(HostTcpSocketTest, GivesUpAfterFifteenTimeouts)
{
    m_pair->Lose(1);
    bool failed = false;
    const auto fail = MakeBoundCallback(
        +[](bool* flag, Ptr<Socket>) { *flag = true; },
        &failed);
    m_pair->server.socket->SetCloseCallbacks(MakeNullCallback<void, Ptr<Socket>>(), fail);
    m_pair->server.total += SEGMENT_SIZE;
    m_pair->server.Push();
    // 0.24 s, doubled up to 120 s: 924 s, as Linux documents for its 15 retries
    Simulator::Stop(Seconds(900));
    Simulator::Run();
    EXPECT_FALSE(failed);
    Simulator::Stop(Seconds(300));
    Simulator::Run();
    EXPECT_TRUE(failed);
}

TEST(HostTcpSocketStreamsTest, GoOnWhenAClosedWindowOpens)
{
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(20 * SEGMENT_SIZE));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(SEGMENT_SIZE));
    TcpPair pair("10Mbps", DELAY);
    pair.client.total = 1;
    pair.server.total = 100000;
    pair.Connect();
    pair.client.socket->SetRecvCallback(MakeNullCallback<void, Ptr<Socket>>());
    Simulator::Stop(Seconds(100));
    Simulator::Run();
    EXPECT_EQ(pair.client.socket->GetRxAvailable(), 20U * SEGMENT_SIZE);
    pair.client.Use(pair.client.socket);
    pair.client.Read();
    Simulator::Stop(Seconds(100));
    Simulator::Run();
    EXPECT_EQ(pair.client.received, pair.server.total);
    Config::Reset();
    pair.End();
}

TEST(HostTcpSocketStreamsTest, ArriveWholeInBothDirections)
{
    for (uint32_t seed = 1; seed <= 20; ++seed)
    {
        RngSeedManager::SetSeed(seed);
        TcpPair pair(seed % 2 == 0 ? "1Mbps" : "100Mbps", MilliSeconds(seed % 7), 20);
        pair.Lose(0.01 * seed);
        pair.client.total = 100000 + seed;
        pair.server.total = seed % 3 == 0 ? 0 : 50000;
        pair.client.closes = seed % 3 == 0;
        pair.Connect();
        Simulator::Stop(Seconds(5000));
        Simulator::Run();
        EXPECT_EQ(pair.server.received, pair.client.total) << "seed " << seed;
        EXPECT_EQ(pair.client.received, pair.server.total) << "seed " << seed;
        EXPECT_TRUE(pair.server.intact && pair.client.intact) << "seed " << seed;
        pair.End();
    }
}

/** Nodes with a factory. */
class HostTcpSocketFactoryTest : public testing::Test
{
  protected:
    HostTcpSocketFactoryTest() { Simulator::Destroy(); }

    ~HostTcpSocketFactoryTest() override
    {
        Simulator::Destroy();
        Config::Reset();
    }

    /** @return a node with ns-3's internet stack and a factory */
    static Ptr<Node> MakeNode()
    {
        NodeContainer nodes(1);
        InternetStackHelper().Install(nodes);
        HostTcpSocketFactory::Install(nodes);
        HostTcpSocketFactory::Install(nodes); // has no effect
        return nodes.Get(0);
    }

    /** @return a socket of a new node */
    static Ptr<Socket> MakeSocket()
    {
        return Socket::CreateSocket(MakeNode(), HostTcpSocketFactory::GetTypeId());
    }

    /** @return whether a socket recovers as hosts do */
    static bool IsHost(const Ptr<Socket>& socket)
    {
        return DynamicCast<HostTcpSocket>(socket) != nullptr;
    }
};

TEST_F(HostTcpSocketFactoryTest, MakesSocketsOfHostsBesideThoseOfNs3)
{
    const auto node = MakeNode();
    EXPECT_TRUE(IsHost(Socket::CreateSocket(node, HostTcpSocketFactory::GetTypeId())));
    EXPECT_FALSE(IsHost(Socket::CreateSocket(node, TcpSocketFactory::GetTypeId())));
    NodeContainer bare(1);
    HostTcpSocketFactory::Install(bare);
    EXPECT_EQ(bare.Get(0)->GetObject<HostTcpSocketFactory>(), nullptr);
}

TEST_F(HostTcpSocketFactoryTest, HasTheTimersOfHostsUnlessAUserHasChosenOthers)
{
    const auto get = [](const Ptr<Socket>& socket, const std::string& name) {
        TimeValue value;
        socket->GetAttribute(name, value);
        return value.Get();
    };
    EXPECT_EQ(get(MakeSocket(), "MinRto"), MilliSeconds(200));
    EXPECT_EQ(get(MakeSocket(), "DelAckTimeout"), MilliSeconds(40));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(300)));
    EXPECT_EQ(get(MakeSocket(), "MinRto"), MilliSeconds(300));
}

TEST_F(HostTcpSocketFactoryTest, FallsBackToNs3ForWhatItDoesNotHave)
{
    const std::vector<std::pair<std::string, std::string>> obstacles{
        {"ns3::TcpSocketBase::UseEcn", "On"},
        {"ns3::TcpSocketBase::Sack", "false"},
        {"ns3::TcpSocketState::EnablePacing", "true"},
        {"ns3::TcpL4Protocol::SocketType", "ns3::TcpBbr"}};
    for (const auto& [name, value] : obstacles)
    {
        Config::SetDefault(name, StringValue(value));
        EXPECT_FALSE(IsHost(MakeSocket())) << name;
        const auto obstacle = HostTcpSocketFactory::FindObstacle(*MakeNode());
        EXPECT_NE((name + "=" + value).find(obstacle), std::string::npos) << obstacle;
        EXPECT_FALSE(obstacle.empty());
        Config::Reset();
    }
    EXPECT_EQ(HostTcpSocketFactory::FindObstacle(*MakeNode()), "");
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue("ns3::TcpLinuxReno"));
    EXPECT_TRUE(IsHost(MakeSocket()));
}

} // namespace

} // namespace ns3::dlearn
