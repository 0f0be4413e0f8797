/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Gradient tracking and its baselines as the program runs them: from options to results.
 * Over networks: two directed graphs, and the invariant as TrackingMonitor sees it.
 */

#include "peer/dlearn-tracking-fixture.h"

#include "ns3/config.h"
#include "ns3/dlearn-baselines.h"
#include "ns3/dlearn-compressor.h"
#include "ns3/dlearn-directed-learners.h"
#include "ns3/dlearn-monitor.h"
#include "ns3/dlearn-network.h"
#include "ns3/dlearn-peer-helper.h"
#include "ns3/dlearn-run-spec.h"
#include "ns3/dlearn-run.h"
#include "ns3/dlearn-tracking-monitor.h"
#include "ns3/dlearn-tracking-scheme.h"
#include "ns3/double.h"
#include "ns3/simulator.h"

#include <cmath>
#include <gtest/gtest.h>
#include <set>
#include <sstream>

namespace ns3::dlearn
{
namespace
{

/** Restores attributes that a test has set. */
class TrackingProgram : public testing::Test
{
  protected:
    void TearDown() override { Config::Reset(); }
};

/** What a run leaves behind. */
struct TrackingOutcome
{
    RunResults results;                  //!< of the run
    std::vector<RoundSummary> summaries; //!< evaluated rounds
    std::vector<ModelVector> models;     //!< one a learner, of the last round
};

/** Run to the end. */
TrackingOutcome
RunTracking(const RunSpec& options)
{
    dlearn::Run scenario(options);
    std::vector<Ptr<UpdateRule>> rules;
    for (const auto& learner : scenario.GetPeers())
    {
        rules.push_back(learner->GetRule());
    }
    std::ostringstream table;
    TrackingOutcome outcome;
    outcome.results = scenario.Execute(table);
    outcome.summaries = scenario.GetSummaries();
    for (const auto& rule : rules)
    {
        outcome.models.push_back(rule->GetModel());
    }
    return outcome;
}

/** A small run of whatever algorithm on classes. */
RunSpec
SmallTracking(const std::string& algorithm)
{
    RunSpec options = GradientTrackingPreset("test");
    options.algorithm = algorithm;
    options.dataSamples = 400;
    options.rounds = 21;
    options.scheme = "s2";
    options.samples = 9;
    options.evaluateEvery = 20;
    return options;
}

TEST_F(TrackingProgram, GtIsDpGtWithoutNoise)
{
    const TrackingOutcome gt = RunTracking(SmallTracking("gt"));
    RunSpec options = SmallTracking("dp-gt");
    options.noise = 0;
    const TrackingOutcome silent = RunTracking(options);
    EXPECT_EQ(gt.models, silent.models);
    EXPECT_EQ(RunTracking(SmallTracking("GT")).models, gt.models);
    EXPECT_TRUE(std::isinf(gt.results.rows.back().record.epsilon));
    options.noise = 1;
    EXPECT_NE(RunTracking(options).models, gt.models);
}

// Of an ideal network, so that what was realised is what was planned. In- and out-weights are 1.
TEST_F(TrackingProgram, SpendsWhatThePlannerSays)
{
    for (const std::string scheme : {"s1", "s2", "free"})
    {
        for (const double smoothness : {0.0, 0.4})
        {
            RunSpec options = SmallTracking("dp-gt");
            options.scheme = scheme;
            options.alpha = 0.3;
            options.noise = 1;
            options.smoothness = smoothness;
            Config::SetDefault("ns3::dlearn::Task::ClipNorm", DoubleValue(0.5));
            const TrackingOutcome outcome = RunTracking(options);
            PlannedTracker learner;
            learner.sensitivity = 1;
            learner.smoothness = smoothness;
            learner.regularization = options.regularization;
            learner.dimension = static_cast<uint32_t>(outcome.models[0].size());
            const double planned = PlanTrackingEpsilon(options.GetTrackingPlan(), learner);
            const RoundRecord& last = outcome.results.rows.back().record;
            EXPECT_NEAR(last.epsilonNominal, planned, 1e-9 * planned) << scheme;
            for (const auto& [node, epsilon] : outcome.results.epsilon)
            {
                // No sample is in every batch, so what was realised is less.
                EXPECT_LE(epsilon, planned * (1 + 1e-9)) << scheme << " " << node;
                EXPECT_GT(epsilon, 0) << scheme << " " << node;
            }
        }
    }
}

TEST_F(TrackingProgram, BaselinesHaveTheSameStepsSamplesAndNoise)
{
    for (const std::string algorithm :
         {"dsgd", "dola", "pdop", "push-sum", "dp-sgd", "ternary", "ldp-online"})
    {
        RunSpec options = SmallTracking(algorithm);
        options.noise = 0.5;
        dlearn::Run scenario(options);
        EXPECT_EQ(scenario.Get<DirectedLearners>().GetTrackingMonitor(), nullptr);
        for (const auto& learner : scenario.GetPeers())
        {
            const auto rule = DynamicCast<PeerRule>(learner->GetRule());
            ASSERT_NE(rule, nullptr);
            DoubleValue step;
            rule->GetAttribute("StepSize", step);
            EXPECT_EQ(step.Get(), 0.1) << algorithm;
            const double scale = 0.5 * (algorithm == "ternary" ? 10 : std::pow(0.9996, 20));
            for (const uint32_t round : {0U, 13U})
            {
                EXPECT_DOUBLE_EQ(rule->GetNoiseMechanism()->GetScale(round), scale) << algorithm;
            }
            if (const auto growing = DynamicCast<DpSgdGrowing>(rule))
            {
                EXPECT_EQ(growing->GetSampleCount(0), 1U);
                EXPECT_EQ(growing->GetSampleCount(19), 9U);
                EXPECT_EQ(growing->GetSampleCount(20), 9U) << "m_K in round K";
            }
        }
        std::ostringstream table;
        const RunResults results = scenario.Execute(table);
        EXPECT_EQ(results.figures.count("tracking_violation"), 0U);
        EXPECT_TRUE(std::isfinite(scenario.GetSummaries().back().mean.error)) << algorithm;
        EXPECT_EQ(results.epsilon.size(), 5U) << algorithm;
    }
}

TEST_F(TrackingProgram, KeepsNoAccountWhereNothingBoundsGradients)
{
    for (const std::string algorithm : {"dp-gt", "dsgd", "ternary"})
    {
        for (const std::string task : {"least-squares", "sine"})
        {
            RunSpec options = SmallTracking(algorithm);
            options.task = task;
            options.noise = 0.1;
            EXPECT_TRUE(RunTracking(options).results.epsilon.empty()) << algorithm << " " << task;
            Config::SetDefault("ns3::dlearn::Task::ClipNorm", DoubleValue(1));
            EXPECT_EQ(RunTracking(options).results.epsilon.size(), 5U) << algorithm << " " << task;
            Config::Reset();
        }
    }
}

// 802.11 broadcast has no acknowledgements, so it also works in one direction. All send at once and
// many frames collide, but at least one of the 200 messages of each edge arrives, and none arrives
// where there is no edge.
TEST_F(TrackingProgram, RadioGraphMatchesTheMessagesOnTheAir)
{
    RunSpec options = SmallTracking("gt");
    options.stateGraph = "radio";
    options.powers = "14:23";
    options.side = 100;
    options.learners = 8;
    options.network = "wifi-adhoc";
    options.transport = "broadcast";
    options.task = "least-squares"; // short messages
    options.rounds = 100;
    dlearn::Run scenario(options);
    std::set<std::pair<LearnerId, LearnerId>> heard;
    for (const auto& learner : scenario.GetPeers())
    {
        learner->TraceConnectWithoutContext(
            "ModelRx",
            Callback<void, LearnerId, LearnerId, uint32_t, MessageDisposition, bool>(
                [&heard](LearnerId receiver,
                         LearnerId sender,
                         uint32_t,
                         MessageDisposition disposition,
                         bool usable) {
                    EXPECT_NE(disposition, MessageDisposition::UNEXPECTED);
                    EXPECT_TRUE(usable);
                    heard.insert({receiver, sender});
                }));
    }
    const Graph graph = scenario.GetGraph();
    std::ostringstream table;
    const RunResults results = scenario.Execute(table);
    EXPECT_EQ(results.totals.at("unknown_sender"), 0U);
    uint32_t oneWay = 0;
    for (LearnerId i = 0; i < 8; ++i)
    {
        for (LearnerId j = 0; j < 8; ++j)
        {
            EXPECT_EQ(heard.count({i, j}) > 0, graph.GetWeight(i, j) > 0) << j << " -> " << i;
            oneWay += graph.GetWeight(i, j) > 0 && graph.GetWeight(j, i) == 0;
        }
    }
    EXPECT_GE(oneWay, 3U) << "the case that matters";
}

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
    network->Build(UniteGraphs(lab.states, lab.trackers), {});
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

} // namespace
} // namespace ns3::dlearn
