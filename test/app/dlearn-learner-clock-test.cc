/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-learner-clock.h"
#include "ns3/simulator.h"

#include <gtest/gtest.h>

namespace ns3::dlearn
{

namespace
{

/** @return a clock that is fast by a number of seconds in a million */
LearnerClock
MakeClock(double ppm)
{
    LearnerClock clock;
    clock.SetDrift(ppm);
    clock.BeginRound();
    return clock;
}

} // namespace

TEST(LearnerClock, WithoutDriftIsSimulatedTime)
{
    const LearnerClock clock;
    EXPECT_EQ(clock.ToSimulated("a span", MilliSeconds(17)), MilliSeconds(17));
    EXPECT_EQ(clock.ToLocal(MilliSeconds(17)), MilliSeconds(17));
}

TEST(LearnerClock, FastOneIsOverEarlierAndSlowOneLater)
{
    // A clock that is fast by a quarter shows 5 s after 4 s; one that is slow by half 2 s.
    EXPECT_EQ(MakeClock(250000).ToSimulated("a span", Seconds(5)), Seconds(4));
    EXPECT_EQ(MakeClock(250000).ToLocal(Seconds(4)), Seconds(5));
    EXPECT_EQ(MakeClock(-500000).ToSimulated("a span", Seconds(2)), Seconds(4));
    EXPECT_EQ(MakeClock(-500000).ToLocal(Seconds(4)), Seconds(2));
}

TEST(LearnerClock, ASpanIsOverWhenItsTimeIs)
{
    for (const double ppm : {-999999.0, -31.7, 0.3, 47.0, 1e7})
    {
        const LearnerClock clock = MakeClock(ppm);
        for (const int64_t span : {1, 3, 999, 1000003, 123456789})
        {
            const Time local = NanoSeconds(span);
            EXPECT_GE(clock.ToLocal(clock.ToSimulated("a span", local)), local)
                << ppm << " " << span;
        }
    }
}

TEST(LearnerClock, DriftIsInForceFromTheNextRound)
{
    LearnerClock clock;
    clock.SetDrift(250000);
    EXPECT_EQ(clock.ToLocal(Seconds(4)), Seconds(4));
    clock.BeginRound();
    EXPECT_EQ(clock.ToLocal(Seconds(4)), Seconds(5));
}

TEST(LearnerClock, TellsSinceWhenTheRoundIsOpen)
{
    LearnerClock clock;
    Simulator::Schedule(Seconds(1), [&clock] {
        clock.SetDrift(250000);
        clock.BeginRound();
    });
    Simulator::Schedule(Seconds(5), [&clock] {
        EXPECT_EQ(clock.GetDuration(), Seconds(4));
        EXPECT_EQ(clock.GetElapsed(), Seconds(5));
        EXPECT_EQ(clock.GetLeft("the deadline", Seconds(10)), Seconds(4));
        EXPECT_EQ(clock.GetLeft("the deadline", Seconds(4)), Seconds(0)) << "it is over";
    });
    Simulator::Run();
    Simulator::Destroy();
}

TEST(LearnerClock, RefusesWhatEndsBeyondTheEndOfTime)
{
    const LearnerClock clock = MakeClock(-999999);
    ExpectRefused([&] { clock.ToSimulated("the deadline", Seconds(1e5)); }, "the deadline");
}

} // namespace ns3::dlearn
