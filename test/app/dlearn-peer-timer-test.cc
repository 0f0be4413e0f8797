/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-net-test-support.h"

#include "ns3/dlearn-peer-application.h"
#include "ns3/dlearn-transport.h"
#include "ns3/object-factory.h"

#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dlearn
{
namespace
{

/** A transport whose messages wait for a turn until a test lets them leave. */
class TurnTransport : public Transport
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::dlearn::test::TurnTransport")
                                .SetParent<Transport>()
                                .AddConstructor<TurnTransport>();
        return tid;
    }

    void Open() override {}

    void Close() override { m_waiting.clear(); }

    void Send(const Message& message, const std::vector<LearnerId>& /* recipients */) override
    {
        m_waiting.push_back(message);
    }

    bool Settle(uint32_t /* round */) override
    {
        m_waiting.clear();
        return false;
    }

    bool IsWaitingForTurn(uint32_t round) const override
    {
        return !m_waiting.empty() && m_waiting.front()->GetRound() == round;
    }

    uint32_t GetFragmentSize() const override { return 1000; }

    /** The oldest message begins to leave. */
    void Depart()
    {
        const Message message = m_waiting.front();
        m_waiting.erase(m_waiting.begin());
        CountSent(*message, 1);
    }

  protected:
    uint16_t GetPort() const override { return test::PORT; }

  private:
    std::vector<Message> m_waiting; //!< oldest first
};

NS_OBJECT_ENSURE_REGISTERED(TurnTransport);

/** The timer of learner 0, which is asked for at times that are noted in milliseconds. */
class RoundTimerTest : public testing::Test
{
  protected:
    using Asked = std::vector<std::pair<int64_t, bool>>; //!< when, and whether that ends the round

    RoundTimerTest()
        : m_net("ideal", test::Pair(), 2, TurnTransport::GetTypeId().GetName()),
          m_exchange(m_net.exchanges[0])
    {
        m_net.Open();
    }

    /** @param deadline of the rounds; 0 for none */
    void Setup(Time deadline)
    {
        ObjectFactory policy("ns3::dlearn::AllPolicy");
        if (deadline.IsStrictlyPositive())
        {
            policy = ObjectFactory("ns3::dlearn::DeadlinePolicy", "Deadline", TimeValue(deadline));
        }
        m_policy = policy.Create<RoundPolicy>();
        m_timer.Setup(m_clock, m_policy, m_exchange);
    }

    static void At(Time when, const std::function<void()>& action)
    {
        Simulator::Schedule(when, action);
    }

    /** Begin a round, and send in it when a while has passed. */
    void StartAt(Time begin, Time send, Time timeout)
    {
        At(begin, [this] { m_clock.BeginRound(); });
        At(send, [this, timeout] { m_timer.Start(timeout); });
    }

    /** Send a message of a round, which waits for its turn. */
    void Send(uint32_t round)
    {
        m_exchange->Send(round, {ModelChannel::STATE, {1}, ModelVector::Zero(2)});
    }

    void Depart()
    {
        ConstCast<TurnTransport>(DynamicCast<const TurnTransport>(m_exchange->GetTransport()))
            ->Depart();
    }

    Asked m_asked;                   //!< so far
    Ptr<RoundPolicy> m_policy;       //!< made by Setup()
    LearnerClock m_clock;            //!< of the learner
    test::ExchangeNet m_net;         //!< learner 0 and another
    Ptr<MessageExchange> m_exchange; //!< of learner 0
    RoundTimer m_timer{[this](bool timedOut) {
        m_asked.emplace_back(Simulator::Now().GetMilliSeconds(), timedOut);
    }}; //!< its own
};

// The deadline counts from the beginning of the round, the timeout from when the learner has sent.
TEST_F(RoundTimerTest, AsksAtTheDeadlineAndWhenTheTimeoutIsOver)
{
    Setup(MilliSeconds(500));
    StartAt(MilliSeconds(1000), MilliSeconds(1200), Seconds(2));
    At(MilliSeconds(1450), [&] { EXPECT_EQ(m_timer.GetWaited(), MilliSeconds(250)); });
    Simulator::Run();
    EXPECT_EQ(m_asked, (Asked{{1500, false}, {3200, true}}));
}

