/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "app/dlearn-net-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-graph-generators.h"
#include "ns3/dlearn-tcp-transport.h"
#include "ns3/error-model.h"
#include "ns3/ipv4.h"
#include "ns3/object-vector.h"
#include "ns3/pointer.h"
#include "ns3/tcp-l4-protocol.h"

#include <functional>
#include <numeric>

namespace ns3::dlearn
{
namespace
{

using test::Bytes;
using test::Complete;
using test::Exact;
using test::ExchangeNet;
using test::IpTally;
using test::MakeFragment;
using test::Pair;
using test::PORT;
using test::Recorder;

const char* const TCP = "ns3::dlearn::TcpTransport";

/** Defaults that a test changes are back when it is over. */
class TcpTransportTest : public testing::Test
{
  protected:
    void TearDown() override { Config::Reset(); }

    static void SetDefault(const std::string& name, const AttributeValue& value)
    {
        Config::SetDefault("ns3::dlearn::TcpTransport::" + name, value);
    }
};

uint64_t
GetBroken(const ExchangeNet& net, LearnerId id)
{
    return DynamicCast<const TcpTransport>(net.exchanges[id]->GetTransport())->GetBroken();
}

/** A stranger that calls a learner's port and says something. */
class RawClient
{
  public:
    RawClient(Time when, ExchangeNet& net, LearnerId from, LearnerId to, Bytes bytes)
        : m_node(net.network->GetNodes().Get(from)),
          m_target(net.network->GetAddress(from, to), PORT),
          m_bytes(std::move(bytes))
    {
        Simulator::Schedule(when - Simulator::Now(), &RawClient::Call, this);
    }

    bool connected{false}; //!< whether the call was answered
    bool refused{false};   //!< whether the call was refused
    bool closed{false};    //!< whether the learner hung up

  private:
    void Call()
    {
        m_socket = Socket::CreateSocket(m_node, TcpSocketFactory::GetTypeId());
        m_socket->SetConnectCallback(MakeCallback(&RawClient::HandleConnected, this),
                                     MakeCallback(&RawClient::HandleFailed, this));
        m_socket->SetCloseCallbacks(MakeCallback(&RawClient::HandleClosed, this),
                                    MakeCallback(&RawClient::HandleClosed, this));
        m_socket->Bind();
        m_socket->Connect(m_target);
    }

    void HandleConnected(Ptr<Socket> socket)
    {
        connected = true;
        socket->Send(Create<Packet>(m_bytes.data(), m_bytes.size()));
    }

    void HandleFailed(Ptr<Socket>) { refused = true; }

    void HandleClosed(Ptr<Socket> socket)
    {
        closed = true;
        socket->Close();
    }

