/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Faults as text.
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-fault-schedule.h"

#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

using Kind = FaultEvent::Kind;
using Link = std::pair<LearnerId, LearnerId>;

TEST(FaultEvent, ReadsWhatHappensToLearners)
{
    const FaultEvent crash = ParseFaultEvent("crash:2@1500ms", "here");
    EXPECT_EQ(crash.kind, Kind::CRASH);
    EXPECT_EQ(crash.learner, 2U);
    EXPECT_EQ(crash.time, MilliSeconds(1500));
    EXPECT_EQ(crash.place, "here");
    EXPECT_FALSE(crash.IsOfLinks());
    EXPECT_EQ(ParseFaultEvent("leave:0@0s", "").kind, Kind::LEAVE);
    EXPECT_EQ(ParseFaultEvent("restart:0@0s", "").kind, Kind::RESTART);
    const FaultEvent drift = ParseFaultEvent("drift=-200.5:3@1s", "");
    EXPECT_EQ(drift.kind, Kind::DRIFT);
    EXPECT_EQ(drift.values, std::vector<double>{-200.5});
    EXPECT_EQ(drift.learner, 3U);
    EXPECT_EQ(drift.name, "drift");
    EXPECT_EQ(drift.details, "-200.5:3");
    const FaultEvent checkpoint = ParseFaultEvent("checkpoint=20:5@1s", "");
    EXPECT_EQ(checkpoint.kind, Kind::CHECKPOINT);
    EXPECT_EQ(checkpoint.values, std::vector<double>{20});
    EXPECT_EQ(checkpoint.learner, 5U);
    EXPECT_FALSE(checkpoint.IsEnd());
    EXPECT_TRUE(ParseFaultEvent("checkpoint=1:5@1s", "").IsEnd());
}

TEST(FaultEvent, ReadsWhatHappensToLinks)
{
    const FaultEvent down = ParseFaultEvent("down:4-1@1s", "");
    EXPECT_EQ(down.kind, Kind::DOWN);
    EXPECT_EQ(down.link, Link(4, 1));
    EXPECT_TRUE(down.bothWays);
    EXPECT_TRUE(down.IsOfLinks());
    EXPECT_EQ(down.details, "4-1");
    const FaultEvent loss = ParseFaultEvent("loss=0.25:4to1@1s", "");
    EXPECT_EQ(loss.kind, Kind::LOSS);
    EXPECT_EQ(loss.link, Link(4, 1));
    EXPECT_FALSE(loss.bothWays);
    const FaultEvent burst = ParseFaultEvent("burst=0.01,0.9,0.2,0.5:*@1s", "");
    EXPECT_EQ(burst.kind, Kind::BURST);
    EXPECT_EQ(burst.values, (std::vector<double>{0.01, 0.9, 0.2, 0.5}));
    EXPECT_FALSE(burst.link.has_value());
    EXPECT_TRUE(burst.bothWays);
    EXPECT_EQ(ParseFaultEvent("corrupt=0.5:*@1s", "").kind, Kind::CORRUPT);
    EXPECT_EQ(ParseFaultEvent("duplicate=1:*@1s", "").kind, Kind::DUPLICATE);
    const FaultEvent reorder = ParseFaultEvent("reorder=0.5,2ms:*@1s", "");
    EXPECT_EQ(reorder.kind, Kind::REORDER);
    EXPECT_EQ(reorder.values, std::vector<double>{0.5});
    EXPECT_EQ(reorder.delay, MilliSeconds(2));
    EXPECT_EQ(reorder.details, "0.5,2ms:*");
}

TEST(FaultEvent, ReadsPartitions)
{
    const FaultEvent event = ParseFaultEvent("partition:0-2,7|4@1s", "");
    EXPECT_EQ(event.kind, Kind::PARTITION);
    EXPECT_EQ(event.groups, (std::vector<std::vector<LearnerId>>{{0, 1, 2, 7}, {4}}));
    const FaultEvent heal = ParseFaultEvent("heal@2s", "");
    EXPECT_EQ(heal.kind, Kind::HEAL);
    EXPECT_EQ(heal.details, "");
}

