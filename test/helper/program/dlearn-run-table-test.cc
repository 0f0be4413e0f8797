/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * What a run tells before it begins, against sums by hand and what then happens.
 */

#include "ns3/config.h"
#include "ns3/dlearn-erasure-code.h"
#include "ns3/dlearn-federated-client.h"
#include "ns3/dlearn-run-spec.h"
#include "ns3/dlearn-run-table.h"
#include "ns3/dlearn-run-warnings.h"
#include "ns3/dlearn-run.h"
#include "ns3/double.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <sstream>

namespace ns3::dlearn
{
namespace
{

class RunForecastTest : public testing::Test
{
  protected:
    void TearDown() override { Config::Reset(); }

    /** @return the second line of the title, then the warnings of a run that is not simulated */
    static std::vector<std::string> Forecast(const RunSpec& spec)
    {
        dlearn::Run run(spec);
        std::vector<Ptr<LearnerApplication>> learners;
        if (spec.kind == RunKind::FEDERATION)
        {
            learners = run.GetFederation().GetLearners();
        }
        else
        {
            learners.assign(run.GetPeers().begin(), run.GetPeers().end());
        }
        const RunForecast forecast(learners, run.GetNetwork());
        std::ostringstream title;
        forecast.Describe(title);
        std::vector<std::string> lines{title.str()};
        for (const std::string& warning : forecast.FindWarnings())
        {
            lines.push_back(warning);
        }
        return lines;
    }

