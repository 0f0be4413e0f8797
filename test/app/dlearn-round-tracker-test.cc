/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-greedy-policy.h"
#include "dlearn-net-test-support.h"

#include "ns3/dlearn-round-tracker.h"
#include "ns3/double.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <optional>
#include <random>
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

const MessageSource STATE_OF_1{1, ModelChannel::STATE};
const MessageSource TRACKER_OF_1{1, ModelChannel::TRACKER};
const MessageSource STATE_OF_2{2, ModelChannel::STATE};

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
        m_tracker.emplace(std::vector<MessageSource>{STATE_OF_1, TRACKER_OF_1, STATE_OF_2},
                          settings);
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
        if (m_tracker->Hold(STATE_OF_1, round, arrival))
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
    Take(STATE_OF_1, 0, MakeArrival(1, 0));
    EXPECT_FALSE(ShouldClose(Seconds(100)));
    Take(STATE_OF_2, 1, MakeArrival(2, 1)); // so that of round 0 is lost
    EXPECT_FALSE(ShouldClose(Seconds(100))) << "the tracker of 1 may come";
    Take(TRACKER_OF_1, 0, std::nullopt); // came, but cannot be used
    EXPECT_TRUE(ShouldClose());
}

TEST_F(RoundTrackerTest, ClosesWhateverThePolicySaysWhenNothingMayCome)
{
    Setup(CreateObject<test::GreedyPolicy>(), CreateObject<SkipMissing>());
    m_tracker->OpenNext();
    Take(STATE_OF_1, 0, MakeArrival(1, 0));
    Take(TRACKER_OF_1, 0, MakeArrival(1, 0));
    EXPECT_FALSE(ShouldClose(Seconds(100)));
    Take(STATE_OF_2, 0, MakeArrival(2, 0));
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
        Take(STATE_OF_2, round, MakeArrival(1, round));
        EXPECT_FALSE(ShouldClose()) << round << ": both channels of 1 are one wait";
        Take(STATE_OF_1, round, std::nullopt);
        EXPECT_EQ(Close(Seconds(1)).arrivals.size(), 1U);
    }
    m_tracker->OpenNext();
    Take(STATE_OF_2, 3, MakeArrival(1, 3));
    EXPECT_TRUE(ShouldClose()) << "3 s without success";
    Take(STATE_OF_1, 3, MakeArrival(1, 3));
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
        Take(STATE_OF_2, 0, MakeArrival(1, 0));
        EXPECT_EQ(ShouldClose(), !patient);
        m_tracker->RecordTimeouts(Seconds(3), false, Seconds(3));
        EXPECT_TRUE(ShouldClose()) << "no neighbour is left to wait for";
    }
}

TEST_F(RoundTrackerTest, CompleteVectorsStandInForMissingOnes)
{
    Setup(CreateObject<AllPolicy>(), CreateObject<LastReceived>());
    m_tracker->OpenNext();
    Take(STATE_OF_1, 0, MakeArrival(1, 0));
    Take(TRACKER_OF_1, 0, Arrival{ModelVector::Constant(1, 5), 0, {false}});
    EXPECT_EQ(Close(Time(0)).arrivals.size(), 2U) << "of 2 nothing ever came";
    m_tracker->OpenNext();
    Take(STATE_OF_2, 0, MakeArrival(2, 0)); // late
    Take(STATE_OF_1, 1, MakeArrival(3, 1));
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

} // namespace
} // namespace ns3::dlearn