TEST(FaultEvent, KnowsWhatOnlyEnds)
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
                                   "drift=-1:1@1s"})
    {
        EXPECT_FALSE(ParseFaultEvent(text, "").IsEnd()) << text;
    }
}

TEST(FaultEvent, RefusesWhatItCanNotRead)
{
    const std::pair<std::string, std::string> cases[] = {
        {"crsh:0@1s",
         "place: a fault must be one of crash, leave, restart, drift, checkpoint, down, up"},
        {"", "place: a fault must be one of"},
        {"crash:0", "place: a fault must be like crash:LEARNER@TIME, got 'crash:0'"},
        {"crash@1s", "must be like crash:LEARNER@TIME"},
        {"crash:x@1s", "must be like crash:LEARNER@TIME"},
        {"crash:-1@1s", "must be like crash:LEARNER@TIME"},
        {"crash=1:0@1s", "must be like crash:LEARNER@TIME"},
        {"crash:0@", "place: time of 'crash:0@' must be a time"},
        {"crash:0@1", "place: time of 'crash:0@1' must be a time"},
        {"crash:0@-1s", "must be a time of at least 0"},
        {"checkpoint:0@1s", "must be like checkpoint=ROUNDS:SERVER@TIME"},
        {"checkpoint=0:0@1s",
         "checkpoints must be a whole number of rounds apart, from 1 to 1000000000, got 0"},
        {"checkpoint=1.5:0@1s", "must be a whole number of rounds apart"},
        {"checkpoint=1e10:0@1s", "must be a whole number of rounds apart"},
        {"down:0@1s", "must be like down:LINK@TIME"},
        {"down:0-0@1s", "must be like down:LINK@TIME"},
        {"down:0-1-2@1s", "must be like down:LINK@TIME"},
        {"down=0:0-1@1s", "must be like down:LINK@TIME"},
        {"loss:0-1@1s", "must be like loss=P:LINK@TIME"},
        {"loss=:0-1@1s", "must be like loss=P:LINK@TIME"},
        {"loss=nan:0-1@1s", "must be like loss=P:LINK@TIME"},
        {"loss=1.5:0-1@1s", "'loss=1.5:0-1@1s': a probability must be in [0, 1], got 1.5"},
        {"corrupt=-0.1:*@1s", "a probability must be in [0, 1], got -0.1"},
        {"burst=0,1,0.1:*@1s", "must be like burst=LOSS_GOOD,LOSS_BAD,P_GB,P_BG:LINK@TIME"},
        {"burst=0,1,0.1,0:*@1s", "P_BG must be more than 0, or a burst never ends; got 0"},
        {"reorder=0.1:*@1s", "must be like reorder=P,DELAY:LINK@TIME"},
        {"reorder=0.1,0ms:*@1s", "the delay must be more than 0"},
        {"reorder=0.1,5:*@1s", "place: delay of 'reorder=0.1,5:*@1s' must be a time"},
        {"drift=1e6:0@1s", "drift must be from -500000 to 500000 parts in a million"},
        {"drift:0@1s", "must be like drift=PPM:LEARNER@TIME"},
        {"partition:@1s", "must be like partition:LEARNERS|LEARNERS@TIME"},
        {"partition:0|@1s", "must be like partition:LEARNERS|LEARNERS@TIME"},
        {"partition:2-1@1s", "must be like partition:LEARNERS|LEARNERS@TIME"},
        {"partition:0-4294967295@1s", "must be like partition:LEARNERS|LEARNERS@TIME"},
        {"partition:0-2|2,3@1s", "learner 2 must be in one group of the partition"},
        {"heal:0@1s", "must be like heal@TIME"},
    };
    for (const auto& [text, message] : cases)
    {
        ExpectRefused([&, event = text] { ParseFaultEvent(event, "place"); }, message);
    }
}

} // namespace
} // namespace ns3::dlearn