    Ptr<Node> m_node;
    InetSocketAddress m_target;
    Bytes m_bytes;
    Ptr<Socket> m_socket;
};

TEST_F(TcpTransportTest, VectorsOfAnySizeCrossBothWaysAtOnce)
{
    // 4096 numbers of 4 bytes fill a fragment; 431,080 is a small neural network.
    const struct
    {
        const char* network;
        uint32_t size;
        uint32_t bits;
    } rows[] = {{"ideal", 1, 32},
                {"p2p", 1, 64},
                {"csma", 2, 32},
                {"ideal", 4095, 32},
                {"p2p", 4096, 32},
                {"csma", 4097, 32},
                {"p2p", 4097, 64},
                {"ideal", 431080, 32},
                {"p2p", 431080, 64},
                {"csma", 431080, 32}};

    for (const auto& row : rows)
    {
        ExchangeNet net(row.network, Pair(), row.size, TCP, row.bits);
        net.Open();
        net.SendAt(Seconds(1), 0, {1}, 4, Exact(row.size, 1));
        net.SendAt(Seconds(1), 1, {0}, 4, Exact(row.size, 2));
        net.SendAt(Seconds(1), 0, {1}, 5, Exact(row.size, 3));
        Simulator::Stop(Seconds(20));
        Simulator::Run();
        const std::string where = row.network + std::string(" ") + std::to_string(row.size);
        ASSERT_EQ(net.recorders[1].entries.size(), 2U) << where;
        ASSERT_EQ(net.recorders[0].entries.size(), 1U) << where;
        EXPECT_EQ(net.recorders[1].GetVectors()[0], Exact(row.size, 1));
        EXPECT_EQ(net.recorders[1].GetVectors()[1], Exact(row.size, 3));
        EXPECT_EQ(net.recorders[0].GetVectors()[0], Exact(row.size, 2));
        // Bytes: the numbers, and 32 of header for every 16384 begun.
        const uint64_t payload = uint64_t{row.size} * row.bits / 8;
        const uint64_t bytes = payload + 32 * ((payload + 16383) / 16384);
        EXPECT_EQ(net.exchanges[1]->GetTransport()->GetTxBytes(), bytes) << where;
        EXPECT_EQ(net.exchanges[0]->GetTransport()->GetRxBytes(), bytes) << where;
        EXPECT_EQ(net.exchanges[0]->GetTransport()->GetTxRefused(), 0U);
        EXPECT_EQ(GetBroken(net, 0) + GetBroken(net, 1), 0U);
    }
}

// The largest packet that IP hands down has 40 bytes of headers and, as no segment of data has
// options here, 12 less than the MTU.
TEST_F(TcpTransportTest, SegmentsFillThePacketsOfTheNetwork)
{
    const struct
    {
        const char* network;
        uint32_t attribute;
        uint32_t largest;
    } rows[] = {{"p2p", 0, 1500 - 12}, {"ideal", 0, 65535 - 12}, {"ideal", 500, 540}};

    for (const auto& row : rows)
    {
        SetDefault("SegmentSize", UintegerValue(row.attribute));
        const uint32_t numbers = 100000;
        ExchangeNet net(row.network, Pair(), numbers, TCP);
        const IpTally tally(net.network->GetNodes().Get(0));
        net.Open();
        net.SendAt(Seconds(1), 0, {1}, 0, Exact(numbers, 1));
        Simulator::Stop(Seconds(20));
        Simulator::Run();
        EXPECT_EQ(net.recorders[1].GetVectors(), std::vector<ModelVector>{Exact(numbers, 1)});
        EXPECT_EQ(tally.largest, row.largest) << row.network;
    }
}

/** Loses the tenth large packet. */
class TenthIsLost : public ErrorModel
{
    bool DoCorrupt(Ptr<Packet> packet) override
    {
        return packet->GetSize() > 10000 && ++m_large == 10;
    }

    void DoReset() override {}

