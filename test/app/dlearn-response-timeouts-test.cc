/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-response-timeouts.h"
#include "ns3/dlearn-state-archive.h"

#include <cmath>
#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

using Settings = ResponseTimeouts::Settings;

/** Of four senders, in the order of a server that has its first answer after 10 s. */
Settings
MakeServer()
{
    Settings server;
    server.learns = true;
    server.senders = 4;
    return server;
}

TEST(ResponseTimeouts, AreWhatIsChosen)
{
    Settings chosen = MakeServer();
    chosen.response = MilliSeconds(5);
    chosen.suspicion = MilliSeconds(7);
    chosen.deadline = chosen.forecast.answer = chosen.forecast.recovery = Hours(1);
    ResponseTimeouts timeouts(chosen);
    timeouts.Record(Seconds(2));
    EXPECT_EQ(timeouts.GetResponse(), MilliSeconds(5));
    EXPECT_EQ(timeouts.GetLeast(), MilliSeconds(5));
    EXPECT_EQ(timeouts.GetSuspicion(), MilliSeconds(7));
}

TEST(ResponseTimeouts, OneMayBeChosenAlone)
{
    EXPECT_EQ(ResponseTimeouts({MilliSeconds(5)}).GetSuspicion(), Seconds(2)) << "for late ones";
    EXPECT_EQ(ResponseTimeouts({Seconds(8)}).GetSuspicion(), Seconds(16));
    const ResponseTimeouts other({Time(0), Seconds(3)});
    EXPECT_EQ(other.GetResponse(), Seconds(1));
    EXPECT_EQ(other.GetSuspicion(), Seconds(3));
}

TEST(ResponseTimeouts, FollowTheLongestOfWhatIsKnownAhead)
{
    EXPECT_EQ(ResponseTimeouts().GetResponse(), Seconds(1));
    const auto least = [](Time deadline, Time answer, Time recovery) {
        Settings server = MakeServer();
        server.deadline = deadline;
        server.forecast = {answer, recovery};
        ResponseTimeouts timeouts(server);
        timeouts.Record(Time(0));
        EXPECT_EQ(timeouts.GetLeast(), timeouts.GetResponse());
        EXPECT_EQ(timeouts.GetSuspicion(), 2 * timeouts.GetResponse());
        return timeouts.GetLeast();
    };
    EXPECT_EQ(least(Seconds(5), Seconds(2), Seconds(3)), Seconds(5));
    EXPECT_EQ(least(Seconds(2), Seconds(5), Seconds(3)), Seconds(5));
    EXPECT_EQ(least(Seconds(2), Seconds(3), Seconds(5)), Seconds(5));
}

// m: 2 s; 2 + (0.4 - 2) / 32 = 1.95 s; 2.05 s; 10 s, of which four times are more than 30 s.
TEST(ResponseTimeouts, FollowTheSlowestAnswer)
{
    ResponseTimeouts timeouts(MakeServer());
    EXPECT_EQ(timeouts.GetResponse(), Seconds(30)) << "nothing is known yet";
    EXPECT_EQ(timeouts.GetLeast(), Seconds(1));
    EXPECT_TRUE(timeouts.Record(Seconds(2)));
    EXPECT_EQ(timeouts.GetResponse(), Seconds(8));
    EXPECT_EQ(timeouts.GetSuspicion(), Seconds(16));
    EXPECT_FALSE(timeouts.Record(MilliSeconds(400)));
    EXPECT_EQ(timeouts.GetResponse(), MilliSeconds(7800));
    timeouts.Record(MilliSeconds(2050));
    EXPECT_EQ(timeouts.GetResponse(), MilliSeconds(8200));
    timeouts.Record(Seconds(10));
    EXPECT_EQ(timeouts.GetResponse(), Seconds(30));
    EXPECT_EQ(timeouts.GetLeast(), Seconds(1));
}

// After k answers that take no time m = 2 s (31/32)^k; it is a quarter after 44.
TEST(ResponseTimeouts, ForgetASlowAnswerSlowly)
{
    ResponseTimeouts timeouts(MakeServer());
    timeouts.Record(Seconds(2));
    int answers = 0;
    for (; timeouts.GetResponse() > Seconds(2); ++answers)
    {
        timeouts.Record(Time(0));
    }
    EXPECT_EQ(answers, static_cast<int>(std::ceil(std::log(0.25) / std::log(31.0 / 32))));
    for (; answers < 100; ++answers)
    {
        timeouts.Record(Time(0));
    }
    EXPECT_EQ(timeouts.GetResponse(), Seconds(1)) << "but not less";
}

// Where a round takes long by the forecast, so may an answer: 40 s.
TEST(ResponseTimeouts, AreBoundedByFourTimesTheForecast)
{
    Settings server = MakeServer();
    server.forecast.answer = Seconds(10);
    ResponseTimeouts timeouts(server);
    EXPECT_EQ(timeouts.GetResponse(), Seconds(40));
    timeouts.Record(Seconds(2));
    EXPECT_EQ(timeouts.GetResponse(), Seconds(10));
    timeouts.Record(Seconds(20));
    EXPECT_EQ(timeouts.GetResponse(), Seconds(40));
}

// Where half of the answers take 20 s, the wait grows beyond 30 s; one sender of four that answers
// later each time does not make it grow.
TEST(ResponseTimeouts, AreBoundedByWhatIsUsual)
{
    ResponseTimeouts slow(MakeServer());
    ResponseTimeouts attacked(MakeServer());
    for (int k = 0; k < 400; ++k)
    {
        slow.Record(Seconds(k % 2 == 0 ? 10 : 20 + k % 7));
        attacked.Record(k % 4 == 0 ? attacked.GetResponse() : Seconds(1));
    }
    EXPECT_GT(slow.GetResponse(), Seconds(39));
    EXPECT_LT(slow.GetResponse(), Seconds(104));
    EXPECT_EQ(attacked.GetResponse(), Seconds(30));
}

// An answer of no time, as over an ideal network, does not keep the usual one at 0.
TEST(ResponseTimeouts, KnowSlowAnswersAfterOneOfNoTime)
{
    ResponseTimeouts timeouts(MakeServer());
    timeouts.Record(Time(0));
    for (int k = 0; k < 600; ++k)
    {
        timeouts.Record(Seconds(20));
    }
    EXPECT_GT(timeouts.GetResponse(), Seconds(75));
    EXPECT_LE(timeouts.GetResponse(), Seconds(80));
}

TEST(ResponseTimeouts, OfPeersFollowFourTimesTheForecastAndNoAnswer)
{
    Settings peer;
    peer.forecast.answer = Seconds(3);
    ResponseTimeouts timeouts(peer);
    timeouts.Record(Seconds(20));
    EXPECT_EQ(timeouts.GetResponse(), Seconds(12));
}

TEST(ResponseTimeouts, AreTheSameAfterAReturnToACheckpoint)
{
    ResponseTimeouts timeouts(MakeServer());
    timeouts.Record(Seconds(2));
    StateArchive saved;
    timeouts.VisitState(saved);
    ResponseTimeouts other(MakeServer());
    StateArchive loading(saved.GetBytes());
    other.VisitState(loading);
    EXPECT_EQ(other.GetResponse(), Seconds(8));
}

} // namespace
} // namespace ns3::dlearn
