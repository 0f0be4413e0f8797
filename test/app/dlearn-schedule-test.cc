/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-greedy-policy.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-schedule.h"
#include "ns3/double.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <gtest/gtest.h>
#include <map>

namespace ns3::dlearn
{
namespace
{

RoundStatus
Status(uint32_t expected, uint32_t received, uint32_t waitable, Time elapsed = Time(0))
{
    return {expected, received, waitable, elapsed};
}

TEST(RoundPolicy, AllWaitsForAllThatAreAlive)
{
    const auto policy = CreateObject<AllPolicy>();
    EXPECT_EQ(policy->GetDeadline(), Time(0));
    EXPECT_FALSE(policy->ShouldClose(Status(3, 0, 3)));
    EXPECT_FALSE(policy->ShouldClose(Status(3, 2, 1, Hours(1))));
    EXPECT_TRUE(policy->ShouldClose(Status(3, 3, 0)));
    EXPECT_TRUE(policy->ShouldClose(Status(3, 1, 0))); // two are suspected
    EXPECT_TRUE(policy->ShouldClose(Status(0, 0, 0))); // no neighbour
    EXPECT_EQ(policy->CountEnough(3), 3U);
    EXPECT_EQ(policy->CountEnough(0), 0U);
}

TEST(RoundPolicy, DeadlineClosesExactlyThen)
{
    const auto policy = CreateObject<DeadlinePolicy>();
    EXPECT_EQ(policy->GetDeadline(), MilliSeconds(100)); // the documented default
    policy->SetAttribute("Deadline", TimeValue(MilliSeconds(30)));
    EXPECT_EQ(policy->GetDeadline(), MilliSeconds(30));
    EXPECT_FALSE(policy->ShouldClose(Status(3, 2, 1, MilliSeconds(30) - NanoSeconds(1))));
    EXPECT_TRUE(policy->ShouldClose(Status(3, 2, 1, MilliSeconds(30))));
    EXPECT_TRUE(policy->ShouldClose(Status(3, 0, 3, MilliSeconds(31))));
    EXPECT_TRUE(policy->ShouldClose(Status(3, 3, 0, Time(0)))); // all have arrived
    EXPECT_TRUE(policy->ShouldClose(Status(3, 0, 0, Time(0)))); // none will arrive
    EXPECT_EQ(policy->CountEnough(3), 3U) << "they come in time";
    EXPECT_FALSE(policy->SetAttributeFailSafe("Deadline", TimeValue(Time(0))));
}

TEST(RoundPolicy, QuorumCountsTheShareOfTheExpectedRoundedUp)
{
    const struct
    {
        double fraction;
        uint32_t expected;
        uint32_t enough;
    } rows[] = {
        {0.5, 4, 2},
        {0.5, 5, 3},
        {0.5, 1, 1},
        {1.0, 4, 4},
        {0.0, 4, 0},
        {0.3, 10, 3},   // 0.3 * 10 > 3 in binary fractions would ask for 4
        {0.1, 30, 3},   // the same
        {0.55, 20, 11}, // 0.55 * 20 = 11.000000000000002
        {0.31, 10, 4},
        {2.0 / 3, 3, 2},
        {1e-6, 4, 1},
    };

    const auto policy = CreateObject<QuorumPolicy>();
    EXPECT_EQ(policy->GetDeadline(), Time(0));
    for (const auto& row : rows)
    {
        policy->SetAttribute("Fraction", DoubleValue(row.fraction));
        for (uint32_t received = 0; received <= row.expected; ++received)
        {
            const bool closes = policy->ShouldClose(Status(row.expected, received, 1));
            EXPECT_EQ(closes, received >= row.enough)
                << row.fraction << " of " << row.expected << ", " << received << " there";
        }
        EXPECT_TRUE(policy->ShouldClose(Status(row.expected, 0, 0))); // no message will arrive
        EXPECT_EQ(policy->CountEnough(row.expected), row.enough);
    }
    policy->SetAttribute("Deadline", TimeValue(Seconds(1))); // whichever comes first
    policy->SetAttribute("Fraction", DoubleValue(0.5));
    EXPECT_EQ(policy->GetDeadline(), Seconds(1));
    EXPECT_FALSE(policy->ShouldClose(Status(4, 1, 3, MilliSeconds(999))));
    EXPECT_TRUE(policy->ShouldClose(Status(4, 2, 2, MilliSeconds(999))));
    EXPECT_TRUE(policy->ShouldClose(Status(4, 1, 3, Seconds(1))));
    EXPECT_FALSE(policy->SetAttributeFailSafe("Fraction", DoubleValue(1.01)));
    EXPECT_FALSE(policy->SetAttributeFailSafe("Fraction", DoubleValue(-0.01)));
}

TEST(RoundPolicy, AsynchronousLooksAtTheClockOnly)
{
    const auto policy = CreateObject<AsynchronousPolicy>();
    EXPECT_TRUE(policy->IsAsynchronous());
    EXPECT_FALSE(CreateObject<AllPolicy>()->IsAsynchronous());
    EXPECT_EQ(policy->GetDeadline(), Time(0));
    EXPECT_TRUE(policy->ShouldClose(Status(3, 0, 3, NanoSeconds(1))));
    ExpectRefused([&] { policy->ShouldClose(Status(3, 3, 0, Time(0))); },
                  "AsynchronousPolicy: a round must take some time, but neither computation nor "
                  "Period does");
    policy->SetAttribute("Period", TimeValue(MilliSeconds(30)));
    EXPECT_EQ(policy->GetDeadline(), MilliSeconds(30));
    EXPECT_FALSE(policy->ShouldClose(Status(3, 3, 0, Time(0))));
    EXPECT_FALSE(policy->ShouldClose(Status(3, 3, 0, MilliSeconds(30) - NanoSeconds(1))));
    EXPECT_TRUE(policy->ShouldClose(Status(3, 0, 3, MilliSeconds(30))));
}

using Source = std::pair<LearnerId, ModelChannel>;

const Source STATE{4, ModelChannel::STATE};
const Source TRACKER{4, ModelChannel::TRACKER};

Arrival
Make(uint32_t round)
{
    Arrival arrival;
    arrival.values = ModelVector::Constant(2, round);
    arrival.round = round;
    return arrival;
}

TEST(MissingPolicy, LastReceivedKeepsTheNewestRoundOfEachSource)
{
    const auto policy = CreateObject<LastReceived>();
    EXPECT_EQ(policy->GetStandIn(STATE), nullptr);
    policy->Remember(STATE, Make(3));
    ASSERT_NE(policy->GetStandIn(STATE), nullptr);
    EXPECT_EQ(policy->GetStandIn(STATE)->round, 3U);
    EXPECT_EQ(policy->GetStandIn(TRACKER), nullptr);
    policy->Remember(STATE, Make(2)); // late: older than what there is
    EXPECT_EQ(policy->GetStandIn(STATE)->round, 3U);
    EXPECT_EQ(policy->GetStandIn(STATE)->values, Make(3).values);
    policy->Remember(STATE, Make(8));
    policy->Remember(TRACKER, Make(5));
    EXPECT_EQ(policy->GetStandIn(STATE)->round, 8U);
    EXPECT_EQ(policy->GetStandIn(TRACKER)->round, 5U);
    EXPECT_EQ(policy->GetStandIn({5, ModelChannel::STATE}), nullptr);
}

using Clients = std::vector<LearnerId>;

/** @return what a server knows of some clients, of which some are idle */
RoundView
View(const Clients& idle, const Clients& busy = {}, uint32_t round = 0)
{
    RoundView view;
    view.round = round;
    for (const LearnerId client : idle)
    {
        view.clients[client].idle = true;
    }
    for (const LearnerId client : busy)
    {
        view.clients[client].idle = false;
    }
    return view;
}

TEST(SynchronousSchedule, AsksItsParts)
{
    const auto schedule = CreateObject<SynchronousSchedule>();
    schedule->SetAttribute("Sampling", TypeIdValue(ScheduledSampling::GetTypeId()));
    schedule->SetAttribute("RoundPolicy", TypeIdValue(DeadlinePolicy::GetTypeId()));
    schedule->GetSampling()->SetAttribute("Plan", StringValue("1;2,3"));
    schedule->GetRoundPolicy()->SetAttribute("Deadline", TimeValue(Seconds(2)));
    schedule->Setup({1, 2, 3});
    const RoundPlan plan = schedule->Plan(View({1, 2, 3}, {}, 1));
    EXPECT_EQ(plan.clients, (Clients{2, 3}));
    EXPECT_EQ(plan.deadline, Seconds(2));
    EXPECT_EQ(plan.minimum, 1U);
    EXPECT_EQ(schedule->GetDeadline(), Seconds(2));
    EXPECT_TRUE(schedule->IsSynchronous());
    RoundStatus status;
    status.expected = 2;
    status.waitable = 1;
    status.elapsed = Seconds(1);
    EXPECT_FALSE(schedule->ShouldClose(status, 100));
    status.elapsed = Seconds(2);
    EXPECT_TRUE(schedule->ShouldClose(status, 0));
}

TEST(SynchronousSchedule, RefusesPartsOfTheWrongKind)
{
    const auto asynchronous = CreateObject<SynchronousSchedule>();
    asynchronous->SetAttribute("RoundPolicy", TypeIdValue(AsynchronousPolicy::GetTypeId()));
    ExpectRefused([&] { asynchronous->Setup({1}); },
                  "SynchronousSchedule: RoundPolicy must not be ns3::dlearn::AsynchronousPolicy, "
                  "which is for peers");
    for (const std::string name : {"RoundPolicy", "Sampling"})
    {
        const auto schedule = CreateObject<SynchronousSchedule>();
        const TypeIdValue wrong(BufferedSchedule::GetTypeId());
        ExpectRefused([&] { schedule->SetAttribute(name, wrong); },
                      "SynchronousSchedule: " + name + " must be a concrete type derived from");
        schedule->Setup({1});
        ExpectRefused([&] { schedule->SetAttribute(name, wrong); },
                      name + " cannot be replaced after set-up");
    }
}

Ptr<BufferedSchedule>
MakeBuffered(uint32_t size, uint32_t concurrency, uint32_t clients)
{
    const auto schedule = CreateObject<BufferedSchedule>();
    schedule->SetAttribute("BufferSize", UintegerValue(size));
    schedule->SetAttribute("Concurrency", UintegerValue(concurrency));
    EXPECT_EQ(schedule->AssignStreams(3), 1);
    Clients all(clients);
    for (uint32_t k = 0; k < clients; ++k)
    {
        all[k] = k + 1;
    }
    schedule->Setup(all);
    return schedule;
}

TEST(BufferedSchedule, KeepsSoManyBusy)
{
    const auto all = MakeBuffered(2, 0, 4);
    EXPECT_EQ(all->Plan(View({1, 2, 3, 4})).clients, (Clients{1, 2, 3, 4}));
    EXPECT_EQ(all->Plan(View({3}, {1, 2, 4})).clients, Clients{3});
    EXPECT_EQ(all->Plan(View({}, {1, 2, 3, 4})).clients, Clients{});
    RoundView waiting = View({1, 2}, {3, 4});
    waiting.clients[2].waits = true;
    EXPECT_EQ(all->Plan(waiting).clients, Clients{1});
    const auto three = MakeBuffered(2, 3, 5);
    EXPECT_EQ(three->Plan(View({1, 2, 3, 4, 5})).clients.size(), 3U);
    EXPECT_EQ(three->Plan(View({1, 4, 5}, {2, 3})).clients.size(), 1U);
    EXPECT_EQ(three->Plan(View({4, 5}, {1, 2, 3})).clients.size(), 0U);
    EXPECT_FALSE(three->IsSynchronous());
    EXPECT_EQ(three->GetDeadline(), Time(0));
}

// 4000 times one of four: B(4000, 1/4) each, beyond 6 standard deviations (164) with probability
// 2e-9 each.
TEST(BufferedSchedule, DrawsUniformlyWhoIsNext)
{
    const auto one = MakeBuffered(1, 1, 4);
    std::map<LearnerId, int> counts;
    for (uint32_t k = 0; k < 4000; ++k)
    {
        ++counts[one->Plan(View({1, 2, 3, 4})).clients.at(0)];
    }
    for (LearnerId client = 1; client <= 4; ++client)
    {
        EXPECT_NEAR(counts[client], 1000, 164);
    }
}

TEST(BufferedSchedule, ClosesWhenTheBufferIsFullOrNoClientIsLeft)
{
    const auto schedule = MakeBuffered(3, 0, 4);
    RoundStatus status;
    status.waitable = 2;
    status.elapsed = Seconds(1e6);
    EXPECT_FALSE(schedule->ShouldClose(status, 2));
    EXPECT_TRUE(schedule->ShouldClose(status, 3));
    EXPECT_TRUE(schedule->ShouldClose(status, 4));
    status.waitable = 0;
    EXPECT_TRUE(schedule->ShouldClose(status, 0));
}

TEST(ServerSchedule, KnowsWithHowManyUpdatesARoundCloses)
{
    const auto lockStep = CreateObject<SynchronousSchedule>();
    lockStep->SetAttribute("Sampling", TypeIdValue(ScheduledSampling::GetTypeId()));
    lockStep->SetAttribute("RoundPolicy", TypeIdValue(QuorumPolicy::GetTypeId()));
    lockStep->GetSampling()->SetAttribute("Plan", StringValue("1-3;1-5"));
    lockStep->GetRoundPolicy()->SetAttribute("Fraction", DoubleValue(0.5));
    lockStep->Setup({1, 2, 3, 4, 5});
    EXPECT_EQ(lockStep->CountUpdates().fewest, 2U);
    EXPECT_EQ(lockStep->CountUpdates().most, 3U);
    lockStep->GetRoundPolicy()->SetAttribute("Fraction", DoubleValue(0));
    EXPECT_EQ(lockStep->CountUpdates().fewest, 1U);
    EXPECT_EQ(MakeBuffered(3, 0, 4)->CountUpdates().fewest, 3U);
    EXPECT_EQ(MakeBuffered(3, 0, 4)->CountUpdates().most, 3U);
}

// 1.3 times 3 clients are asked; 3 updates close the round, and with less than 2 there is no model.
TEST(SynchronousSchedule, ClosesOverSelectedRoundsWithTheNumberWanted)
{
    const auto schedule = CreateObject<SynchronousSchedule>();
    schedule->SetAttribute("MinUpdates", UintegerValue(2));
    schedule->GetSampling()->SetAttribute("Count", UintegerValue(3));
    schedule->GetSampling()->SetAttribute("OverSelection", DoubleValue(1.3));
    const Clients all{1, 2, 3, 4, 5, 6};
    schedule->Setup(all);
    const RoundPlan plan = schedule->Plan(View(all));
    EXPECT_EQ(plan.clients.size(), 4U);
    EXPECT_EQ(plan.minimum, 2U);
    EXPECT_FALSE(schedule->ShouldClose(Status(4, 2, 2), 0));
    EXPECT_TRUE(schedule->ShouldClose(Status(4, 3, 1), 0));
    EXPECT_EQ(schedule->CountUpdates().fewest, 3U);
    EXPECT_EQ(schedule->CountUpdates().most, 3U);
    const auto greedy = CreateObject<SynchronousSchedule>();
    greedy->SetAttribute("MinUpdates", UintegerValue(7));
    ExpectRefused([&] { greedy->Setup(all); },
                  "SynchronousSchedule: MinUpdates must be at most the updates with which a round "
                  "closes, 6; got 7");
}

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

} // namespace
} // namespace ns3::dlearn
