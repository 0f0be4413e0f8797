/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Files of faults, and what is refused because it cannot have an effect.
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-fault-schedule.h"

#include <fstream>
#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

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

TEST(FaultSchedule, AcceptsWhatHasAnEffect)
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

/** Expect that one of some events among learners in a row is refused. */
void
RefuseRow(const std::vector<std::string>& events, const std::string& message)
{
    ExpectRefused([&] { CheckRow(events); }, message);
}

TEST(FaultSchedule, RefusesWhatChangesNothing)
{
    RefuseRow({"crash:2@4ms", "crash:2@4ms"},
              "FaultSchedule: crash 2: the learner has crashed or left already, and no event of "
              "these restarts it, so that it has no "
              "effect");
    RefuseRow({"crash:2@4ms", "leave:2@5ms"}, "leave 2: the learner has crashed or left already");
    RefuseRow({"leave:2@4ms", "leave:2@5ms"}, "leave 2: the learner has crashed or left already");
    RefuseRow({"crash:2@1s", "restart:2@2s", "restart:2@3s"},
              "no crash or leave that it could end holds at that time");
    RefuseRow({"partition:0@1s", "heal@2s", "heal@3s"}, "heal: no partition that it could end");
    RefuseRow({"down:0-1@1s", "up:0-1@2s", "up:*@3s"}, "up *: no down that it could end holds");
    RefuseRow({"down:*@1s", "down:0to1@2s"}, "down 0to1: holds already, so that it has no effect");
    RefuseRow({"partition:0@1s", "partition:1,2@2s"}, "partition 1,2: holds already");
    RefuseRow({"drift=10:0@1s", "drift=10:0@2s"}, "drift 10:0: holds already");
    RefuseRow({"burst=0,1,0.1,0.5:*@0s", "burst=0,1,0.1,0.5:1to2@1s"}, "1to2: holds already");
    RefuseRow({"checkpoint=3:0@0s",
               "crash:0@1s",
               "restart:0@2s",
               "checkpoint=1:0@3s",
               "checkpoint=1:0@4s"},
              "checkpoint 1:0: no checkpoint that it could end holds at that time");
}

TEST(FaultSchedule, RefusesWhatReplacesAllOfAnotherAtTheSameTime)
{
    RefuseRow(
        {"loss=0.1:0-1@1s", "loss=0.9:0-1@1s"},
        "FaultSchedule: loss 0.9:0-1: replaces loss 0.1:0-1 of FaultSchedule at the same time");
    RefuseRow({"drift=10:0@1s", "drift=20:0@1s"}, "drift 20:0: replaces drift 10:0 of");
    RefuseRow({"down:0-1@1s", "up:0to1@1s", "up:1to0@1s"}, "up 1to0: replaces down 0-1 of");
    RefuseRow({"partition:0@1s", "heal@2s", "partition:0@2s"}, "partition 0: replaces heal of");
}

TEST_F(FaultFile, TellsTheLineOfWhatChangesNothing)
{
    Graph graph(2);
    graph.AddEdge(0, 1);
    const auto schedule = Read("down:0-1@2s\ncrash:1@1s\n# again\ndown:0-1@3s\n");
    ExpectRefused([&] { schedule.Check(graph); }, m_path + ":4: down 0-1: holds already");
}

TEST(FaultSchedule, RefusesWhatCanHaveNone)
{
    const auto& refused = RefuseRow;
    refused({"crash:3@1s"}, "FaultSchedule: crash 3: learner must be less than 3, got 3");
    refused({"partition:0,7@1s"}, "learner must be less than 3, got 7");
    refused({"down:1-3@1s"}, "learner must be less than 3, got 3");
    refused({"down:0-2@1s"}, "down 0-2: learners 0 and 2 are not neighbours, so that it has no");
    refused({"partition:0-2@1s"}, "the partition separates no neighbours");
    refused({"heal@1s"}, "FaultSchedule: heal: no partition that it could end holds at that time");
    refused({"heal@1s", "partition:0@2s"}, "no partition that it could end holds at that time");
    refused({"up:0-1@1s", "down:1-2@0s"}, "no down that it could end holds at that time");
    refused({"up:0to1@1s", "down:1to0@0s"}, "no down that it could end holds at that time");
    refused({"restart:0@1s", "crash:1@0s"},
            "no crash or leave that it could end holds at that time");
    refused({"corrupt=0:*@1s", "loss=0.5:*@0s"}, "no corrupt that it could end holds at that time");
    refused({"drift=0:1@1s"}, "no drift that it could end holds at that time");
    const std::string none = "no crash and restart of learner 0 come after it";
    refused({"checkpoint=3:0@0s", "crash:0@1s"}, none);
    refused({"checkpoint=3:0@0s", "crash:1@1s", "restart:1@2s"}, none);
    refused({"crash:0@1s", "restart:0@2s", "checkpoint=3:0@2s"}, none);
    refused({"crash:0@0s", "checkpoint=3:0@1s", "restart:0@2s"}, none);
    refused({"checkpoint=2:0@0s", "checkpoint=3:0@1s", "crash:0@2s", "restart:0@3s"}, none);
    refused({"checkpoint=1:0@0s"}, "no checkpoint that it could end holds at that time");
    Graph lonely(1);
    FaultSchedule schedule;
    schedule.Add("partition:0@1s");
    ExpectRefused([&] { schedule.Check(lonely); }, "the partition separates no neighbours");
    FaultSchedule all;
    all.Add("loss=0.5:*@1s");
    ExpectRefused([&] { all.Check(lonely); }, "there are no neighbours");
}

} // namespace
} // namespace ns3::dlearn
