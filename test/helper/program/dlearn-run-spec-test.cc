/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-federated-privacy.h"
#include "ns3/dlearn-gradient-tracking.h"
#include "ns3/dlearn-run-spec.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

namespace
{

/** A user's own kind of gradient tracking. */
class OwnTracking : public GradientTracking
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("mine::OwnTracking").SetParent<GradientTracking>().AddConstructor<OwnTracking>();
        return tid;
    }
};

NS_OBJECT_ENSURE_REGISTERED(OwnTracking);

/** What is wrong, and what the message says of it. */
using Mistakes = std::vector<std::pair<std::function<void(RunSpec&)>, std::string>>;

void
ExpectMistakesRefused(const RunSpec& good, const Mistakes& mistakes)
{
    good.Validate();
    for (const auto& [mistake, message] : mistakes)
    {
        RunSpec spec = good;
        mistake(spec);
        ExpectRefused([&] { spec.Validate(); }, message);
    }
}

TEST(RunSpec, KnowsTheAggregatorThatIsAtWork)
{
    RunSpec peers = LdpOnlinePreset("test");
    peers.serverRule = "FedAvg"; // there is no server
    peers.aggregator = "Median";
    EXPECT_EQ(peers.GetAggregator(), "Median");
    RunSpec spec = FedAvgPreset("test");
    EXPECT_EQ(spec.GetAggregator(), "none");
    spec.serverRule = "Robust,Momentum=0.5";
    EXPECT_EQ(spec.GetAggregator(), "Average");
    spec.aggregator = "Krum";
    EXPECT_EQ(spec.GetAggregator(), "Krum");
    spec.serverRule = "";
    EXPECT_EQ(spec.GetAggregator(), "Krum");
    spec.serverRule = "ns3::dlearn::FedAvgServer";
    EXPECT_EQ(spec.GetAggregator(), "none") << "the rule takes none, whatever the option says";
    RunSpec cafcor = CafCorPreset("test");
    EXPECT_EQ(cafcor.GetAggregator(), "Caf");
    cafcor.aggregator = "none";
    EXPECT_EQ(cafcor.GetAggregator(), "Average");
}

TEST(RunSpec, KnowsWhetherClientsTakeSteps)
{
    RunSpec spec = FedAvgPreset("test");
    EXPECT_TRUE(spec.TakesSteps());
    spec.localSteps = "inf";
    EXPECT_FALSE(spec.TakesSteps());
    spec.localSteps = "";
    spec.clientRule = "LocalSolve";
    EXPECT_FALSE(spec.TakesSteps());
    spec.clientRule = "LocalSgd";
    EXPECT_TRUE(spec.TakesSteps());
    RunSpec cafcor = CafCorPreset("test");
    EXPECT_FALSE(cafcor.TakesSteps());
}

TEST(RunSpec, RefusesNumbersOutOfRange)
{
    const double notANumber = std::nan("");
    ExpectMistakesRefused(
        LdpOnlinePreset("test"),
        {
            {[](auto& s) { s.learners = 0; }, "learners must be in [1, 100000], or 0 with a file"},
            {[](auto& s) { s.learners = -3; }, "learners must be in [0, 100000], got 4294967293"},
            {[](auto& s) { s.rounds = 0; }, "rounds must be a whole number of at least 1, got '0'"},
            {[](auto& s) { s.batchSize = 0; }, "batch-size must be in [1, 1000000], got 0"},
            {[](auto& s) { s.loss = 1; }, "loss must be in [0, 1), got 1"},
            {[](auto& s) { s.loss = -0.1; }, "loss must be in [0, 1), got -0.1"},
            {[&](auto& s) { s.loss = notANumber; }, "loss must be in [0, 1), got "},
            {[](auto& s) { s.quorum = 0; }, "quorum must be in (0, 1], got 0"},
            {[](auto& s) { s.floatBits = 8; },
             "float-bits must be a whole number from 16 to 64, got '8'"},
            {[](auto& s) { s.joulesPerOperation = "2"; },
             "joules-per-operation must be a number from 0 to 1, got '2'"},
            {[](auto& s) { s.noise = INFINITY; }, "noise must be in [0, 1e+100], got inf"},
            {[](auto& s) { s.stepSize = 0; }, "step-size must be in (0, 1e+100], got 0"},
            {[](auto& s) { s.delta = 1; }, "delta must be in [0, 1), got 1"},
        });
}

