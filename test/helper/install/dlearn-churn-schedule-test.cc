/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Schedules as text. What a crash does to a run is tested in system/dlearn-churn-test.cc.
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-fault-schedule.h"
#include "ns3/dlearn-peer-application.h"
#include "ns3/simulator.h"

#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

using Action = ChurnSchedule::Action;

TEST(ChurnSchedule, ReadsEventsInTheOrderGiven)
{
    const auto schedule = ChurnSchedule::Parse("crash:3@2.5s,restart:3@4s,crash:0@100ms");
    const auto& events = schedule.GetEvents();
    ASSERT_EQ(events.size(), 3U);
    EXPECT_EQ(events[0].action, Action::CRASH);
    EXPECT_EQ(events[0].learner, 3U);
    EXPECT_EQ(events[0].time, MilliSeconds(2500));
    EXPECT_EQ(events[1].action, Action::RESTART);
    EXPECT_EQ(events[1].learner, 3U);
    EXPECT_EQ(events[1].time, Seconds(4));
    EXPECT_EQ(events[2].action, Action::CRASH);
    EXPECT_EQ(events[2].learner, 0U);
    EXPECT_EQ(events[2].time, MilliSeconds(100));
    EXPECT_EQ(schedule.GetEnd(), Seconds(4)) << "the last in time, not in the text";
}

TEST(ChurnSchedule, MayBeEmpty)
{
    const auto schedule = ChurnSchedule::Parse("");
    EXPECT_TRUE(schedule.GetEvents().empty());
    EXPECT_EQ(schedule.GetEnd(), Seconds(0));
    schedule.Install({});
}

TEST(ChurnSchedule, GrowsByHand)
{
    ChurnSchedule schedule;
    schedule.Add(Seconds(2), 1, Action::CRASH);
    ASSERT_EQ(schedule.GetEvents().size(), 1U);
    EXPECT_EQ(schedule.GetEvents()[0].learner, 1U);
    EXPECT_EQ(schedule.GetEnd(), Seconds(2));
}

TEST(ChurnSchedule, RefusesWhatIsNoEventAndQuotesIt)
{
    for (const std::string text : {"crash",
                                   "crash:1",
                                   "crash@1s",
                                   "crash@1s:1",
                                   "explode:1@1s",
                                   "Crash:1@1s",
                                   "crash:@1s",
                                   "crash:-1@1s",
                                   "crash:one@1s",
                                   "crash: 1@1s",
                                   "crash:4294967296@1s",
                                   ":1@1s"})
    {
        ExpectRefused([&] { ChurnSchedule::Parse("restart:0@1s," + text); },
                      "an event must be crash:LEARNER@TIME, leave:LEARNER@TIME or "
                      "restart:LEARNER@TIME, got '" +
                          text + "'");
    }
    ExpectRefused([] { ChurnSchedule::Parse("crash:1@soon"); },
                  "time of 'crash:1@soon' must be a time of at least 0 with a unit");
    ExpectRefused([] { ChurnSchedule::Parse("crash:1@-1s"); }, "got '-1s'");
    ExpectRefused([] { ChurnSchedule::Parse("crash:1@1s,,crash:2@2s"); }, "got ''");
    ExpectRefused([] { ChurnSchedule::Parse("crash:1@1s,"); }, "got ''");
    EXPECT_TRUE(ChurnSchedule::Parse("").GetEvents().empty());
}

TEST(ChurnSchedule, RefusesALearnerThatThereIsNot)
{
    const std::vector<Ptr<LearnerApplication>> learners(2, CreateObject<PeerApplication>());
    ExpectRefused([&] { ChurnSchedule::Parse("crash:2@1s").Install(learners); },
                  "churn: learner must be less than 2, got 2");
    Simulator::Destroy();
}

TEST(ChurnSchedule, RefusesWhatIsInThePast)
{
    const std::vector<Ptr<LearnerApplication>> learners(2, CreateObject<PeerApplication>());
    Simulator::Schedule(MilliSeconds(5), [&] {
        ExpectRefused([&] { ChurnSchedule::Parse("crash:1@1ms").Install(learners); },
                      "at +0.001s is in the past, as it is already +0.005s");
    });
    Simulator::Run();
    Simulator::Destroy();
}

} // namespace
} // namespace ns3::dlearn
