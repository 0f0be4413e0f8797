/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-greedy-policy.h"
#include "dlearn-net-test-support.h"

#include "ns3/dlearn-learner-rule.h"
#include "ns3/dlearn-message-table.h"
#include "ns3/dlearn-peer-application.h"
#include "ns3/dlearn-round-tracker.h"
#include "ns3/dlearn-transport.h"
#include "ns3/dlearn-udp-transport.h"
#include "ns3/double.h"
#include "ns3/object-factory.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dlearn
{
namespace
{

const auto ALL = [](LearnerId) { return true; };

TEST(RoundEstimate, IsTheLowerMedianWithoutByzantineNeighbours)
{
    RoundEstimate believed(0, {1, 2, 3, 4});
    EXPECT_FALSE(believed.Get(ALL));
    believed.Note(1, 900);
    believed.Note(2, 40);
    EXPECT_FALSE(believed.Get(ALL)) << "two of four have said nothing";
    believed.Note(3, 41);
    EXPECT_EQ(believed.Get(ALL), 40U) << "of nothing, 40, 41 and 900";
    believed.Note(4, 42);
    EXPECT_EQ(believed.Get(ALL), 41U);
    EXPECT_EQ(believed.Get([](LearnerId n) { return n != 3; }), 42U) << "of 40, 42 and 900";
    EXPECT_EQ(believed.Get([](LearnerId n) { return n == 1; }), 900U);
    EXPECT_FALSE(believed.Get([](LearnerId) { return false; }));
}

TEST(RoundEstimate, KeepsTheNewestOfEachNeighbour)
{
    RoundEstimate believed(0, {1});
    believed.Note(1, 7);
    believed.Note(1, 5);
    believed.Note(2, 100); // no neighbour
    EXPECT_EQ(believed.Get(ALL), 7U);
    EXPECT_EQ(believed.GetNewest(1), 7U);
    EXPECT_FALSE(believed.GetNewest(2));
    believed.Reset();
    EXPECT_FALSE(believed.Get(ALL));
}

// Whatever f of n neighbours say, the round is one that some honest neighbour has reached, and
// with all heard at least the (f + 1)-th highest of the honest ones.
TEST(RoundEstimate, LiesWithinWhatHonestNeighboursReached)
{
    std::mt19937_64 engine(1);
    for (uint32_t trial = 0; trial < 2000; ++trial)
    {
        const uint32_t n = 1 + engine() % 9;
        const uint32_t f = engine() % 4;
        std::set<LearnerId> neighbors;
        for (LearnerId id = 0; id < n; ++id)
        {
            neighbors.insert(id);
        }
        RoundEstimate believed(f, neighbors);
        std::vector<uint32_t> honest;
        for (LearnerId id = 0; id < n; ++id)
        {
            const uint32_t round = id < f ? 1000 * (engine() % 2) : 100 + engine() % 50;
            believed.Note(id, round);
            if (id >= f)
            {
                honest.push_back(round);
            }
        }
        const auto round = believed.Get(ALL);
        ASSERT_EQ(round.has_value(), n > f);
        if (round && f > 0)
        {
            std::sort(honest.rbegin(), honest.rend());
            EXPECT_LE(*round, honest.front());
            EXPECT_GE(*round, honest.size() > f ? honest[f] : 0);
        }
    }
}

const MessageSource STATE_1{1, ModelChannel::STATE};
const MessageSource TRACKER_OF_1{1, ModelChannel::TRACKER};
const MessageSource STATE_2{2, ModelChannel::STATE};

/** @return a vector of one entry, of a round */
Arrival
MakeArrival(double value, uint32_t round)
{
    return {ModelVector::Constant(1, value), round, {}};
}

/** Peer 0, of whose neighbours 1 sends two vectors and 2 one; messages may be early by one round.
 */
class RoundTrackerTest : public testing::Test
{
  protected:
    RoundTrackerTest() { m_net.Open(); }

    void Setup(Ptr<RoundPolicy> roundPolicy, Ptr<MissingPolicy> missingPolicy)
    {
        RoundTracker::Settings settings;
        settings.roundPolicy = roundPolicy;
        settings.missingPolicy = missingPolicy;
        settings.rounds = 10;
        settings.ahead = 1;
        m_tracker.emplace(std::vector<MessageSource>{STATE_1, TRACKER_OF_1, STATE_2}, settings);
    }

    /** A message comes. */
    void Take(const MessageSource& source, uint32_t round, std::optional<Arrival> arrival)
    {
        const bool alive = m_tracker->Observe(source, round, arrival);
        m_tracker->Take(source, round, std::move(arrival), alive);
    }

    /** Close the round after a wait. @return the messages of the round */
    Inbox Close(Time waited)
    {
        m_tracker->RecordTimeouts(waited, false, Seconds(3));
        return m_tracker->Close(*m_net.exchanges[0]);
    }

    /** @return the round of the message that is left to take; nothing when it is held */
    std::optional<uint32_t> Hold(uint32_t round)
    {
        std::optional<Arrival> arrival = MakeArrival(round, round);
        if (m_tracker->Hold(STATE_1, round, arrival))
        {
            return std::nullopt;
        }
        EXPECT_EQ(arrival->round, round);
        EXPECT_EQ(arrival->values[0], round);
        return round;
    }

    bool ShouldClose(Time elapsed = Time(0)) const { return m_tracker->ShouldClose(elapsed); }

    test::ExchangeNet m_net{"ideal", test::Complete(3), 1}; //!< 0 is the peer
    std::optional<RoundTracker> m_tracker;
};

TEST_F(RoundTrackerTest, WaitsForNeighboursThatMayStillSend)
{
    Setup(CreateObject<AllPolicy>(), CreateObject<SkipMissing>());
    m_tracker->OpenNext();
    Take(STATE_1, 0, MakeArrival(1, 0));
    EXPECT_FALSE(ShouldClose(Seconds(100)));
    Take(STATE_2, 1, MakeArrival(2, 1)); // so that of round 0 is lost
    EXPECT_FALSE(ShouldClose(Seconds(100))) << "the tracker of 1 may come";
    Take(TRACKER_OF_1, 0, std::nullopt); // came, but cannot be used
    EXPECT_TRUE(ShouldClose());
}

TEST_F(RoundTrackerTest, ClosesWhateverThePolicySaysWhenNothingMayCome)
{
    Setup(CreateObject<test::GreedyPolicy>(), CreateObject<SkipMissing>());
    m_tracker->OpenNext();
    Take(STATE_1, 0, MakeArrival(1, 0));
    Take(TRACKER_OF_1, 0, MakeArrival(1, 0));
    EXPECT_FALSE(ShouldClose(Seconds(100)));
    Take(STATE_2, 0, MakeArrival(2, 0));
    EXPECT_TRUE(ShouldClose());
}

// A neighbour that sends unusable vectors in every round, as late as it may, is suspected like a
// silent one.
TEST_F(RoundTrackerTest, DoesNotWaitForSuspectedNeighbours)
{
    Setup(CreateObject<AllPolicy>(), CreateObject<SkipMissing>());
    for (uint32_t round = 0; round < 3; ++round)
    {
        m_tracker->OpenNext();
        Take(STATE_2, round, MakeArrival(1, round));
        EXPECT_FALSE(ShouldClose()) << round << ": both channels of 1 are one wait";
        Take(STATE_1, round, std::nullopt);
        EXPECT_EQ(Close(Seconds(1)).arrivals.size(), 1U);
    }
    m_tracker->OpenNext();
    Take(STATE_2, 3, MakeArrival(1, 3));
    EXPECT_TRUE(ShouldClose()) << "3 s without success";
    Take(STATE_1, 3, MakeArrival(1, 3));
    EXPECT_FALSE(ShouldClose());
    const auto events = m_tracker->RecordTimeouts(Seconds(3), true, Seconds(3));
    EXPECT_EQ(events,
              (std::vector<std::pair<LearnerEvent::Kind, LearnerId>>{
                  {LearnerEvent::Kind::NEIGHBOR_SUSPECTED, 1},
                  {LearnerEvent::Kind::TIMED_OUT, 1}}));
    EXPECT_TRUE(ShouldClose());
    m_tracker->Reset();
    EXPECT_FALSE(ShouldClose());
}

TEST_F(RoundTrackerTest, MissingPolicyHasTheLastWord)
{
    for (const bool patient : {false, true})
    {
        Setup(CreateObjectWithAttributes<QuorumPolicy>("Fraction", DoubleValue(0.3)),
              patient ? Ptr<MissingPolicy>(CreateObject<WaitForMissing>())
                      : Ptr<MissingPolicy>(CreateObject<LastReceived>()));
        m_tracker->OpenNext();
        EXPECT_FALSE(ShouldClose());
        Take(STATE_2, 0, MakeArrival(1, 0));
        EXPECT_EQ(ShouldClose(), !patient);
        m_tracker->RecordTimeouts(Seconds(3), false, Seconds(3));
        EXPECT_TRUE(ShouldClose()) << "no neighbour is left to wait for";
    }
}

TEST_F(RoundTrackerTest, CompleteVectorsStandInForMissingOnes)
{
    Setup(CreateObject<AllPolicy>(), CreateObject<LastReceived>());
    m_tracker->OpenNext();
    Take(STATE_1, 0, MakeArrival(1, 0));
    Take(TRACKER_OF_1, 0, Arrival{ModelVector::Constant(1, 5), 0, {false}});
    EXPECT_EQ(Close(Time(0)).arrivals.size(), 2U) << "of 2 nothing ever came";
    m_tracker->OpenNext();
    Take(STATE_2, 0, MakeArrival(2, 0)); // late
    Take(STATE_1, 1, MakeArrival(3, 1));
    const Inbox next = Close(Time(0));
    EXPECT_EQ(next.arrivals.size(), 2U) << "partial vectors stand in for nothing";
    EXPECT_EQ(next.Find(1, ModelChannel::STATE)->values[0], 3);
    EXPECT_EQ(next.Find(2, ModelChannel::STATE)->values[0], 2);
    EXPECT_EQ(next.Find(2, ModelChannel::STATE)->round, 0U);
    m_tracker->OpenNext();
    EXPECT_EQ(Close(Time(0)).Find(1, ModelChannel::STATE)->round, 1U);
}

TEST_F(RoundTrackerTest, HoldsTheNewestOfMessagesThatAreTooEarly)
{
    Setup(CreateObject<AllPolicy>(), CreateObject<SkipMissing>());
    EXPECT_EQ(Hold(0), 0U) << "not too early";
    EXPECT_EQ(Hold(5), std::nullopt);
    EXPECT_EQ(Hold(6), 5U);
    EXPECT_EQ(Hold(6), 6U) << "sent twice";
    EXPECT_EQ(Hold(4), 4U);
    const auto held = m_tracker->TakeHeld();
    ASSERT_TRUE(held);
    EXPECT_EQ(held->second.round, 6U);
    EXPECT_FALSE(m_tracker->TakeHeld());
}

TEST_F(RoundTrackerTest, CountsMessagesThatAreHeldWhenItAbandonsThem)
{
    Setup(CreateObject<AllPolicy>(), CreateObject<SkipMissing>());
    Hold(5);
    m_tracker->Abandon();
    EXPECT_EQ(m_tracker->GetTable().GetTally().tooEarly, 1U);
    EXPECT_FALSE(m_tracker->TakeHeld());
}

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

/** A transport that has sent and received what a test says. */
class CountingTransport : public UdpTransport
{
  public:
    /**
     * @param sent more bytes
     * @param received more bytes
     */
    void Move(uint64_t sent, uint64_t received)
    {
        m_txBytes += sent;
        m_rxBytes += received;
    }
};

using Totals = std::map<std::string, uint64_t>;

TEST(TrafficCounter, PutsEachByteIntoOneRecord)
{
    const auto transport = CreateObject<CountingTransport>();
    TrafficCounter tally;
    RoundRecord first;
    RoundRecord second;
    transport->Move(10, 1);
    tally.Count(*transport, first);
    transport->Move(20, 2);
    tally.CountSent(*transport, first); // completes it
    transport->Move(30, 3);
    tally.Count(*transport, second);
    EXPECT_EQ(first.txBytes, 30U);
    EXPECT_EQ(first.rxBytes, 1U);
    EXPECT_EQ(second.txBytes, 30U);
    EXPECT_EQ(second.rxBytes, 5U);
    transport->Move(40, 4);
    Totals totals;
    for (int time = 0; time < 2; ++time)
    {
        tally.Finish(*transport, &second, totals);
        EXPECT_EQ(second.txBytes, 70U);
        EXPECT_EQ(second.rxBytes, 9U);
    }
    EXPECT_TRUE(totals.empty());
}

TEST(TrafficCounter, CountsWhatNoRecordTellsOf)
{
    const auto transport = CreateObject<CountingTransport>();
    Totals totals;
    TrafficCounter().Finish(*transport, nullptr, totals);
    EXPECT_TRUE(totals.empty());
    transport->Move(7, 0);
    TrafficCounter().Finish(*transport, nullptr, totals);
    TrafficCounter().Finish(*transport, nullptr, totals); // of another learner
    EXPECT_EQ(totals, (Totals{{"tx_bytes_without_row", 14}}));
}

/** An account with a given epsilon. */
class SpentAccount : public PrivacyAccount
{
  public:
    double GetEpsilon() const override { return m_epsilon; }

    double GetNominalEpsilon() const override { return 2 * m_epsilon; }

    double m_epsilon{0}; //!< realised; the nominal one is twice as much
};

/** A rule with an account, or none. */
class AccountedRule : public LearnerRule
{
  public:
    const ModelVector& GetModel() const override { return m_model; }

    uint64_t GetWork() const override { return 0; }

    Ptr<const PrivacyAccount> GetLedger() const override { return m_account; }

    Ptr<SpentAccount> m_account; //!< null for none

  private:
    ModelVector m_model;
};

TEST(UnrecordedExposure, HasARecordOnce)
{
    const auto rule = CreateObject<AccountedRule>();
    UnrecordedExposure exposure;
    std::vector<RoundRecord> records(1);
    records[0].epsilon = 3;
    for (const uint32_t round : {1, 2}) // the last one counts
    {
        Simulator::Schedule(Seconds(round), [&exposure, round] { exposure.Note(round); });
    }
    Simulator::Run();
    exposure.Record(3, *rule, records);
    EXPECT_EQ(records.size(), 1U) << "there is no account";
    rule->m_account = CreateObject<SpentAccount>();
    rule->m_account->m_epsilon = 3;
    exposure.Record(3, *rule, records);
    EXPECT_EQ(records.size(), 1U) << "it has cost nothing in the end";
    rule->m_account->m_epsilon = 7;
    exposure.Record(3, *rule, records);
    ASSERT_EQ(records.size(), 2U);
    EXPECT_EQ(records[1].closed, Seconds(2));
    EXPECT_EQ(records[1].round, 2U);
    EXPECT_EQ(records[1].node, 3U);
    EXPECT_EQ(records[1].epsilon, 7);
    EXPECT_EQ(records[1].epsilonNominal, 14);
    EXPECT_EQ(records[1].expected, 0U) << "it counts no messages";
    EXPECT_NO_THROW(records[1].CheckConservation());
    rule->m_account->m_epsilon = 9;
    exposure.Record(3, *rule, records);
    EXPECT_EQ(records.size(), 2U);
    exposure.Note(4);
    exposure.Forget();
    exposure.Record(3, *rule, records);
    EXPECT_EQ(records.size(), 2U) << "a later record shows it";
    Simulator::Destroy();
}

} // namespace
} // namespace ns3::dlearn
