/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Faults and churn as text, and refusals of events that cannot have an effect.
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-fault-schedule.h"
#include "ns3/dlearn-peer-application.h"
#include "ns3/simulator.h"

#include <fstream>
#include <gtest/gtest.h>
#include <tuple>

namespace ns3::dlearn
{
namespace
{

using Kind = FaultEvent::Kind;
using Link = std::pair<LearnerId, LearnerId>;
using Values = std::vector<double>;

TEST(FaultEvent, ReadsEveryKind)
{
    const struct
    {
        std::string text;
        Kind kind;
        std::optional<LearnerId> learner;
        std::optional<Link> link;
        bool bothWays;
        Values values;
        std::string details;
    } rows[] = {
        {"crash:2@1500ms", Kind::CRASH, 2, {}, true, {}, "2"},
        {"leave:0@1500ms", Kind::LEAVE, 0, {}, true, {}, "0"},
        {"restart:0@1500ms", Kind::RESTART, 0, {}, true, {}, "0"},
        {"drift=-200.5:3@1500ms", Kind::DRIFT, 3, {}, true, {-200.5}, "-200.5:3"},
        {"checkpoint=20:5@1500ms", Kind::CHECKPOINT, 5, {}, true, {20}, "20:5"},
        {"down:4-1@1500ms", Kind::DOWN, {}, Link(4, 1), true, {}, "4-1"},
        {"up:4to1@1500ms", Kind::UP, {}, Link(4, 1), false, {}, "4to1"},
        {"loss=0.25:*@1500ms", Kind::LOSS, {}, {}, true, {0.25}, "0.25:*"},
        {"burst=0.01,0.9,0.2,0.5:*@1500ms",
         Kind::BURST,
         {},
         {},
         true,
         {0.01, 0.9, 0.2, 0.5},
         "0.01,0.9,0.2,0.5:*"},
        {"corrupt=0.5:*@1500ms", Kind::CORRUPT, {}, {}, true, {0.5}, "0.5:*"},
        {"duplicate=1:*@1500ms", Kind::DUPLICATE, {}, {}, true, {1}, "1:*"},
        {"reorder=0.5,2ms:*@1500ms", Kind::REORDER, {}, {}, true, {0.5}, "0.5,2ms:*"},
        {"partition:0-2,7|4@1500ms", Kind::PARTITION, {}, {}, true, {}, "0-2,7|4"},
        {"heal@1500ms", Kind::HEAL, {}, {}, true, {}, ""},
    };

    for (const auto& row : rows)
    {
        const FaultEvent event = ParseFaultEvent(row.text, "here");
        EXPECT_EQ(event.kind, row.kind) << row.text;
        EXPECT_EQ(event.time, MilliSeconds(1500));
        EXPECT_EQ(event.place, "here");
        EXPECT_EQ(event.learner, row.learner) << row.text;
        EXPECT_EQ(event.IsOfLinks(), !row.learner);
        EXPECT_EQ(event.link, row.link) << row.text;
        EXPECT_EQ(event.bothWays, row.bothWays) << row.text;
        EXPECT_EQ(event.values, row.values) << row.text;
        EXPECT_EQ(event.delay, MilliSeconds(row.kind == Kind::REORDER ? 2 : 0));
        EXPECT_EQ(event.groups.size(), row.kind == Kind::PARTITION ? 2U : 0U);
        EXPECT_EQ(event.name, row.text.substr(0, event.name.size()));
        EXPECT_EQ(event.details, row.details);
    }
    EXPECT_EQ(ParseFaultEvent("partition:0-2,7|4@1s", "").groups,
              (std::vector<std::vector<LearnerId>>{{0, 1, 2, 7}, {4}}));
}

TEST(FaultEvent, KnowsWhichOnesOnlyEnd)
{
    for (const std::string text : {"up:0-1@1s",
                                   "heal@1s",
                                   "restart:0@1s",
                                   "loss=0:*@1s",
                                   "corrupt=0:*@1s",
                                   "duplicate=0:*@1s",
                                   "reorder=0,1ms:*@1s",
                                   "burst=0,1,0,1:*@1s",
                                   "burst=0,0,0.5,0.5:*@1s",
                                   "checkpoint=1:5@1s",
                                   "drift=0:1@1s"})
    {
        EXPECT_TRUE(ParseFaultEvent(text, "").IsEnd()) << text;
    }
    for (const std::string text : {"down:0-1@1s",
                                   "partition:0@1s",
                                   "crash:0@1s",
                                   "loss=0.1:*@1s",
                                   "burst=0.1,0,0,1:*@1s",
                                   "burst=0,1,0.5,0.5:*@1s",
                                   "checkpoint=2:5@1s",
                                   "drift=-1:1@1s"})
    {
        EXPECT_FALSE(ParseFaultEvent(text, "").IsEnd()) << text;
    }
}

TEST(FaultEvent, RefusesTextsThatItCannotRead)
{
    const std::pair<std::string, std::string> cases[] = {
        {"crsh:0@1s",
         "place: a fault must be one of crash, leave, restart, drift, checkpoint, down, up"},
        {"crash:0", "place: a fault must be like crash:LEARNER@TIME, got 'crash:0'"},
        {"crash@1s", "must be like crash:LEARNER@TIME"},
        {"crash:-1@1s", "must be like crash:LEARNER@TIME"},
        {"crash=1:0@1s", "must be like crash:LEARNER@TIME"},
        {"crash:0@-1s", "must be a time of at least 0"},
        {"checkpoint:0@1s", "must be like checkpoint=ROUNDS:SERVER@TIME"},
        {"checkpoint=0:0@1s",
         "checkpoints must be a whole number of rounds apart, from 1 to 1000000000, got 0"},
        {"checkpoint=1.5:0@1s", "must be a whole number of rounds apart"},
        {"down:0@1s", "must be like down:LINK@TIME"},
        {"down:0-0@1s", "must be like down:LINK@TIME"},
        {"loss:0-1@1s", "must be like loss=P:LINK@TIME"},
        {"loss=nan:0-1@1s", "must be like loss=P:LINK@TIME"},
        {"loss=1.5:0-1@1s", "'loss=1.5:0-1@1s': a probability must be in [0, 1], got 1.5"},
        {"burst=0,1,0.1:*@1s", "must be like burst=LOSS_GOOD,LOSS_BAD,P_GB,P_BG:LINK@TIME"},
        {"burst=0,1,0.1,0:*@1s", "P_BG must be more than 0, or a burst never ends; got 0"},
        {"reorder=0.1:*@1s", "must be like reorder=P,DELAY:LINK@TIME"},
        {"reorder=0.1,0ms:*@1s", "the delay must be more than 0"},
        {"drift=1e6:0@1s", "drift must be from -500000 to 500000 parts in a million"},
        {"partition:0|@1s", "must be like partition:LEARNERS|LEARNERS@TIME"},
        {"partition:0-2|2,3@1s", "learner 2 must be in one group of the partition"},
        {"heal:0@1s", "must be like heal@TIME"},
    };
    for (const auto& [text, message] : cases)
    {
        ExpectRefused([&, event = text] { ParseFaultEvent(event, "place"); }, message);
    }
}

/** A file that is removed again. */
class FaultFile : public testing::Test
{
  protected:
    FaultSchedule Read(const std::string& text)
    {
        std::ofstream(m_path) << text;
        return FaultSchedule::Read(m_path);
    }

