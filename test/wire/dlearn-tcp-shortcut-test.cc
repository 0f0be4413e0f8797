/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "app/dlearn-net-test-support.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-graph-generators.h"
#include "ns3/dlearn-network.h"
#include "ns3/dlearn-tcp-shortcut.h"
#include "ns3/dlearn-tcp-transport.h"
#include "ns3/global-value.h"
#include "ns3/inet-socket-address.h"
#include "ns3/ipv4.h"
#include "ns3/simulator.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-socket-factory.h"

#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <set>
#include <vector>

namespace ns3::dlearn
{
namespace
{

/** Node 0 listens; the others call it and send their own number, again and again. */
class TcpShortcutTest : public testing::Test
{
  protected:
    static constexpr uint16_t PORT = 99;
    static constexpr LearnerId CALLERS = 3;

    TcpShortcutTest()
        : m_network(CreateNetwork("p2p"))
    {
        m_network->Build(MakeStar(CALLERS + 1), {});
        test::InitializeNodes(*m_network);
        m_listener = MakeSocket(0);
        m_listener->Bind(InetSocketAddress(Ipv4Address::GetAny(), PORT));
        m_listener->Listen();
        m_listener->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                      MakeCallback(&TcpShortcutTest::HandleAccept, this));
        for (LearnerId caller = 1; caller <= CALLERS; ++caller)
        {
            m_callers[caller] = MakeSocket(caller);
            m_callers[caller]->Connect(
                InetSocketAddress(Ipv4Address::ConvertFrom(m_network->GetAddress(caller, 0)),
                                  PORT));
        }
    }

    ~TcpShortcutTest() override
    {
        m_shortcuts.clear();
        Simulator::Destroy();
    }

    Ptr<Socket> MakeSocket(LearnerId node) const
    {
        return Socket::CreateSocket(m_network->GetNodes().Get(node), TcpSocketFactory::GetTypeId());
    }

    /** Let all callers send, and wait until that has arrived. */
    void SendAll()
    {
        for (const auto& [caller, socket] : m_callers)
        {
            const std::vector<uint8_t> bytes(SIZE, caller);
            socket->Send(MakePacket(bytes));
        }
        Wait();
    }

    static Ptr<Packet> MakePacket(const std::vector<uint8_t>& bytes)
    {
        return Create<Packet>(bytes.data(), bytes.size());
    }

    static void Wait()
    {
        Simulator::Stop(Seconds(1));
        Simulator::Run();
    }

    /** @return how many connections have got the number of one caller and nothing else */
    size_t CountPure(uint32_t bytes) const
    {
        std::set<uint8_t> numbers;
        for (const auto& [socket, received] : m_received)
        {
            const std::set<uint8_t> own(received.begin(), received.end());
            if (received.size() == bytes && own.size() == 1)
            {
                numbers.insert(*own.begin());
            }
        }
        return numbers.size();
    }

    /** @return whether TCP of node 0 gets segments at once, without a shortcut in between */
    bool IsUnchanged() const
    {
        const auto ipv4 = m_network->GetNodes().Get(0)->GetObject<Ipv4>();
        const auto protocol = ipv4->GetProtocol(TcpL4Protocol::PROT_NUMBER, 1);
        return DynamicCast<TcpL4Protocol>(protocol) != nullptr;
    }

    static constexpr uint32_t SIZE = 5000; //!< bytes that a caller sends, in several segments

    Ptr<Network> m_network;
    Ptr<Socket> m_listener;
    std::map<LearnerId, Ptr<Socket>> m_callers;
    std::vector<Ptr<Socket>> m_accepted;
    std::vector<std::unique_ptr<TcpShortcut>> m_shortcuts;

  private:
    void HandleAccept(Ptr<Socket> socket, const Address&)
    {
        m_accepted.push_back(socket);
        socket->SetRecvCallback(MakeCallback(&TcpShortcutTest::HandleRead, this));
    }

    void HandleRead(Ptr<Socket> socket)
    {
        while (const Ptr<Packet> packet = socket->Recv())
        {
            std::vector<uint8_t> bytes(packet->GetSize());
            packet->CopyData(bytes.data(), bytes.size());
            auto& received = m_received[socket];
            received.insert(received.end(), bytes.begin(), bytes.end());
        }
    }