TEST_F(RoundTimerTest, GoesByADeadlineThatIsPutOffMeanwhile)
{
    Setup(MilliSeconds(20));
    StartAt(MilliSeconds(0), MilliSeconds(5), MilliSeconds(100));
    At(MilliSeconds(15),
       [this] { m_policy->SetAttribute("Deadline", TimeValue(MilliSeconds(50))); });
    Simulator::Run();
    EXPECT_EQ(m_asked, (Asked{{50, false}, {105, true}}));
}

TEST_F(RoundTimerTest, AsksAtOnceWhenTheDeadlineHasPassed)
{
    Setup(MilliSeconds(500));
    StartAt(Seconds(1), MilliSeconds(1800), Seconds(2));
    Simulator::Run();
    EXPECT_EQ(m_asked, (Asked{{1800, false}, {3800, true}}));
}

// A clock that is fast by a million parts in a million goes twice as fast.
TEST_F(RoundTimerTest, GoesByTheLearnersClock)
{
    Setup(MilliSeconds(500));
    m_clock.SetDrift(1e6);
    StartAt(Seconds(1), MilliSeconds(1100), Seconds(2));
    At(MilliSeconds(1400), [&] { EXPECT_EQ(m_timer.GetWaited(), MilliSeconds(600)); });
    Simulator::Run();
    EXPECT_EQ(m_asked, (Asked{{1250, false}, {2100, true}}));
}

TEST_F(RoundTimerTest, AsksNothingOnceStopped)
{
    Setup(MilliSeconds(500));
    StartAt(Seconds(1), Seconds(1), Seconds(2));
    At(MilliSeconds(1100), [&] {
        Send(0);
        EXPECT_TRUE(m_timer.AwaitsTurn(0));
        m_timer.Stop();
        Depart();
    });
    Simulator::Run();
    EXPECT_TRUE(m_asked.empty());
}

TEST_F(RoundTimerTest, TheTimesOfTheNextRoundReplaceThoseOfTheLast)
{
    Setup(MilliSeconds(500));
    StartAt(Seconds(1), Seconds(1), Seconds(2));
    StartAt(MilliSeconds(1300), MilliSeconds(1400), Seconds(3));
    Simulator::Run();
    EXPECT_EQ(m_asked, (Asked{{1800, false}, {4400, true}}));
}

TEST_F(RoundTimerTest, ARoundThatWaitsForATurnIsAskedForOnceItsMessageLeaves)
{
    Setup(MilliSeconds(500));
    StartAt(Seconds(1), Seconds(1), Seconds(2));
    At(MilliSeconds(1100), [&] {
        Send(7);
        Send(7);
        EXPECT_FALSE(m_timer.AwaitsTurn(6)) << "of another round";
        EXPECT_TRUE(m_timer.AwaitsTurn(7));
    });
    At(MilliSeconds(1200), [&] {
        Depart();
        EXPECT_TRUE(m_asked.empty()) << "the transport is sending";
    });
    At(MilliSeconds(1300), [&] { Depart(); }); // not waited for any more
    Simulator::Run();
    EXPECT_EQ(m_asked, (Asked{{1200, false}, {1500, false}, {3000, true}}));
}

TEST_F(RoundTimerTest, ARoundDoesNotWaitForATurnBeyondItsDeadline)
{
    Setup(MilliSeconds(500));
    StartAt(Seconds(1), Seconds(1), Seconds(2));
    At(MilliSeconds(1100), [&] { Send(0); });
    At(MilliSeconds(1499), [&] { EXPECT_TRUE(m_timer.AwaitsTurn(0)); });
    At(MilliSeconds(1500), [&] { EXPECT_FALSE(m_timer.AwaitsTurn(0)); });
    At(MilliSeconds(1600), [&] { Depart(); });
    Simulator::Run();
    EXPECT_EQ(m_asked, (Asked{{1500, false}, {3000, true}}));
}

} // namespace
} // namespace ns3::dlearn
