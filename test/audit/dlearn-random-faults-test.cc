/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "audit/dlearn-random-faults.h"

#include "ns3/dlearn-graph-generators.h"
#include "ns3/dlearn-seeded-random.h"

#include <gtest/gtest.h>
#include <map>

namespace ns3::dlearn
{
namespace
{

TEST(DrawFaults, DrawsSchedulesThatAreAccepted)
{
    Graph graph(5);
    for (LearnerId k = 0; k < 5; ++k)
    {
        graph.AddEdge(k, (k + 1) % 5);
    }
    const auto random = CreateSeeded<UniformRandomVariable>(1, 0);
    std::map<FaultEvent::Kind, uint32_t> kinds;
    constexpr uint32_t SCHEDULES = 400;
    for (uint32_t k = 0; k < SCHEDULES; ++k)
    {
        FaultSchedule schedule;
        std::map<FaultEvent::Kind, uint32_t> own;
        for (const std::string& event :
             DrawFaults(graph, Seconds(1), Seconds(3), {true, {}}, *random))
        {
            schedule.Add(event);
        }
        EXPECT_NO_THROW(schedule.Check(graph));
        ASSERT_FALSE(schedule.GetEvents().empty());
        for (const std::string& event :
             DrawFaults(graph, Seconds(1), Seconds(3), {false, {}}, *random))
        {
            EXPECT_NE(event.rfind("reorder", 0), 0U) << event;
        }
        for (const FaultEvent& event : schedule.GetEvents())
        {
            EXPECT_GE(event.time, Seconds(1));
            EXPECT_LE(event.time, Seconds(3));
            EXPECT_EQ(event.IsEnd(), event.time > Seconds(2)) << event.name;
            own[event.kind] = 1;
        }
        for (const auto& [kind, one] : own)
        {
            kinds[kind] += one;
        }
    }
    // Hoeffding: a share of 400 is further than 0.15 from 1/2 with probability 2 exp(-18) = 3e-8.
    using Kind = FaultEvent::Kind;
    for (const Kind kind : {Kind::PARTITION,
                            Kind::DOWN,
                            Kind::BURST,
                            Kind::CORRUPT,
                            Kind::DUPLICATE,
                            Kind::REORDER,
                            Kind::CRASH,
                            Kind::DRIFT})
    {
        EXPECT_NEAR(kinds[kind] / double{SCHEDULES}, 0.5, 0.15) << static_cast<int>(kind);
    }
}

TEST(DrawFaults, AServerThatGoesBackToACheckpointCrashesToo)
{
    Graph star(4);
    for (LearnerId k = 1; k < 4; ++k)
    {
        star.AddEdge(0, k);
    }
    const auto random = CreateSeeded<UniformRandomVariable>(1, 0);
    uint32_t checkpoints = 0;
    constexpr uint32_t SCHEDULES = 400;
    for (uint32_t k = 0; k < SCHEDULES; ++k)
    {
        FaultSchedule schedule;
        for (const std::string& event :
             DrawFaults(star, Seconds(1), Seconds(3), {true, 0}, *random))
        {
            schedule.Add(event);
        }
        EXPECT_NO_THROW(schedule.Check(star));
        std::map<FaultEvent::Kind, uint32_t> ofServer;
        for (const FaultEvent& event : schedule.GetEvents())
        {
            ofServer[event.kind] += event.learner == LearnerId{0} ? 1 : 0;
        }
        using Kind = FaultEvent::Kind;
        if (ofServer[Kind::CHECKPOINT] > 0)
        {
            ++checkpoints;
            EXPECT_EQ(ofServer[Kind::CHECKPOINT], 1U);
            EXPECT_EQ(ofServer[Kind::CRASH], 1U);
            EXPECT_EQ(ofServer[Kind::RESTART], 1U);
        }
    }
    EXPECT_NEAR(checkpoints / double{SCHEDULES}, 0.5, 0.15); // as above
}

} // namespace
} // namespace ns3::dlearn