    std::map<Ptr<Socket>, std::vector<uint8_t>> m_received;
};

TEST_F(TcpShortcutTest, EachSocketGetsWhatItsPeerSends)
{
    SendAll();
    ASSERT_EQ(m_accepted.size(), CALLERS);
    EXPECT_TRUE(IsUnchanged());
    for (const auto& socket : {m_accepted[0], m_accepted[1]}) // the third is searched for
    {
        m_shortcuts.push_back(std::make_unique<TcpShortcut>(socket));
    }
    EXPECT_FALSE(IsUnchanged());
    SendAll();
    EXPECT_EQ(CountPure(2 * SIZE), CALLERS);
    m_shortcuts.clear();
    SendAll();
    EXPECT_EQ(CountPure(3 * SIZE), CALLERS);
}

TEST_F(TcpShortcutTest, AnotherMayCallAtTheSameTime)
{
    SendAll();
    m_shortcuts.push_back(std::make_unique<TcpShortcut>(m_accepted[0]));
    const auto again = MakeSocket(1);
    again->Connect(InetSocketAddress(Ipv4Address::ConvertFrom(m_network->GetAddress(1, 0)), PORT));
    again->Send(MakePacket({7}));
    Wait();
    EXPECT_EQ(m_accepted.size(), CALLERS + 1);
    EXPECT_EQ(CountPure(SIZE), CALLERS);
    EXPECT_EQ(CountPure(1), 1U);
}

TEST_F(TcpShortcutTest, OutlivesItsConnection)
{
    SendAll();
    m_shortcuts.push_back(std::make_unique<TcpShortcut>(m_accepted[0]));
    for (const auto& [caller, socket] : m_callers)
    {
        socket->Close();
    }
    m_accepted[0]->Close();
    Simulator::Stop(Seconds(1000)); // ns-3 forgets the connection
    Simulator::Run();
    m_shortcuts.push_back(std::make_unique<TcpShortcut>(m_accepted[0])); // of none any more
    EXPECT_EQ(CountPure(SIZE), CALLERS);
}

/** Computes checksums as long as it lives. */
struct Checksums
{
    Checksums() { GlobalValue::Bind("ChecksumEnabled", BooleanValue(true)); }

    ~Checksums() { GlobalValue::Bind("ChecksumEnabled", BooleanValue(false)); }
};

/** The same with checksums, from the first segment on. */
class CheckedTcpShortcutTest : private Checksums, public TcpShortcutTest
{
};

TEST_F(CheckedTcpShortcutTest, ChecksumsAreLeftToTcp)
{
    SendAll();
    ASSERT_EQ(m_accepted.size(), CALLERS);
    m_shortcuts.push_back(std::make_unique<TcpShortcut>(m_accepted[0]));
    SendAll();
    EXPECT_EQ(CountPure(2 * SIZE), CALLERS);
}

/** Calls that all fail: each plans the next one. */
class TcpCallScheduleTest : public testing::Test
{
  protected:
    void TearDown() override { Simulator::Destroy(); }

    void Call()
    {
        times.push_back(Simulator::Now().GetMilliSeconds());
        schedule.NoteFailure();
        schedule.Plan(MilliSeconds(100), last);
    }

    TcpCallSchedule schedule{[this] { Call(); }};
    bool last{false};
    std::vector<int64_t> times;
};

TEST_F(TcpCallScheduleTest, CallsForEverWhileMessagesMayFollow)
{
    Call();
    Simulator::Stop(Seconds(10.05));
    Simulator::Run();
    EXPECT_EQ(times.size(), 101U);
    EXPECT_EQ(times.back(), 10000);
    EXPECT_EQ(schedule.GetFailures(), 101U);
    schedule.Cancel();
    Simulator::Run();
    EXPECT_EQ(times.size(), 101U);
}

TEST_F(TcpCallScheduleTest, CallsLessOftenOnceNoMessageWillFollow)
{
    last = true;
    Call();
    Simulator::Run(); // ends by itself
    EXPECT_EQ(times.size(), 1U + TcpCallSchedule::LAST_CALLS);
    EXPECT_EQ(times[1], 100);
    EXPECT_EQ(times[2], 300);
    EXPECT_EQ(times.back(), 100 * ((1 << TcpCallSchedule::LAST_CALLS) - 1));
    schedule.NoteAnswer();
    EXPECT_EQ(schedule.GetFailures(), 0U);
    Call();
    Simulator::Run();
    EXPECT_EQ(times.size(), 2U + 2 * TcpCallSchedule::LAST_CALLS);
}

// A learner that left and came back has all of its last calls again.
TEST_F(TcpCallScheduleTest, BeginsAnewWhenMessagesMayFollowAgain)
{
    for (const bool cancel : {false, true})
    {
        last = true;
        Call();
        Simulator::Run();
        if (cancel)
        {
            schedule.Cancel();
        }
        else
        {
            schedule.Plan(MilliSeconds(100), false);
        }
        times.clear();
        Call();
        Simulator::Run();
        EXPECT_EQ(times.size(), 1U + TcpCallSchedule::LAST_CALLS) << cancel;
        schedule.Cancel();
    }
}

} // namespace
} // namespace ns3::dlearn