TEST(RunSpec, RefusesWhatNoPeersCanDo)
{
    ExpectMistakesRefused(
        LdpOnlinePreset("test"),
        {
            {[](auto& s) { s.algorithm = "dp-gt"; },
             "algorithm dp-gt needs a graph of its trackers; see dlearn-gradient-tracking"},
            {[](auto& s) { s.algorithm = "GradientTracking"; },
             "algorithm GradientTracking needs a graph of its trackers"},
            {[](auto& s) { s.algorithm = "nope"; },
             "algorithm must be one of choco, clipped-gossip, "},
            {[](auto& s) { s.out = ""; }, "out must name a directory"},
            {[](auto& s) { s.unused = "no"; }, "unused must be one of error, warn; got 'no'"},
        });
}

TEST(RunSpec, ReadsThePaceOfLearners)
{
    RunSpec spec = LdpOnlinePreset("test");
    EXPECT_FALSE(spec.GetPeriod().has_value());
    spec.synchrony = "async";
    EXPECT_EQ(spec.GetPeriod(), Time(0));
    spec.synchrony = "async:20ms";
    EXPECT_EQ(spec.GetPeriod(), MilliSeconds(20));
    for (const std::string text : {"", "Async", "asynchronous", "rounds:1s", "async=1s"})
    {
        spec.synchrony = text;
        ExpectRefused([&] { spec.GetPeriod(); },
                      "synchrony must be rounds, async or async:PERIOD, got '" + text + "'");
    }
    spec.synchrony = "async:soon";
    ExpectRefused([&] { spec.GetPeriod(); },
                  "synchrony: period of 'async:soon' must be a time of at least 0 with a unit");
    spec.synchrony = "async:0s";
    ExpectRefused([&] { spec.GetPeriod(); }, "synchrony: period must be greater than 0");
}

TEST(RunSpec, TakesTheNumberOfLearnersFromAFile)
{
    RunSpec spec = LdpOnlinePreset("test");
    spec.graph = "graphml:some.graphml";
    spec.learners = 0;
    spec.Validate();
    spec = GradientTrackingPreset("test");
    spec.compensation = "running-sum";
    spec.compress = "qsgd:16"; // unbiased, and forgets what it left out
    spec.stateGraph = "csv:some.csv";
    spec.learners = 0;
    spec.Validate();
}

// The paper prints 72/2000^0.987 for 2000 rounds, which are the rounds 0 to K = 1999.
TEST(RunSpec, PlansASchemeForTheLastRound)
{
    RunSpec spec = GradientTrackingPreset("test");
    spec.rounds = 2000;
    EXPECT_DOUBLE_EQ(spec.GetTrackingPlan().alpha, 72 / std::pow(2000, 0.987));
    EXPECT_EQ(spec.GetTrackingPlan().samples, 53U);
    spec.scheme = "s2";
    EXPECT_EQ(spec.GetTrackingPlan().samples, 55U);
    EXPECT_DOUBLE_EQ(spec.GetTrackingPlan().state.base, std::pow(0.9996, 1999));
    spec.beta = 0.25;
    spec.samples = 7;
    spec.trackerNoiseExponent = "1";
    EXPECT_EQ(spec.GetTrackingPlan().alpha, 0.1) << "of the scheme";
    EXPECT_EQ(spec.GetTrackingPlan().beta, 0.25);
    EXPECT_EQ(spec.GetTrackingPlan().samples, 7U);
    EXPECT_EQ(spec.GetTrackingPlan().tracker.base, 1);
}

