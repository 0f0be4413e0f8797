/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Gradient tracking over networks: two directed graphs, the invariant as TrackingMonitor sees
 * it, and lossy UDP with and without running sums.
 */

#include "peer/dlearn-tracking-fixture.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-compressor.h"
#include "ns3/dlearn-monitor.h"
#include "ns3/dlearn-network.h"
#include "ns3/dlearn-peer-helper.h"
#include "ns3/dlearn-schedule.h"
#include "ns3/dlearn-tracking-monitor.h"
#include "ns3/simulator.h"

#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

/** What to run. */
struct TrackingSetting
{
    std::string network{"p2p"};                   //!< for CreateNetwork()
    TypeId compensation{RunningSum::GetTypeId()}; //!< what trackers are sent as
    double loss{0};                               //!< of packets
    uint32_t rounds{300};                         //!< of every learner
    uint32_t floatBits{64};                       //!< on the wire
    uint32_t qsgdLevels{0};                       //!< of compressed trackers and states; 0: none
    Time crash;                                   //!< when learner 2 crashes; 0 for never
};

/** What it leaves behind. */
struct Result
{
    double error{0};                //!< largest ||grad F(x_i)||^2
    double violation{0};            //!< largest of the invariant
    uint32_t judged{0};             //!< rounds of it
    double traced{0};               //!< largest that the trace told
    uint64_t expected{0};           //!< messages
    uint64_t received{0};           //!< of these, in time
    std::vector<ModelVector> final; //!< models
};

/** Put the learners of a lab on a network and run them. */
Result
RunOver(TrackingLab& lab, const TrackingSetting& setting)
{
    lab.factory.Set("LossCompensation", TypeIdValue(setting.compensation));
    const auto network = CreateNetwork(setting.network + ",loss=" + std::to_string(setting.loss));
    network->Build(UniteGraphs(lab.states, lab.trackers), {});
    network->AssignStreams(5000);
    PeerHelper helper;
    helper.SetAttribute("Rounds", UintegerValue(setting.rounds));
    helper.SetAttribute("Rule", TypeIdValue(GradientTracking::GetTypeId()));
    if (setting.loss > 0 || setting.crash.IsStrictlyPositive())
    {
        helper.SetAttribute("RoundPolicy", TypeIdValue(DeadlinePolicy::GetTypeId()));
    }
    const auto learners = helper.Create(*network);
    std::vector<Ptr<SampleStream>> streams;
    std::vector<ModelVector> initial;
    for (LearnerId i = 0; i < learners.size(); ++i)
    {
        streams.push_back(lab.MakeStream(i));
        initial.push_back(lab.GetContext(i).initialModel);
        const auto rule = DynamicCast<GradientTracking>(learners[i]->GetRule());
        rule->SetAttribute("StateNoise", TypeIdValue(lab.SilentType()));
        rule->SetAttribute("TrackerNoise", TypeIdValue(lab.SilentType()));
        rule->SetAttribute("PrivacyLedger", TypeIdValue(PrivacyAccount::GetTypeId()));
        rule->SetAttribute("LossCompensation", TypeIdValue(setting.compensation));
        lab.rules.push_back(rule);
        learners[i]->GetExchange()->SetAttribute("FloatBits", UintegerValue(setting.floatBits));
        if (setting.qsgdLevels > 0)
        {
            const auto exchange = learners[i]->GetExchange();
            exchange->SetAttribute("Compressor", TypeIdValue(QsgdCompressor::GetTypeId()));
            exchange->GetCompressor()->SetAttribute("Levels", UintegerValue(setting.qsgdLevels));
        }
        if (setting.loss > 0 || setting.crash.IsStrictlyPositive())
        {
            learners[i]->GetRoundPolicy()->SetAttribute("Deadline", TimeValue(MilliSeconds(20)));
        }
    }
    PeerHelper::Connect(learners, *network, lab.states, lab.trackers, lab.task, streams, initial);
    PeerHelper::AssignStreams(learners, 6000);
    const auto monitor = CreateObject<TrackingMonitor>();
    monitor->Watch(learners);
    Result result;
    monitor->TraceConnectWithoutContext(
        "TrackingInvariant",
        Callback<void, uint32_t, double>([&result](uint32_t, double violation) {
            result.traced = std::max(result.traced, violation);
        }));
    if (setting.crash.IsStrictlyPositive())
    {
        Simulator::Schedule(setting.crash, &PeerApplication::Crash, learners[2]);
        Simulator::Schedule(2 * setting.crash, &PeerApplication::Restart, learners[2]);
    }
    Simulator::Stop(Seconds(1000));
    Simulator::Run();
    result.violation = monitor->GetLargestViolation();
    result.judged = monitor->GetRounds();
    result.error = lab.GetError();
    for (const auto& learner : learners)
    {
        learner->CheckConservation();
        result.final.push_back(learner->GetRule()->GetModel());
        for (const RoundRecord& record : learner->GetRecords())
        {
            result.expected += record.expected;
            result.received += record.received;
        }
    }
    Simulator::Destroy();
    return result;
}

