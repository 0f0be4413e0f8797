/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-run-warnings.h"
#include "ns3/simulator.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace ns3::dlearn
{
namespace
{

using Lines = std::vector<std::string>;

class RunWarningsTest : public testing::Test
{
  protected:
    RunWarningsTest()
    {
        warnings.SetListener([this](const std::string& warning) {
            told.push_back(std::to_string(Simulator::Now().GetMilliSeconds()) + " " + warning);
        });
    }

    void TearDown() override { Simulator::Destroy(); }

    /** Something happens to a learner. */
    void HitAt(Time when, LearnerId learner, const std::string& kind = "fog")
    {
        Simulator::Schedule(when, [this, learner, kind] {
            warnings.Add(kind, learner, kind + " at ", ", sorry");
        });
    }

    RunWarnings warnings;
    Lines told; //!< with the time in milliseconds
};

TEST_F(RunWarningsTest, MayEndBeforeTheyAreTold)
{
    auto others = std::make_unique<RunWarnings>();
    others->SetListener([this](const std::string& warning) { told.push_back(warning); });
    others->Add("fog", 1, "fog at ", "");
    others.reset();
    Simulator::Run();
    EXPECT_TRUE(told.empty());
}

TEST_F(RunWarningsTest, ALoneOneIsToldAtOnce)
{
    Simulator::Schedule(MilliSeconds(3), [this] { warnings.Add("rain"); });
    Simulator::Run();
    EXPECT_EQ(told, Lines{"3 rain"});
    EXPECT_EQ(warnings.Finish(), Lines{"rain"});
    EXPECT_EQ(told.size(), 1U) << "not twice";
}

TEST_F(RunWarningsTest, LearnersOfOneMomentShareALine)
{
    for (const LearnerId learner : {4, 2, 3, 7})
    {
        HitAt(MilliSeconds(5), learner);
    }
    Simulator::Run();
    EXPECT_EQ(told, Lines{"5 fog at learners 2-4, 7, sorry"});
    EXPECT_EQ(warnings.Finish(), Lines{"fog at learners 2-4, 7, sorry"});
    EXPECT_EQ(told.size(), 1U);
}

TEST_F(RunWarningsTest, ThoseWhoFollowAreToldInTheEndAndOnce)
{
    HitAt(MilliSeconds(5), 1);
    HitAt(MilliSeconds(6), 2);
    HitAt(MilliSeconds(7), 9, "ice");
    HitAt(MilliSeconds(8), 1);
    Simulator::Run();
    EXPECT_EQ(told, (Lines{"5 fog at learner 1, sorry", "7 ice at learner 9, sorry"}));
    const Lines all{"fog at learners 1-2, sorry", "ice at learner 9, sorry"};
    EXPECT_EQ(warnings.Finish(), all);
    EXPECT_EQ(told.back(), "8 by the end, fog at learners 1-2") << "what to do was said before";
    EXPECT_EQ(told.size(), 3U);
    EXPECT_EQ(warnings.Finish(), all);
    EXPECT_EQ(told.size(), 3U);
}

TEST_F(RunWarningsTest, NeedNoListener)
{
    warnings.SetListener({});
    warnings.Add("rain");
    HitAt(Time(0), 1);
    Simulator::Run();
    EXPECT_EQ(warnings.Finish(), (Lines{"rain", "fog at learner 1, sorry"}));
}

TEST(NameLearners, WritesRangesAndStopsAtTen)
{
    EXPECT_EQ(NameLearners({3}), "learner 3");
    EXPECT_EQ(NameLearners({0, 1}), "learners 0-1");
    EXPECT_EQ(NameLearners({0, 2, 3, 4, 8}), "learners 0, 2-4, 8");
    std::set<LearnerId> even;
    for (LearnerId id = 0; id < 30; id += 2)
    {
        even.insert(id);
    }
    EXPECT_EQ(NameLearners(even), "learners 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, ...");
}

TEST(NameTime, ChoosesTheUnit)
{
    EXPECT_EQ(NameTime(Time(0)), "0 s");
    EXPECT_EQ(NameTime(NanoSeconds(417600)), "417.6 us");
    EXPECT_EQ(NameTime(MilliSeconds(30)), "30 ms");
    EXPECT_EQ(NameTime(NanoSeconds(30011815369)), "30.01 s");
}

} // namespace
} // namespace ns3::dlearn
