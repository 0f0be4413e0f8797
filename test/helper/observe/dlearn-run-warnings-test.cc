/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "helper/network/dlearn-network-test-support.h"

#include "ns3/dlearn-run-warnings.h"
#include "ns3/mobility-model.h"
#include "ns3/simulator.h"
#include "ns3/wifi-mac-queue.h"
#include "ns3/wifi-mac.h"
#include "ns3/wifi-net-device.h"

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

class WifiWatchTest : public NetworkTest
{
  protected:
    /**
     * The access point sends to both of its stations, of which the second one has gone. ns-3's
     * minstrel-ht repeats the RTS for it until what waits is too old.
     *
     * @param life of frames
     * @return the warnings
     */
    static std::vector<std::string> Watch(Time life)
    {
        NetworkSetup setup;
        setup.server = 0;
        setup.positions = {{30, 30}, {20, 30}, {40, 30}};
        const auto network = Make("wifi-infra,ratemanager=minstrel-ht", Star(3, 0), setup);
        const auto mac =
            DynamicCast<WifiNetDevice>(network->GetNodes().Get(0)->GetDevice(1))->GetMac();
        mac->GetTxopQueue(AC_BE)->SetMaxDelay(life);
        RunWarnings warnings;
        const WifiWatch watch(warnings);
        UdpMesh mesh(*network);
        mesh.Burst(0, network->GetAddress(0, 1), 20);
        mesh.Burst(0, network->GetAddress(0, 2), 20);
        mesh.Burst(0, network->GetAddress(0, 2), 20, 1400, Seconds(1));
        mesh.Burst(0, network->GetAddress(0, 1), 20, 1400, Seconds(1.1));
        Simulator::Schedule(network->GetReadyTime() + Seconds(0.5), [&network] {
            network->GetNodes().Get(2)->GetObject<MobilityModel>()->SetPosition(Vector(5000, 0, 0));
        });
        Simulate(20);
        EXPECT_EQ((mesh.received[{0, 2}]), 20U);
        return warnings.Finish();
    }
};

TEST_F(WifiWatchTest, NamesWhoBlocksTheQueue)
{
    const auto warnings = Watch(Hours(24));
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_EQ(warnings[0].rfind("Wi-Fi stalls: node 0 has delivered nothing for 5 s at ", 0), 0U)
        << warnings[0];
    EXPECT_NE(warnings[0].find(": node 2 has not answered "), std::string::npos) << warnings[0];
    EXPECT_NE(warnings[0].find("set ns3::WifiMacQueue::MaxDelay to 1s"), std::string::npos)
        << warnings[0];
}

TEST_F(WifiWatchTest, IsSilentWhereFramesExpireInTime)
{
    EXPECT_EQ(Watch(Seconds(1)), std::vector<std::string>());
}

TEST_F(WifiWatchTest, WarnsOfFramesThatExpireTooEarly)
{
    const auto warnings = Watch(MilliSeconds(200));
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_EQ(warnings[0],
              "Wi-Fi drops frames that have waited for longer than 200 ms, as those of a burst do; "
              "set ns3::WifiMacQueue::MaxDelay to 1s");
}

} // namespace
} // namespace ns3::dlearn
