/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-greedy-policy.h"

#include "ns3/dlearn-round-barrier.h"
#include "ns3/dlearn-round-window.h"
#include "ns3/double.h"
#include "ns3/object-factory.h"

#include <gtest/gtest.h>
#include <vector>

namespace ns3::dlearn
{
namespace
{

using Source = MessageWindow::Source;

const Source STATE_OF_1{1, ModelChannel::STATE};
const Source TRACKER_OF_1{1, ModelChannel::TRACKER};
const Source STATE_OF_2{2, ModelChannel::STATE};
const std::vector<Source> EXPECTED_SOURCES{STATE_OF_1, TRACKER_OF_1, STATE_OF_2};

/** @return a vector of one entry, of a round */
Arrival
MakeArrival(double value, uint32_t round)
{
    return {ModelVector::Constant(1, value), round, {}};
}

const Time TOLERANCE = Seconds(3); //!< of a wait for one neighbour, in all

TEST(RoundBarrier, WaitsForNeighboursThatMayStillSend)
{
    RoundBarrier wait(CreateObject<AllPolicy>(), CreateObject<SkipMissing>());
    RoundWindow window(EXPECTED_SOURCES, 4);
    window.Open(0);
    window.Offer(STATE_OF_1, 0, MakeArrival(1, 0));
    EXPECT_FALSE(wait.ShouldClose(window, Seconds(100)));
    window.Offer(STATE_OF_2, 1, MakeArrival(2, 1)); // so that of round 0 is lost
    EXPECT_FALSE(wait.ShouldClose(window, Seconds(100))) << "the tracker of 1 may come";
    window.Offer(TRACKER_OF_1, 0, std::nullopt); // came, but cannot be used
    EXPECT_TRUE(wait.ShouldClose(window, Seconds(0)));
}

TEST(RoundBarrier, EndsWhateverThePolicySaysWhenNothingMayCome)
{
    RoundBarrier wait(CreateObject<test::GreedyPolicy>(), CreateObject<SkipMissing>());
    RoundWindow window({STATE_OF_1, STATE_OF_2}, 4);
    window.Open(0);
    window.Offer(STATE_OF_1, 0, MakeArrival(1, 0));
    EXPECT_FALSE(wait.ShouldClose(window, Seconds(100)));
    window.Offer(STATE_OF_2, 0, MakeArrival(2, 0));
    EXPECT_TRUE(wait.ShouldClose(window, Seconds(0)));
}

TEST(RoundBarrier, EndsForSuspectedNeighbours)
{
    RoundBarrier wait(CreateObject<AllPolicy>(), CreateObject<SkipMissing>());
    RoundWindow window(EXPECTED_SOURCES, 4);
    window.Open(0);
    window.Offer(STATE_OF_2, 0, MakeArrival(1, 0));
    wait.RecordTimeouts(window, Seconds(2), TOLERANCE);
    EXPECT_FALSE(wait.ShouldClose(window, Seconds(0)))
        << "both channels of a neighbour are one wait of 2 s, not of 4 s";
    wait.RecordTimeouts(window, Seconds(1), TOLERANCE);
    EXPECT_TRUE(wait.ShouldClose(window, Seconds(0))) << "3 s without success";
    wait.RecordActivity(1);
    EXPECT_FALSE(wait.ShouldClose(window, Seconds(0)));
    wait.RecordTimeouts(window, Seconds(3), TOLERANCE);
    EXPECT_TRUE(wait.ShouldClose(window, Seconds(0)));
    wait.Reset();
    EXPECT_FALSE(wait.ShouldClose(window, Seconds(0)));
}

// A neighbour that sends garbage in every round, as late as it may, is suspected like a silent one.
TEST(RoundBarrier, EndsForNeighboursThatSendWhatCanNotBeUsed)
{
    RoundBarrier wait(CreateObject<AllPolicy>(), CreateObject<SkipMissing>());
    RoundWindow window({STATE_OF_1, STATE_OF_2}, 4);
    for (uint32_t round = 0; round < 3; ++round)
    {
        window.Open(round);
        window.Offer(STATE_OF_2, round, MakeArrival(1, round));
        EXPECT_FALSE(wait.ShouldClose(window, Seconds(0))) << round;
        window.Offer(STATE_OF_1, round, std::nullopt);
        EXPECT_TRUE(wait.ShouldClose(window, Seconds(0)));
        wait.RecordTimeouts(window, Seconds(1), TOLERANCE);
        window.Close();
    }
    window.Open(3);
    window.Offer(STATE_OF_2, 3, MakeArrival(1, 3));
    EXPECT_TRUE(wait.ShouldClose(window, Seconds(0)));
}

TEST(RoundBarrier, MissingPolicyHasTheLastWord)
{
    const auto third = CreateObjectWithAttributes<QuorumPolicy>("Fraction", DoubleValue(0.3));
    RoundBarrier hasty(third, CreateObject<LastReceived>());
    RoundBarrier patient(third, CreateObject<WaitForMissing>());
    RoundWindow window(EXPECTED_SOURCES, 4);
    window.Open(0);
    EXPECT_FALSE(hasty.ShouldClose(window, Seconds(0)));
    window.Offer(STATE_OF_2, 0, MakeArrival(1, 0));
    EXPECT_TRUE(hasty.ShouldClose(window, Seconds(0)));
    EXPECT_FALSE(patient.ShouldClose(window, Seconds(0)));
    patient.RecordTimeouts(window, Seconds(3), TOLERANCE);
    EXPECT_TRUE(patient.ShouldClose(window, Seconds(0))) << "no neighbour is left to wait for";
}

TEST(RoundBarrier, CompleteVectorsStandInForMissingOnes)
{
    RoundBarrier wait(CreateObject<AllPolicy>(), CreateObject<LastReceived>());
    Inbox inbox;
    inbox.arrivals[STATE_OF_1] = MakeArrival(1, 0);
    inbox.arrivals[TRACKER_OF_1] = {ModelVector::Constant(1, 5), 0, {false}};
    wait.Complete(inbox, EXPECTED_SOURCES);
    EXPECT_EQ(inbox.arrivals.size(), 2U) << "of the others nothing ever came";
    wait.Remember(STATE_OF_2, MakeArrival(2, 0));
    Inbox next;
    next.arrivals[STATE_OF_1] = MakeArrival(3, 1);
    wait.Complete(next, EXPECTED_SOURCES);
    EXPECT_EQ(next.arrivals.size(), 2U) << "partial vectors stand in for nothing";
    EXPECT_EQ(next.Find(1, ModelChannel::STATE)->values[0], 3);
    EXPECT_EQ(next.Find(2, ModelChannel::STATE)->values[0], 2);
    EXPECT_EQ(next.Find(2, ModelChannel::STATE)->round, 0U);
    Inbox empty;
    wait.Complete(empty, EXPECTED_SOURCES);
    EXPECT_EQ(empty.Find(1, ModelChannel::STATE)->round, 1U);
}

} // namespace
} // namespace ns3::dlearn