    /** A federation of two clients with images of 784 numbers and 10 labels. */
    static RunSpec Images()
    {
        RunSpec spec = FedAvgPreset("test");
        spec.learners = 2;
        spec.data = "glyphs";
        spec.dataSamples = 100;
        spec.network = "p2p";
        spec.rounds = 2;
        return spec;
    }
};

// 7840 numbers of 4 bytes; 1440 bytes fit a datagram of 1500: 22 of them, each with a header of
// 32 bytes, make 32064. All arrive with probability 0.9^22 = 0.0985.
TEST_F(RunForecastTest, CountsThePacketsOfADatagramEach)
{
    RunSpec spec = Images();
    spec.transport = "udp";
    spec.loss = 0.1;
    const auto lines = Forecast(spec);
    EXPECT_EQ(lines[0].rfind("7840 parameters, message of 32.1 kB in 22 packets (whole with "
                             "probability 0.0985), training of ",
                             0),
              0U)
        << lines[0];
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_EQ(lines[1],
              "every model is 22 packets, and arrives whole with probability 0.0985 where 0.1 of "
              "the packets are lost; use transport tcp, compress, or a smaller task");
    spec.loss = 0.01; // 0.99^22 = 0.80
    EXPECT_EQ(Forecast(spec).size(), 1U);
    spec.loss = 0.1;
    spec.transport = "tcp";
    EXPECT_EQ(Forecast(spec).size(), 1U) << "TCP sends again";
}

// An access link at both ends: 1 - (1 - 0.01)^2 of the packets are lost, 0.9801^22 = 0.643.
TEST_F(RunForecastTest, CountsTheLossOfBothAccessLinks)
{
    RunSpec spec = Images();
    spec.transport = "udp";
    spec.network = "tree:2";
    spec.loss = 0.01;
    EXPECT_NE(Forecast(spec)[0].find("probability 0.643"), std::string::npos) << Forecast(spec)[0];
}

// 11 packets of parity besides: at most 11 of 33 are lost with probability 0.733 where 0.3 of them
// are, and all 22 of the message come with probability 0.7^22 = 0.00039.
TEST_F(RunForecastTest, CountsTheParityOfBroadcasts)
{
    if (!ErasureCode::IsAvailable())
    {
        GTEST_SKIP() << "built without ISA-L";
    }
    RunSpec spec = Images();
    spec.network = "csma";
    spec.transport = "broadcast";
    spec.loss = 0.3;
    EXPECT_NE(Forecast(spec)[0].find("probability 0.000391"), std::string::npos)
        << Forecast(spec)[0];
    EXPECT_GT(Forecast(spec).size(), 1U);
    spec.reliable = "fec:0.5";
    const auto lines = Forecast(spec);
    EXPECT_NE(lines[0].find("probability 0.733"), std::string::npos) << lines[0];
    EXPECT_EQ(lines.size(), 1U);
    spec.reliable = "both:0.5";
    EXPECT_EQ(Forecast(spec)[0].find("probability"), std::string::npos);
}

TEST_F(RunForecastTest, TellsModelsFromUpdatesWhereTheyDiffer)
{
    RunSpec spec = Images();
    spec.compress = "top-k:10";
    const auto title = Forecast(spec)[0];
    EXPECT_NE(title.find(", model of 31.4 kB in 22 packets, update of "), std::string::npos)
        << title;
}

TEST_F(RunForecastTest, AServerMustWaitAsLongAsItsSlowestClientTrains)
{
    Config::SetDefault("ns3::dlearn::LearnerApplication::ComputeModel",
                       TypeIdValue(FixedCompute::GetTypeId())); // 10 ms
    RunSpec spec = FedAvgPreset("test");
    spec.learners = 3;
    spec.rounds = 2;
    spec.responseTimeout = "11ms";
    EXPECT_EQ(Forecast(spec).size(), 1U);
    spec.responseTimeout = "9ms";
    const auto lines = Forecast(spec);
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[1],
              "timeout is 9 ms, but 3 of 3 clients train longer, and the server does not wait for "
              "them; it must be more than 10 ms");
}

TEST_F(RunForecastTest, ADeadlineMustLeaveTimeToTrain)
{
    Config::SetDefault("ns3::dlearn::LearnerApplication::ComputeModel",
                       TypeIdValue(FixedCompute::GetTypeId()));
    RunSpec spec = FedAvgPreset("test");
    spec.learners = 3;
    spec.deadline = "8ms";
    EXPECT_EQ(Forecast(spec).back(),
              "deadline is 8 ms, but all clients train longer, and no update comes in time; it "
              "must be more than 10 ms");
    RunSpec peers = LdpOnlinePreset("test");
    peers.deadline = "8ms";
    EXPECT_EQ(Forecast(peers).back(),
              "deadline is 8 ms, but all learners train longer, and rounds close before messages "
              "come; it must be more than 10 ms");
    peers.onMissing = "wait"; // whatever the deadline
    EXPECT_EQ(Forecast(peers).size(), 1U);
    peers.onMissing = "skip";
    peers.deadline.clear();
    peers.synchrony = "async:8ms"; // no learner waits for another
    EXPECT_EQ(Forecast(peers).size(), 1U);
}

// The time that the title names is that of the first round.
TEST_F(RunForecastTest, KnowsTheTimeOfTheFirstTraining)
{
    std::vector<RunSpec> specs{LdpOnlinePreset("test"),
                               GradientTrackingPreset("test"),
                               FedAvgPreset("test"),
                               CafCorPreset("test"),
                               Images()};
    for (const char* algorithm : {"dsgd", "dola", "pdop"})
    {
        specs.push_back(LdpOnlinePreset("test"));
        specs.back().algorithm = algorithm;
    }
    for (const char* algorithm : {"push-sum", "dp-sgd", "ternary"})
    {
        specs.push_back(GradientTrackingPreset("test"));
        specs.back().algorithm = algorithm;
    }
    specs.push_back(Images());
    specs.back().epochs = 3;
    specs.push_back(FedAvgPreset("test"));
    specs.back().localSteps = "inf";
    for (RunSpec& spec : specs)
    {
        spec.rounds = 2;
        dlearn::Run run(spec);
        const auto learner = spec.kind == RunKind::FEDERATION
                                 ? Ptr<LearnerApplication>(run.GetFederation().clients.front())
                                 : Ptr<LearnerApplication>(run.GetPeers().front());
        const Time expected = learner->GetTrainingTime();
        std::ostringstream table;
        const RunResults results = run.Execute(table);
        const LearnerId id = spec.kind == RunKind::FEDERATION ? 1 : 0;
        for (const ResultRow& row : results.rows)
        {
            if (row.record.node == id && row.record.round == 0)
            {
                EXPECT_EQ(row.record.compute, expected) << spec.algorithm << " " << spec.data;
                EXPECT_GT(expected, Time(0));
            }
        }
    }
}

/** @return three learners over point-to-point links */
RunSpec
MakeSpec(uint32_t rounds)
{
    RunSpec spec = LdpOnlinePreset("disturbances");
    spec.learners = 3;
    spec.rounds = rounds;
    spec.dataSamples = 100;
    spec.network = "p2p";
    return spec;
}

/** @return what a run has done */
RunResults
Execute(const RunSpec& spec)
{
    dlearn::Run run(spec);
    std::ostringstream table;
    return run.Execute(table);
}

// The simulation goes on for a second after the last round, in which links still change.
TEST(RunDisturbances, ChangesOfLinksAreLateWhenTheyComeAfterTheLastRound)
{
    RunSpec spec = MakeSpec(20);
    spec.links = "down:0-1@5ms,up:0-1@6ms,down:1-2@500ms,up:1-2@600ms";
    const RunResults results = Execute(spec);
    Time end;
    for (const ResultRow& row : results.rows)
    {
        end = Max(end, row.record.closed);
    }
    ASSERT_GT(end, MilliSeconds(6));
    ASSERT_LT(end, MilliSeconds(500));
    EXPECT_GT(results.simulatedSeconds, 0.6);
    const std::string expected =
        "learning ended at " + NameTime(end) +
        ", when the last round was closed, before 4 of 8 changes of links; the first of these is "
        "of 1 to 2 at 500 ms";
    EXPECT_EQ(std::count(results.warnings.begin(), results.warnings.end(), expected), 1);
}

// Flows begin up to 0.1 s after the network is ready, and learning may be over by then.
TEST(RunDisturbances, CrossTrafficIsLateWhenItBeginsAfterTheLastRound)
{
    RunSpec spec = MakeSpec(1);
    spec.crossTraffic = "constant:1kbps:*to0,constant:1kbps:1to2";
    const RunResults results = Execute(spec);
    const auto told = std::find_if(
        results.warnings.begin(),
        results.warnings.end(),
        [](const std::string& warning) {
            return warning.find("before 3 of 3 flows of cross traffic had sent anything: onoff "
                                "begins with a pause (OffTime), and bulk needs a route; the first "
                                "of these is from ") != std::string::npos;
        });
    EXPECT_NE(told, results.warnings.end());
}

// Over a link that is down from the beginning.
TEST(RunDisturbances, NamesCrossTrafficOfWhichNothingArrives)
{
    RunSpec spec = MakeSpec(30);
    spec.deadline = "20ms";
    spec.links = "down:0-1@0s";
    spec.crossTraffic = "constant:1Mbps:0to1,constant:1Mbps:2to0";
    const RunResults results = Execute(spec);
    EXPECT_EQ(std::count(results.warnings.begin(),
                         results.warnings.end(),
                         "nothing has arrived by 1 of 2 flows of cross traffic, which may lack a "
                         "route; the first of these is from 0 to 1"),
              1);
}

} // namespace
} // namespace ns3::dlearn