TrackingLab
MakeUneven()
{
    return {UnevenStates(), UnevenTrackers(), 4, 9};
}

TEST(TrackingRun, NetworksWithoutLossEqualTheLoop)
{
    TrackingLab loop = MakeUneven();
    loop.Setup();
    loop.Run(0, 299);
    for (const std::string network : {"ideal", "p2p"})
    {
        TrackingSetting setting;
        setting.network = network;
        setting.compensation = NoCompensation::GetTypeId();
        TrackingLab lab = MakeUneven();
        const Result result = RunOver(lab, setting);
        EXPECT_EQ(result.judged, 300U);
        EXPECT_LE(result.violation, 1e-12) << network;
        EXPECT_EQ(result.violation, result.traced);
        EXPECT_EQ(result.expected, 300U * 14U) << "seven edges of R, seven of C";
        EXPECT_EQ(result.received, result.expected);
        for (LearnerId i = 0; i < 5; ++i)
        {
            EXPECT_EQ(result.final[i], loop.rules[i]->GetModel()) << network << " " << i;
        }
    }
}

TEST(TrackingRun, RunningSumConvergesOverLossyUdpAndNoneStalls)
{
    for (const double loss : {0.1, 0.2, 0.3})
    {
        TrackingSetting setting;
        setting.loss = loss;
        setting.rounds = 800;
        TrackingLab with = MakeUneven();
        const Result sums = RunOver(with, setting);
        EXPECT_LT(sums.received, (1 - loss / 2) * sums.expected);
        EXPECT_LE(sums.violation, 1e-12) << loss;
        EXPECT_LT(sums.error, 1e-18) << loss;
        setting.compensation = NoCompensation::GetTypeId();
        TrackingLab without = MakeUneven();
        const Result none = RunOver(without, setting);
        EXPECT_GT(none.violation, 0.1) << loss;
        EXPECT_GT(none.error, 1e-3) << loss;
    }
}

// A crash loses what arrives meanwhile; the running sums bring it after the restart.
TEST(TrackingRun, RunningSumSurvivesACrash)
{
    TrackingSetting setting;
    setting.rounds = 600;
    setting.crash = Seconds(1);
    TrackingLab lab = MakeUneven();
    const Result result = RunOver(lab, setting);
    EXPECT_LT(result.judged, 600U) << "rounds without the crashed learner cannot be judged";
    EXPECT_GT(result.judged, 100U);
    EXPECT_LE(result.violation, 1e-12);
    EXPECT_LT(result.error, 1e-18);
}

// 24 bits of a running sum of order 10 are 1e-6; the errors of one sender do not add up.
TEST(TrackingRun, RoundingOnTheWireDoesNotPileUp)
{
    TrackingSetting setting;
    setting.floatBits = 32;
    setting.rounds = 2000;
    TrackingLab lab = MakeUneven();
    const Result result = RunOver(lab, setting);
    EXPECT_LT(result.violation, 1e-3);
    EXPECT_GT(result.violation, 1e-9) << "what the wire does to the sums is to be seen";
    EXPECT_LT(result.error, 1e-6);
}

// Levels of 1/7 of the largest entry: nothing is lost, but hardly anything arrives as it was sent.
TEST(TrackingRun, TheMonitorSeesWhatHappensOnTheWay)
{
    TrackingSetting setting;
    setting.rounds = 100;
    setting.qsgdLevels = 7;
    TrackingLab lab = MakeUneven();
    const Result result = RunOver(lab, setting);
    EXPECT_GT(result.violation, 0.1);
}

TEST(TrackingRun, MonitorRefusesOtherRules)
{
    const auto monitor = CreateObject<TrackingMonitor>();
    ExpectRefused([&] { monitor->Watch({}); }, "learners must not be empty");
    const auto learner = CreateObject<PeerApplication>();
    ExpectRefused([&] { monitor->Watch({learner}); },
                  "rules must be ns3::dlearn::GradientTracking, got ns3::dlearn::LdpOnline");
    EXPECT_TRUE(std::isnan(monitor->GetLargestViolation()));
}

} // namespace
} // namespace ns3::dlearn