    uint32_t m_large{0};
};

// Of the largest packets enough are on the way for three to follow a lost one: no timeout, of a
// second at least.
TEST_F(TcpTransportTest, ALostLargePacketIsSentAgainAtOnce)
{
    const uint32_t numbers = 431080; // 27 packets
    ExchangeNet net("ideal", Pair(), numbers, TCP);
    const Ptr<NetDevice> device = net.network->GetNodes().Get(1)->GetDevice(1);
    device->SetAttribute("ReceiveErrorModel", PointerValue(CreateObject<TenthIsLost>()));
    net.Open();
    net.SendAt(Seconds(1), 0, {1}, 0, Exact(numbers, 1));
    Simulator::Stop(Seconds(20));
    Simulator::Run();
    ASSERT_EQ(net.recorders[1].GetVectors(), std::vector<ModelVector>{Exact(numbers, 1)});
    EXPECT_LT(net.recorders[1].entries[0].when, Seconds(1.5));
}

// Of two vectors of 400 kB the second finds a window that is larger than the queue of the link,
// which a host fills. Whether a newer vector might replace it makes no difference to that.
TEST_F(TcpTransportTest, AVectorThatIsUnderWayTakesAsLongWhereOnlyTheNewestCount)
{
    std::vector<Time> arrivals;
    for (const bool newest : {false, true})
    {
        ExchangeNet net("p2p,delay=50ms", Pair(), 100000, TCP);
        if (newest)
        {
            net.exchanges[0]->PreferNewest();
        }
        net.Open();
        net.SendAt(Seconds(1), 0, {1}, 0, Exact(100000));
        net.SendAt(Seconds(1.6), 0, {1}, 1, Exact(100000));
        Simulator::Stop(Seconds(20));
        Simulator::Run();
        ASSERT_EQ(net.recorders[1].entries.size(), 2U);
        arrivals.push_back(net.recorders[1].entries[1].when);
    }
    EXPECT_EQ(arrivals[0], arrivals[1]);
}

// Six vectors of 80 kB, one every 0.1 s, on a link that takes 0.66 s for each: the first is under
// way until the last one has come. None of the others is in TCP's buffer, where it could not be
// replaced.
TEST_F(TcpTransportTest, NewerVectorsReplaceThoseThatWait)
{
    for (const bool newest : {false, true})
    {
        ExchangeNet net("p2p,rate=1Mbps", Pair(), 20000, TCP);
        if (newest)
        {
            net.exchanges[0]->PreferNewest();
        }
        net.Open();
        for (uint32_t round = 0; round < 6; ++round)
        {
            net.SendAt(MilliSeconds(1000 + 100 * round), 0, {1}, round, Exact(20000, round));
        }
        const auto transport = net.exchanges[0]->GetTransport();
        Simulator::Schedule(MilliSeconds(1150), [&] {
            EXPECT_FALSE(transport->IsWaitingForTurn(0)) << "is under way";
            EXPECT_EQ(transport->IsWaitingForTurn(1), !newest);
        });
        Simulator::Stop(Seconds(20));
        Simulator::Run();
        std::vector<uint32_t> rounds;
        for (const auto& entry : net.recorders[1].entries)
        {
            rounds.push_back(entry.round);
            EXPECT_EQ(entry.arrival->values, Exact(20000, entry.round));
        }
        EXPECT_EQ(rounds,
                  newest ? std::vector<uint32_t>({0, 5})
                         : std::vector<uint32_t>({0, 1, 2, 3, 4, 5}));
        EXPECT_EQ(transport->GetTxRefused(), newest ? 4U * 5 : 0U) << "fragments of 16384 bytes";
    }
}

TEST_F(TcpTransportTest, GarbageFromAPeersAddressBreaksTheStreamOnlyForAWhile)
{
    const uint32_t dimension = 2;
    std::mt19937_64 engine(1);
    Bytes noise(5000);
    for (uint8_t& byte : noise)
    {
        byte = engine();
    }
    Bytes flipped = MakeFragment(1, 7, Exact(dimension));
    flipped.back() ^= 1;
    ModelHeader header;
    header.vectorLength = 0x3fffffff; // valid, but more than any fragment may have
    header.messageLength = 0xfffffffc;
    header.payloadLength = 0x7ffffffc;
    Bytes endless(ModelHeader::SIZE);
    header.Write(endless.data());
    Bytes afterGood = MakeFragment(1, 8, Exact(dimension, 5));
    afterGood.insert(afterGood.end(), noise.begin(), noise.end());

    const struct
    {
        const char* name;
        Bytes bytes;
        bool first; //!< whether a good message comes first
    } rows[] = {{"noise", noise, false},
                {"wrong checksum", flipped, false},
                {"endless fragment", endless, false},
                {"good, then noise", afterGood, true}};

    for (const auto& row : rows)
    {
        ExchangeNet net("p2p", Pair(), dimension, TCP);
        net.Open();
        net.SendAt(Seconds(1), 1, {0}, 0, Exact(dimension, 1));
        // Learner 1 calls learner 0, so a program that calls from node 1 takes its place.
        RawClient client(Seconds(2), net, 1, 0, row.bytes);
        net.SendAt(Seconds(4), 1, {0}, 1, Exact(dimension, 2));
        net.SendAt(Seconds(4), 0, {1}, 1, Exact(dimension, 3));
        Simulator::Stop(Seconds(10));
        Simulator::Run();
        EXPECT_TRUE(client.connected && client.closed) << row.name;
        EXPECT_EQ(net.exchanges[0]->GetCounters().malformed, 1U) << row.name;
        EXPECT_GE(GetBroken(net, 0), 1U) << row.name;
        EXPECT_EQ(GetBroken(net, 1), 1U) << row.name; // was replaced, called again
        std::vector<ModelVector> expected{Exact(dimension, 1)};
        if (row.first)
        {
            expected.push_back(Exact(dimension, 5));
        }
        expected.push_back(Exact(dimension, 2));
        EXPECT_EQ(net.recorders[0].GetVectors(), expected) << row.name;
        EXPECT_EQ(net.recorders[1].GetVectors(), std::vector<ModelVector>{Exact(dimension, 3)})
            << row.name;
    }
}

TEST_F(TcpTransportTest, AHalfFragmentHoldsNothingUp)
{
    ExchangeNet net("p2p", Pair(), 2, TCP);
    net.Open();
    Bytes half = MakeFragment(1, 7, Exact(2));
    half.resize(half.size() - 1);
    RawClient client(Seconds(2), net, 1, 0, half); // then silence on an open connection
    net.SendAt(Seconds(4), 1, {0}, 1, Exact(2, 2));
    Simulator::Stop(Seconds(10));
    Simulator::Run();
    EXPECT_TRUE(client.closed); // replaced when learner 1 called again
    EXPECT_EQ(net.recorders[0].GetVectors(), std::vector<ModelVector>{Exact(2, 2)});
}

TEST_F(TcpTransportTest, APeerThatLeavesInTheMiddleOfAMessageComesBack)
{
    for (const LearnerId leaver : {0U, 1U}) // the one who is called, and the one who calls
    {
        ExchangeNet net("p2p,rate=1Mbps", Pair(), 20000, TCP); // 80,000 bytes take 0.64 s
        net.Open();
        const LearnerId stayer = 1 - leaver;
        net.SendAt(Seconds(1), stayer, {leaver}, 0, Exact(20000, 1));
        net.SendAt(Seconds(1), leaver, {stayer}, 0, Exact(20000, 2));
        Simulator::Schedule(MilliSeconds(1300), [&net, leaver] { net.exchanges[leaver]->Close(); });
        Simulator::Schedule(Seconds(3), [&net, leaver] { net.exchanges[leaver]->Open(); });
        net.SendAt(Seconds(5), stayer, {leaver}, 1, Exact(20000, 3));
        net.SendAt(Seconds(5), leaver, {stayer}, 1, Exact(20000, 4));
        Simulator::Stop(Seconds(20));
        Simulator::Run();
        // What was under way when the connection broke is sent again over the next one.
        EXPECT_EQ(net.recorders[leaver].GetVectors(),
                  (std::vector<ModelVector>{Exact(20000, 1), Exact(20000, 3)}));
        // What the leaver had handed to its stack still goes out, as TCP has it.
        ASSERT_FALSE(net.recorders[stayer].GetVectors().empty());
        EXPECT_EQ(net.recorders[stayer].GetVectors().back(), Exact(20000, 4));
        EXPECT_EQ(net.exchanges[0]->GetCounters().malformed, 0U);
        EXPECT_EQ(net.exchanges[1]->GetCounters().malformed, 0U);
    }
}

// The one who listens restarts while nothing gets through, so that the caller does not learn of it:
// what it sends over the old connection, or its probe after a second, has to be answered by a
// reset.
TEST_F(TcpTransportTest, APeerThatRestartsWhileTheLinkIsDownIsFoundSoon)
{
    for (const bool sends : {true, false})
    {
        NetworkSetup options;
        options.schedule = LinkSchedule::Parse("down:0-1@2s,up:0-1@5s");
        ExchangeNet net("p2p", Pair(), 10, TCP, 32, options);
        net.Open();
        net.SendAt(Seconds(1), 1, {0}, 0, Exact(10, 1));
        if (sends)
        {
            net.SendAt(MilliSeconds(2500), 1, {0}, 1, Exact(10, 2)); // again and again from here
        }
        Simulator::Schedule(Seconds(3), [&net] { net.exchanges[0]->Close(); });
        Simulator::Schedule(Seconds(4), [&net] { net.exchanges[0]->Open(); });
        net.SendAt(Seconds(6), 0, {1}, 2, Exact(10, 3));
        Simulator::Stop(Seconds(12));
        Simulator::Run();
        EXPECT_EQ(net.recorders[1].GetVectors(), std::vector<ModelVector>{Exact(10, 3)}) << sends;
        EXPECT_EQ(GetBroken(net, 1), 1U) << sends;
    }
}

TEST_F(TcpTransportTest, SettledRoundsNeverLeaveLater)
{
    SetDefault("QueueLimit", UintegerValue(4));
    ExchangeNet net("p2p", Pair(), 10, TCP);
    net.exchanges[1]->Open(); // calls learner 0, which is not there
    for (uint32_t round = 0; round < 3; ++round)
    {
        net.SendAt(Seconds(1), 1, {0}, round, Exact(10, round));
    }
    Simulator::Schedule(Seconds(2), [&net] {
        EXPECT_FALSE(net.exchanges[1]->Settle(0));
        EXPECT_FALSE(net.exchanges[1]->Settle(1));
        EXPECT_EQ(net.exchanges[1]->GetTransport()->GetTxBytes(), 0U);
    });
    Simulator::Schedule(Seconds(3), [&net] { net.exchanges[0]->Open(); });
    bool left = false;
    Simulator::Schedule(Seconds(9), [&net, &left] { left = net.exchanges[1]->Settle(2); });
    Simulator::Stop(Seconds(10));
    Simulator::Run();
    EXPECT_EQ(net.recorders[0].GetVectors(), std::vector<ModelVector>{Exact(10, 2)});
    EXPECT_TRUE(left);
    EXPECT_EQ(net.exchanges[1]->GetTransport()->GetTxRefused(), 0U);
}

// Ten learners that only listen hear all that a hub tells them, over links that lose every fifth
// packet, and in time: a lost end of a handshake must not leave a learner out, nor a lost segment
// slow its connection down for good.
TEST_F(TcpTransportTest, WhoOnlyListensHearsAllOverLossyLinks)
{
    const Graph star = MakeStar(11);
    ExchangeNet net("p2p,loss=0.2", star, 10, TCP);
    net.Open();
    std::vector<LearnerId> all(10);
    std::iota(all.begin(), all.end(), 1);
    const uint32_t rounds = 30;
    for (uint32_t round = 0; round < rounds; ++round)
    {
        net.SendAt(Seconds(10 + 10 * round), 0, all, round, Exact(10, round));
    }
    Simulator::Stop(Seconds(10 + 10 * rounds + 60));
    Simulator::Run();
    for (LearnerId learner = 1; learner <= 10; ++learner)
    {
        EXPECT_EQ(net.recorders[learner].GetVectors().size(), rounds) << learner;
    }
}

// A call is repeated after T = 0.5 s and 2 T, and has failed after 4 T more; 0.5 s later comes the
// next one, with twice the T. So calls go out at 0, 0.5, 1.5; 4, 5, 7; 11.5, 13.5, 17.5; 26, 30,
// 38; 54.5, 62.5, ... s: a peer is found after at most half the time that it was away, and 2.5 s.
TEST_F(TcpTransportTest, APeerThatIsAwayForLongIsFoundSoon)
{
    const std::pair<uint32_t, uint32_t> rows[] = // ms away, calls that failed meanwhile
        {{1100, 0}, {1900, 1}, {6000, 1}, {7900, 2}, {60100, 4}};
    for (const auto& [away, failed] : rows)
    {
        ExchangeNet net("p2p", Pair(), 1, TCP);
        net.exchanges[1]->Open();
        net.SendAt(MilliSeconds(10), 1, {0}, 0, Exact(1));
        Simulator::Schedule(MilliSeconds(away), [&net] { net.exchanges[0]->Open(); });
        Simulator::Stop(MilliSeconds(away + away / 2 + 2550));
        Simulator::Run();
        EXPECT_EQ(net.recorders[0].GetVectors().size(), 1U) << away;
        EXPECT_EQ(GetBroken(net, 1), failed) << away;
    }
}

/** @return sockets that the TCP of a learner's node has */
size_t
CountSockets(const ExchangeNet& net, LearnerId id)
{
    ObjectVectorValue sockets;
    net.network->GetNodes().Get(id)->GetObject<TcpL4Protocol>()->GetAttribute("SocketList",
                                                                              sockets);
    return sockets.GetN();
}

// A call without a route fails at once, so that there are many.
TEST_F(TcpTransportTest, CallsWithoutARouteCostNoPorts)
{
    ExchangeNet net("p2p", Pair(), 1, TCP);
    const auto ipv4 = net.network->GetNodes().Get(1)->GetObject<Ipv4>();
    ipv4->SetDown(1);
    net.Open();
    net.SendAt(MilliSeconds(10), 1, {0}, 0, Exact(1));
    Simulator::Schedule(Seconds(100), [&] {
        EXPECT_GT(GetBroken(net, 1), 50U);
        EXPECT_LE(CountSockets(net, 1), 3U); // it listens, too
        ipv4->SetUp(1);
    });
    Simulator::Stop(Seconds(110));
    Simulator::Run();
    EXPECT_EQ(net.recorders[0].GetVectors().size(), 1U);
}

TEST_F(TcpTransportTest, ALearnerThatHasFinishedDoesNotCallForEver)
{
    for (const bool waits : {false, true})
    {
        ExchangeNet net("p2p", Pair(), 1, TCP);
        net.network->GetNodes().Get(1)->GetObject<Ipv4>()->SetDown(1);
        net.Open();
        if (waits)
        {
            net.SendAt(MilliSeconds(10), 1, {0}, 0, Exact(1));
        }
        Simulator::Schedule(Seconds(1), [&] { net.exchanges[1]->Finish(); });
        Simulator::Run(); // ends by itself
        const uint64_t broken = GetBroken(net, 1);
        EXPECT_GE(broken, waits ? 13U : 1U);
        EXPECT_LE(broken, waits ? 40U : 20U);
    }
}

// What waits when a learner has finished is not given up because its peer is down for a while.
TEST_F(TcpTransportTest, ALearnerThatHasFinishedSendsWhatWaits)
{
    ExchangeNet net("p2p", Pair(), 1, TCP);
    net.exchanges[1]->Open();
    net.SendAt(MilliSeconds(10), 1, {0}, 0, Exact(1));
    Simulator::Schedule(MilliSeconds(20), [&] { net.exchanges[1]->Finish(); });
    Simulator::Schedule(Seconds(30), [&] { net.exchanges[0]->Open(); });
    Simulator::Run();
    EXPECT_EQ(net.recorders[0].GetVectors().size(), 1U);
}

TEST_F(TcpTransportTest, OneRecipientReachedMeansThatTheRoundLeft)
{
    ExchangeNet net("p2p", Complete(3), 10, TCP);
    net.exchanges[1]->Open();
    net.exchanges[2]->Open(); // 0 is away
    net.SendAt(Seconds(1), 1, {0, 2}, 0, Exact(10));
    Simulator::Schedule(Seconds(2), [&net] { EXPECT_TRUE(net.exchanges[1]->Settle(0)); });
    Simulator::Schedule(Seconds(3), [&net] { net.exchanges[0]->Open(); });
    Simulator::Stop(Seconds(10));
    Simulator::Run();
    EXPECT_EQ(net.recorders[2].GetVectors().size(), 1U);
    EXPECT_EQ(net.recorders[0].GetVectors().size(), 1U); // late, but it may still come
}

TEST_F(TcpTransportTest, ARoundThatIsHalfSentHasLeft)
{
    ExchangeNet net("p2p,rate=1Mbps", Pair(), 100000, TCP); // 400 kB, more than a socket holds
    net.Open();
    net.SendAt(Seconds(1), 1, {0}, 0, Exact(100000, 0));
    net.SendAt(Seconds(1), 1, {0}, 1, Exact(100000, 1));
    net.SendAt(Seconds(1), 1, {0}, 2, Exact(100000, 2));
    Simulator::Schedule(Seconds(2), [&net] {
        EXPECT_TRUE(net.exchanges[1]->Settle(0));
        EXPECT_FALSE(net.exchanges[1]->Settle(1));
    });
    Simulator::Stop(Seconds(30));
    Simulator::Run();
    EXPECT_EQ(net.recorders[0].GetVectors(),
              (std::vector<ModelVector>{Exact(100000, 0), Exact(100000, 2)}));
}

TEST_F(TcpTransportTest, QueueIsLimitedAndTheOldestGoes)
{
    SetDefault("QueueLimit", UintegerValue(2));
    SetDefault("FragmentSize", UintegerValue(8));
    ExchangeNet net("p2p", Pair(), 6, TCP); // three fragments of two numbers
    net.exchanges[1]->Open();
    for (uint32_t round = 0; round < 5; ++round)
    {
        net.SendAt(Seconds(1), 1, {0}, round, Exact(6, round));
    }
    Simulator::Schedule(Seconds(3), [&net] { net.exchanges[0]->Open(); });
    Simulator::Stop(Seconds(10));
    Simulator::Run();
    EXPECT_EQ(net.exchanges[1]->GetTransport()->GetTxRefused(), 9U);
    EXPECT_EQ(net.recorders[0].GetVectors(), (std::vector<ModelVector>{Exact(6, 3), Exact(6, 4)}));
}

TEST_F(TcpTransportTest, QueueNeverGivesUpAMessageThatHasBegun)
{
    SetDefault("QueueLimit", UintegerValue(1));
    ExchangeNet net("p2p,rate=1Mbps", Pair(), 100000, TCP);
    net.Open();
    net.SendAt(Seconds(1), 1, {0}, 0, Exact(100000, 0));
    net.SendAt(Seconds(2), 1, {0}, 1, Exact(100000, 1)); // no room
    Simulator::Stop(Seconds(20));
    Simulator::Run();
    EXPECT_EQ(net.recorders[0].GetVectors(), std::vector<ModelVector>{Exact(100000, 0)});
    EXPECT_EQ(net.exchanges[1]->GetTransport()->GetTxRefused(), 25U); // 400,000 / 16,384 begun
    EXPECT_FALSE(net.exchanges[1]->Settle(1));
}

TEST_F(TcpTransportTest, MayBeClosedAndOpenedByItsCallback)
{
    /** A sink that acts on the exchange from within. */
    struct Sink
    {
        std::function<void(uint32_t)> action;

        void Offer(const MessageSource&, uint32_t round, std::optional<Arrival>&) { action(round); }
    };

    for (const bool again : {false, true})
    {
        ExchangeNet net("p2p", Pair(), 4, TCP);
        std::vector<uint32_t> told;
        Sink sink{[&](uint32_t round) {
            told.push_back(round);
            if (round == 0)
            {
                net.exchanges[0]->Close();
                if (again)
                {
                    net.exchanges[0]->Open();
                }
            }
        }};
        net.exchanges[0]->SetSink(MakeCallback(&Recorder::Classify, &net.recorders[0]),
                                  MakeCallback(&Sink::Offer, &sink));
        net.Open();
        for (uint32_t round = 0; round < 3; ++round) // one segment, three fragments
        {
            net.SendAt(Seconds(1), 1, {0}, round, Exact(4));
        }
        net.SendAt(Seconds(4), 1, {0}, 9, Exact(4));
        Simulator::Stop(Seconds(8));
        Simulator::Run();
        // Round 0 is sent again until three connections have broken on it.
        EXPECT_EQ(told, again ? (std::vector<uint32_t>{0, 0, 0, 9}) : std::vector<uint32_t>{0});
        EXPECT_EQ(net.exchanges[0]->GetCounters().malformed, 0U);
    }
}

// A server settles its dispatches in the order in which they are answered: first number 5, which
// went to another client, then number 3, of which the socket has taken a part. The rest of it must
// go out, or the next message would be read as its end.
TEST_F(TcpTransportTest, NeverWithdrawsHalfAMessage)
{
    ExchangeNet net("p2p,rate=1Mbps", Pair(), 100000, TCP); // 400 kB, more than a socket takes
    net.Open();
    net.SendAt(MilliSeconds(100), 0, {1}, 3, Exact(100000, 3));
    net.SendAt(MilliSeconds(200), 0, {1}, 4, Exact(100000, 4));
    Simulator::Schedule(MilliSeconds(300), [&net] {
        net.exchanges[0]->Settle(5);
        net.exchanges[0]->Settle(3);
    });
    Simulator::Stop(Seconds(20));
    Simulator::Run();
    EXPECT_EQ(net.exchanges[1]->GetCounters().malformed, 0U);
    EXPECT_EQ(GetBroken(net, 1), 0U);
    EXPECT_EQ(net.recorders[1].GetVectors(),
              (std::vector<ModelVector>{Exact(100000, 3), Exact(100000, 4)}));
}

TEST_F(TcpTransportTest, RefusesAPortInUseOddSizesAndSendingWhileClosed)
{
    {
        ExchangeNet net("ideal", Pair(), 1, TCP);
        ExpectRefused(
            [&] {
                net.exchanges[0]->Send(0, {ModelChannel::STATE, {1}, Exact(1)});
            },
            "TcpTransport: Send() needs Open() first");
        net.Open();
        const auto second = CreateObject<MessageExchange>();
        second->SetAttribute("Transport", TypeIdValue(TcpTransport::GetTypeId()));
        second->Setup(net.network->GetNodes().Get(0), 5, {}, 1);
        const std::string node = std::to_string(net.network->GetNodes().Get(0)->GetId());
        ExpectRefused([&] { second->Open(); },
                      "TcpTransport: port 4660 of node " + node +
                          " is in use; give this learner another one by its attribute "
                          "Port");
        second->Dispose();
    }
    SetDefault("FragmentSize", UintegerValue(1444));
    ExpectRefused([] { ExchangeNet net("ideal", Pair(), 1, TCP); },
                  "FragmentSize must be a multiple of 8, got 1444");
    Config::Reset();
    SetDefault("SegmentSize", UintegerValue(63));
    ExpectRefused([] { ExchangeNet net("ideal", Pair(), 1, TCP); },
                  "SegmentSize must be at least 64, or 0, got 63");
    Config::Reset();
    ExchangeNet narrow("ideal", Pair(), 1, TCP);
    const Ptr<Node> node = narrow.network->GetNodes().Get(0);
    node->GetDevice(1)->SetMtu(127);
    ExpectRefused([&] { narrow.Open(); },
                  "Transport: MTU of the devices of node " + std::to_string(node->GetId()) +
                      " must be at least 128, got 127");
}

} // namespace
} // namespace ns3::dlearn
