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

/** What a run leaves behind. */
struct Result
{
    double violation{0};            //!< largest of the invariant
    uint32_t judged{0};             //!< rounds of it
    double traced{0};               //!< largest that the trace told
    uint64_t expected{0};           //!< messages
    uint64_t received{0};           //!< of these, in time
    std::vector<ModelVector> final; //!< models
};

/**
 * Put the learners of a lab on a network and run them.
 *
 * @param lab of them
 * @param name of the network
 * @param compensation what trackers are sent as
 * @param rounds of every learner
 * @param qsgdLevels of compressed trackers and states; 0: none
 */
Result
RunOver(TrackingLab& lab,
        const std::string& name,
        const TypeId& compensation,
        uint32_t rounds,
        uint32_t qsgdLevels)
{
    lab.factory.Set("LossCompensation", TypeIdValue(compensation));
    const auto network = CreateNetwork(name);
    network->Build(UniteGraphs(lab.states, lab.trackers), NetworkOptions());
    network->AssignStreams(5000);
    PeerHelper helper;
    helper.SetAttribute("Rounds", UintegerValue(rounds));
    helper.SetAttribute("Rule", TypeIdValue(GradientTracking::GetTypeId()));
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
        rule->SetAttribute("LossCompensation", TypeIdValue(compensation));
        lab.rules.push_back(rule);
        const auto exchange = learners[i]->GetExchange();
        exchange->SetAttribute("FloatBits", UintegerValue(64));
        if (qsgdLevels > 0)
        {
            exchange->SetAttribute("Compressor", TypeIdValue(QsgdCompressor::GetTypeId()));
            exchange->GetCompressor()->SetAttribute("Levels", UintegerValue(qsgdLevels));
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
    Simulator::Stop(Seconds(1000));
    Simulator::Run();
    result.violation = monitor->GetLargestViolation();
    result.judged = monitor->GetRounds();
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
        TrackingLab lab = MakeUneven();
        const Result result = RunOver(lab, network, NoCompensation::GetTypeId(), 300, 0);
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

// Levels of 1/7 of the largest entry: nothing is lost, but hardly anything arrives as it was sent.
TEST(TrackingRun, TheMonitorSeesWhatHappensOnTheWay)
{
    TrackingLab lab = MakeUneven();
    const Result result = RunOver(lab, "p2p", RunningSum::GetTypeId(), 100, 7);
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