    void TearDown() override { std::remove(m_path.c_str()); }

    std::string m_path{testing::TempDir() + "faults-of-a-test.txt"};
};

TEST_F(FaultFile, HasOneEventALineAndComments)
{
    const auto schedule = Read("# all in\n\n  crash:1@2s # later\n\tpartition:0|1@1s\r\nheal@2s");
    const auto events = schedule.GetEvents();
    ASSERT_EQ(events.size(), 3U);
    EXPECT_EQ(events[0].name, "partition");
    EXPECT_EQ(events[1].name, "crash") << "first of the same time, as in the file";
    EXPECT_EQ(events[2].name, "heal");
    EXPECT_EQ(events[1].place, m_path + ":3");
}

TEST_F(FaultFile, NamesFileAndLine)
{
    ExpectRefused([&] { Read("# one\ncrsh:1@2s\n"); },
                  m_path + ":2: a fault must be one of crash, ");
    ExpectRefused([&] { Read("# nothing\n"); }, m_path + ": a file of faults must hold an event");
    ExpectRefused<std::runtime_error>([] { FaultSchedule::Read("/nowhere/faults"); },
                                      "/nowhere/faults");
    Graph graph(2);
    graph.AddEdge(0, 1);
    const auto schedule = Read("down:0-1@2s\ncrash:1@1s\n# again\ndown:0-1@3s\n");
    ExpectRefused([&] { schedule.Check(graph); }, m_path + ":4: down 0-1: holds already");
}

/** Learners in a row: 0 - 1 - 2. */
void
CheckRow(const std::vector<std::string>& events)
{
    Graph graph(3);
    graph.AddEdge(0, 1);
    graph.AddEdge(1, 2);
    FaultSchedule schedule;
    for (const std::string& event : events)
    {
        schedule.Add(event);
    }
    schedule.Check(graph);
}

TEST(FaultSchedule, AcceptsEventsWithAnEffect)
{
    CheckRow({"up:1to0@2s", "down:0-1@1s", "loss=0.1:2to1@0s", "loss=0:*@1s"});
    CheckRow({"partition:0@1s", "heal@2s", "crash:2@1s", "restart:2@3s"});
    CheckRow({"checkpoint=3:0@0s", "crash:0@1s", "restart:0@2s", "checkpoint=1:0@2s"});
    CheckRow({"crash:0@0s", "restart:0@1s", "checkpoint=3:0@2s", "crash:0@2s", "restart:0@4s"});
    CheckRow({"crash:2@1s", "restart:2@2s", "crash:2@2s", "restart:2@2s", "leave:2@3s"});
    CheckRow({"leave:2@1s", "crash:2@1s", "restart:2@2s", "leave:2@3s", "restart:2@3s"});
    CheckRow({"loss=0.1:*@1s", "loss=0.5:0-1@1s", "loss=0.1:0-1@2s", "down:0to1@1s", "down:*@2s"});
    CheckRow({"partition:0@1s", "partition:0|1@2s", "heal@3s", "partition:0@4s"});
    CheckRow({"checkpoint=3:0@0s",
              "crash:0@1s",
              "restart:0@2s",
              "checkpoint=3:0@3s", // writes one
              "crash:0@4s",
              "restart:0@5s"});
    CheckRow({"drift=10:0@1s", "drift=0:0@2s", "burst=0,1,0.1,0.5:*@0s", "burst=0,0,0,1:1-2@1s"});
}

TEST(FaultSchedule, RefusesEventsWithoutAny)
{
    const std::string down = "the learner has crashed or left already";
    const std::string none = "no crash and restart of learner 0 come after it";
    const std::pair<std::vector<std::string>, std::string> cases[] = {
        // What holds already.
        {{"crash:2@4ms", "crash:2@4ms"},
         "FaultSchedule: crash 2: " + down +
             ", and no event of these restarts it, so that it has no effect"},
        {{"crash:2@4ms", "leave:2@5ms"}, "leave 2: " + down},
        {{"leave:2@4ms", "leave:2@5ms"}, "leave 2: " + down},
        {{"down:*@1s", "down:0to1@2s"}, "down 0to1: holds already, so that it has no effect"},
        {{"partition:0@1s", "partition:1,2@2s"}, "partition 1,2: holds already"},
        {{"drift=10:0@1s", "drift=10:0@2s"}, "drift 10:0: holds already"},
        {{"burst=0,1,0.1,0.5:*@0s", "burst=0,1,0.1,0.5:1to2@1s"}, "1to2: holds already"},
        // Ends of nothing.
        {{"crash:2@1s", "restart:2@2s", "restart:2@3s"},
         "no crash or leave that it could end holds at that time"},
        {{"partition:0@1s", "heal@2s", "heal@3s"}, "heal: no partition that it could end"},
        {{"heal@1s", "partition:0@2s"}, "no partition that it could end holds at that time"},
        {{"down:0-1@1s", "up:0-1@2s", "up:*@3s"}, "up *: no down that it could end holds"},
        {{"up:0to1@1s", "down:1to0@0s"}, "no down that it could end holds at that time"},
        {{"restart:0@1s", "crash:1@0s"}, "no crash or leave that it could end holds"},
        {{"corrupt=0:*@1s", "loss=0.5:*@0s"}, "no corrupt that it could end holds at that time"},
        {{"drift=0:1@1s"}, "no drift that it could end holds at that time"},
        {{"checkpoint=1:0@0s"}, "no checkpoint that it could end holds at that time"},
        // Replaced at the same time.
        {{"loss=0.1:0-1@1s", "loss=0.9:0-1@1s"},
         "FaultSchedule: loss 0.9:0-1: replaces loss 0.1:0-1 of FaultSchedule at the same time"},
        {{"down:0-1@1s", "up:0to1@1s", "up:1to0@1s"}, "up 1to0: replaces down 0-1 of"},
        {{"partition:0@1s", "heal@2s", "partition:0@2s"}, "partition 0: replaces heal of"},
        // Learners that do not exist or are not neighbours.
        {{"crash:3@1s"}, "FaultSchedule: crash 3: learner must be less than 3, got 3"},
        {{"partition:0,7@1s"}, "learner must be less than 3, got 7"},
        {{"down:1-3@1s"}, "learner must be less than 3, got 3"},
        {{"down:0-2@1s"}, "down 0-2: learners 0 and 2 are not neighbours, so that it has no"},
        {{"partition:0-2@1s"}, "the partition separates no neighbours"},
        // Checkpoints that nobody goes back to.
        {{"checkpoint=3:0@0s", "crash:0@1s"}, none},
        {{"checkpoint=3:0@0s", "crash:1@1s", "restart:1@2s"}, none},
        {{"crash:0@1s", "restart:0@2s", "checkpoint=3:0@2s"}, none},
        {{"crash:0@0s", "checkpoint=3:0@1s", "restart:0@2s"}, none},
        {{"checkpoint=2:0@0s", "checkpoint=3:0@1s", "crash:0@2s", "restart:0@3s"}, none},
    };
    for (const auto& [events, message] : cases)
    {
        ExpectRefused([&, all = events] { CheckRow(all); }, message);
    }
    for (const auto& [event, message] :
         {std::pair("partition:0@1s", "the partition separates no neighbours"),
          std::pair("loss=0.5:*@1s", "there are no neighbours")})
    {
        FaultSchedule schedule;
        schedule.Add(event);
        ExpectRefused([&] { schedule.Check(Graph(1)); }, message);
    }
}

TEST(ChurnSchedule, ReadsEventsInTheOrderGiven)
{
    const auto schedule = ChurnSchedule::Parse("crash:3@2.5s,restart:3@4s,leave:0@100ms");
    const auto& events = schedule.GetEvents();
    ASSERT_EQ(events.size(), 3U);
    EXPECT_EQ(events[0].kind, Kind::CRASH);
    EXPECT_EQ(events[0].learner, 3U);
    EXPECT_EQ(events[0].time, MilliSeconds(2500));
    EXPECT_EQ(events[1].kind, Kind::RESTART);
    EXPECT_EQ(events[2].kind, Kind::LEAVE);
    EXPECT_EQ(events[2].learner, 0U);
    EXPECT_EQ(schedule.GetEnd(), Seconds(4)) << "the last in time, not in the text";
    EXPECT_TRUE(ChurnSchedule::Parse("").GetEvents().empty());
    EXPECT_EQ(ChurnSchedule::Parse("").GetEnd(), Seconds(0));
}

TEST(ChurnSchedule, LearnersComeAndGoWithTheirVehicles)
{
    const std::vector<Waypoint> way{{Seconds(0), Vector()}};
    const PositionTrace trace("cars",
                              {{0, way}, {1, way}, {2, way}},
                              {{1, {Seconds(2), Seconds(5)}}, {2, {std::nullopt, Seconds(3)}}});
    const auto schedule = ChurnSchedule::Follow(trace, 3);
    std::vector<std::tuple<Kind, Time, std::optional<LearnerId>>> events;
    for (const FaultEvent& event : schedule.GetEvents())
    {
        events.emplace_back(event.kind, event.time, event.learner);
    }
    const decltype(events) expected{{Kind::LEAVE, Seconds(0), 1},
                                    {Kind::RESTART, Seconds(2), 1},
                                    {Kind::LEAVE, Seconds(5), 1},
                                    {Kind::LEAVE, Seconds(3), 2}};
    EXPECT_EQ(events, expected);
    EXPECT_EQ(ChurnSchedule::Follow(trace, 2).GetEvents().size(), 3U);
}

TEST(ChurnSchedule, RefusesOtherTextsAndQuotesThem)
{
    for (const std::string text : {"crash",
                                   "crash:1",
                                   "crash@1s",
                                   "crash@1s:1",
                                   "drift=1:1@1s",
                                   "Crash:1@1s",
                                   "crash:@1s",
                                   "crash:-1@1s",
                                   "crash: 1@1s",
                                   "crash:4294967296@1s",
                                   "",
                                   ":1@1s"})
    {
        ExpectRefused([&] { ChurnSchedule::Parse("restart:0@1s," + text); },
                      "an event must be crash:LEARNER@TIME, leave:LEARNER@TIME or "
                      "restart:LEARNER@TIME, got '" +
                          text + "'");
    }
    ExpectRefused([] { ChurnSchedule::Parse("crash:1@soon"); },
                  "time of 'crash:1@soon' must be a time of at least 0 with a unit");
}

TEST(ChurnSchedule, RefusesTimesInThePast)
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