TEST(RunSpec, TellsWhetherTrackingAddsNoise)
{
    RunSpec spec = GradientTrackingPreset("test");
    spec.noise = 0.3;
    EXPECT_TRUE(spec.IsTracking());
    EXPECT_EQ(spec.GetNoise(), 0.3);
    for (const std::string name : {"dp-gt",
                                   "DpGt",
                                   "gradient-tracking",
                                   "GradientTracking",
                                   "dp-gt,PrivacyUnit=ns3::dlearn::LearnerUnit",
                                   "ns3::dlearn::GradientTracking",
                                   "mine::OwnTracking"})
    {
        spec.algorithm = name;
        spec.Validate();
        EXPECT_TRUE(spec.IsTracking()) << name;
        EXPECT_EQ(spec.GetNoise(), 0.3) << name;
    }
    for (const std::string name : {"gt", "GT", "gt,PrivacyUnit=ns3::dlearn::LearnerUnit"})
    {
        spec.algorithm = name;
        spec.Validate();
        EXPECT_TRUE(spec.IsTracking()) << name;
        EXPECT_EQ(spec.GetNoise(), 0) << name;
        EXPECT_EQ(spec.GetPeerRule().GetTypeId(), GradientTracking::GetTypeId());
    }
    for (const std::string name : {"dsgd", "mine::No", "dsgd,x"})
    {
        spec.algorithm = name;
        EXPECT_FALSE(spec.IsTracking()) << name;
        EXPECT_EQ(spec.GetNoise(), 0.3) << name;
    }
}

TEST(RunSpec, RefusesWhatIsWrongInAFederation)
{
    ExpectMistakesRefused(
        FedAvgPreset("test"),
        {
            {[](auto& s) { s.algorithm = "fedsgd"; },
             "algorithm must be one of cafcor, ditto, fedadagrad, fedadam, fedavg, feddyn, "
             "fednova, "
             "fedper, fedprox, fedyogi, qfedavg, scaffold; got 'fedsgd'"},
            {[](auto& s) { s.mode = "later"; }, "mode must be one of sync, async, buffered; got"},
            {[](auto& s) { s.sampleFraction = 0; }, "sample-fraction must be in (0, 1], got 0"},
            {[](auto& s) { s.byzantine = 2; }, "byzantine must be less than half of the 3 clients"},
            {[](auto& s) { s.privacyUnit = "sample"; },
             "privacy-unit sample needs algorithm cafcor"},
        });
    ExpectMistakesRefused(
        CafCorPreset("test"),
        {
            {[](auto& s) { s.mode = "buffered"; }, "algorithm cafcor needs mode sync"},
            {[](auto& s) { s.data = "linear-gaussian"; }, "algorithm cafcor needs a data set"},
            {[](auto& s) { s.clip = 0; }, "clip must be greater than 0 for privacy, got 0"},
        });
}

// One name for who is feared and one for what they see make one threat model.
TEST(ThreatModelOption, MakesTheThreatModelOfAView)
{
    const auto name = [](const std::string& model, const std::string& view) {
        return ParseThreatModel(model, view, 3, 1)->GetInstanceTypeId().GetName();
    };
    EXPECT_EQ(name("secldp", "transcript"), "ns3::dlearn::SecretLocalDp");
    EXPECT_EQ(name("byzldp", "transcript"), "ns3::dlearn::ByzantineLocalDp");
    EXPECT_EQ(name("secldp", "lemma"), "ns3::dlearn::LemmaLocalDp");
    EXPECT_EQ(name("byzldp", "lemma"), "ns3::dlearn::LemmaLocalDp");
    EXPECT_EQ(name("cdp", "transcript"), "ns3::dlearn::CentralDp");
    EXPECT_EQ(name("ldp", "transcript"), "ns3::dlearn::LocalDp");
    ExpectRefused([&] { name("ldp", "lemma"); },
                  "view lemma is for threat-model secldp and byzldp, got ldp");
    // With all three colluding the lemma is right, with one it is not.
    const WorkerCounts counts{10, 3};
    const NoiseScales noise{2, 1};
    EXPECT_DOUBLE_EQ(ParseThreatModel("byzldp", "lemma", 3, 1)->GetRate(counts, 1, noise),
                     TranscriptRate(counts, 3, 1, noise));
    EXPECT_EQ(ParseThreatModel("secldp", "lemma", 3, 1)->GetRate(counts, 1, noise),
              LemmaRate(counts, 1, 1, noise));
}

} // namespace

} // namespace ns3::dlearn
