/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"
#include "support/dlearn-short-runs.h"

#include "ns3/config.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-federated-server.h"
#include "ns3/dlearn-files.h"
#include "ns3/dlearn-npy-file.h"
#include "ns3/dlearn-run-spec.h"
#include "ns3/dlearn-run.h"
#include "ns3/double.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"

#include <functional>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <vector>

namespace ns3::dlearn
{

namespace
{

/** @return the momentum of the server's rule in a run of a program's preset */
double
GetServerMomentum(const std::string& aggregator)
{
    RunSpec spec = FedAvgPreset("test");
    spec.learners = 3;
    spec.momentum = 0.9;
    spec.aggregator = aggregator;
    const dlearn::Run run(spec);
    DoubleValue momentum;
    run.GetFederation().server->GetRule()->GetAttribute("Momentum", momentum);
    return momentum.Get();
}

TEST(Run, GivesTheOptionMomentumToWhicheverRuleTheServerHas)
{
    EXPECT_EQ(GetServerMomentum("none"), 0.9);
    EXPECT_EQ(GetServerMomentum("Median"), 0.9);
}

/** A run of FedAvg on a data set, and its results. */
struct Kept
{
    explicit Kept(const std::function<void(RunSpec&)>& change)
    {
        RunSpec spec = FedAvgPreset("test");
        spec.data = "generated";
        spec.dataSamples = 90;
        spec.learners = 3;
        spec.rounds = 7;
        change(spec);
        dlearn::Run run(spec);
        first = run.GetFederation().server->GetRule()->GetModel();
        run.SetFinishHook([this](dlearn::Run& done) {
            last = done.GetFederation().server->GetRule()->GetModel();
        });
        std::ostringstream table;
        results = run.Execute(table);
    }

    ModelVector first; //!< of the server
    ModelVector last;  //!< of the server
    RunResults results;
};

/** @return the name of a file with a model */
std::string
Store(const ModelVector& model)
{
    const std::string file = testing::TempDir() + "dlearn-run-test.npy";
    WriteTextFiles({{file, MakeNpy(model)}});
    return file;
}

TEST(KeptModel, IsThatOfTheServerAndASecondRunBeginsWithIt)
{
    const Kept kept([](auto& s) { s.keepModel = "every:3", s.keepPersonal = true; });
    EXPECT_EQ(kept.results.model, kept.last);
    ASSERT_EQ(kept.results.models.size(), 3U); // rounds 0, 3, 6
    EXPECT_EQ(kept.results.models.back(), kept.last);
    EXPECT_EQ(kept.results.personal.size(), 3U);
    const Kept six([](auto& s) { s.rounds = 6, s.keepModel = "every:3"; });
    ASSERT_EQ(six.results.models.size(), 3U); // rounds 0, 3 and the last, 5
    EXPECT_EQ(six.results.models[1], kept.results.models[1]);
    EXPECT_EQ(six.results.models[2], six.last);

    const std::string file = Store(kept.last);
    const Kept again([&file](auto& s) { s.initialModel = file, s.keepModel = "none"; });
    EXPECT_EQ(again.first, kept.last);
    EXPECT_EQ(again.results.model.size(), 0);
}

TEST(KeptModel, IsTheBest)
{
    const auto findHighest = [](const RunResults& results) {
        double highest = 0;
        for (const ResultRow& row : results.rows)
        {
            highest = row.evaluation ? std::max(highest, row.evaluation->accuracy) : highest;
        }
        return highest;
    };
    const Kept best([](auto& s) { s.keepModel = "best"; });
    const std::string file = Store(best.results.model);
    const Kept still(
        [&file](auto& s) { s.initialModel = file, s.stepSize = 1e-300, s.rounds = 1; });
    EXPECT_GT(findHighest(best.results), 0.5);
    EXPECT_EQ(findHighest(still.results), findHighest(best.results));
}

TEST(KeptModel, OfPeersIsTheMeanOfTheHonest)
{
    RunSpec spec = LdpOnlinePreset("test");
    spec.rounds = 5;
    spec.graph = "complete";
    spec.byzantine = 1;
    spec.attack = "SignFlipping";
    spec.dataSamples = 100;
    spec.keepPersonal = true;
    dlearn::Run run(spec);
    std::ostringstream table;
    const RunResults results = run.Execute(table);
    ASSERT_EQ(results.personal.size(), 5U);
    ModelVector mean = ModelVector::Zero(results.model.size());
    for (size_t k = 0; k < 4; ++k)
    {
        mean += results.personal[k] / 4;
    }
    EXPECT_LT((mean - results.model).norm(), 1e-14 * mean.norm());
}

TEST(KeptModel, IsRefusedWhereItDoesNotFit)
{
    ExpectRefused([] { Kept([](auto& s) { s.keepModel = "nope"; }); },
                  "keep-model must be final, best, every:N or none, got 'nope'");
    ExpectRefused([] { Kept([](auto& s) { s.keepModel = "every:3", s.evaluateEvery = 2; }); },
                  "keep-model every:N needs a multiple of evaluate-every, 2, got 'every:3'");
    const std::string file = Store(ModelVector::Ones(1));
    ExpectRefused([&] { Kept([&](auto& s) { s.initialModel = file; }); },
                  "initial-model must have as many numbers as the model of this run, ");
}

/** @return the title of a run of FedAvg on a data set */
std::string
GetTitle(const std::function<void(RunSpec&)>& change)
{
    RunSpec spec = FedAvgPreset("test");
    spec.data = "generated";
    spec.dataSamples = 90;
    spec.rounds = 1;
    change(spec);
    dlearn::Run run(spec);
    std::ostringstream table;
    run.Execute(table);
    return table.str().substr(0, table.str().find('\n'));
}

TEST(Run, IsCalledAfterTheRulesThatAreAtWork)
{
    const std::string sgd = "1 epoch of batches of 20";
    const std::string robust = GetTitle([](auto& s) { s.aggregator = "Krum"; });
    EXPECT_NE(robust.find(sgd + ", Krum, "), std::string::npos) << robust;
    const std::string mean =
        GetTitle([](auto& s) { s.aggregator = "Krum", s.serverRule = "FedAvg"; });
    EXPECT_NE(mean.find(sgd + ", categorical"), std::string::npos) << mean;
    const std::string exact = GetTitle([](auto& s) { s.clientRule = "LocalSolve"; });
    EXPECT_NE(exact.find("LocalSolve, categorical"), std::string::npos) << exact;
}

TEST(Run, RefusesASecondRunInTheSameSimulator)
{
    RunSpec spec = LdpOnlinePreset("test");
    spec.learners = 3;
    spec.rounds = 2;
    std::ostringstream table;
    {
        dlearn::Run first(spec);
        ExpectRefused([&spec] { const dlearn::Run second(spec); },
                      "Run: another run is there already");
        EXPECT_FALSE(first.Execute(table).rows.empty()); // the refused one left it alone
        const dlearn::Run next(spec);                    // the first one is executed
    }
    const dlearn::Run last(spec); // all others are destroyed
}

TEST(Run, RefusesToBeExecutedAfterItsEnd)
{
    RunSpec spec = LdpOnlinePreset("test");
    spec.learners = 3;
    spec.rounds = 2;
    std::ostringstream table;
    dlearn::Run run(spec);
    Simulator::Destroy();
    ExpectRefused([&] { run.Execute(table); },
                  "Run: the run has ended with Simulator::Destroy(); build another one");
    dlearn::Run next(spec); // the other one is over
    EXPECT_EQ(next.Execute(table).status, "complete");
    ExpectRefused([&] { next.Execute(table); }, "a run can be executed only once");
}

// A slot of 512 bits is half a nanosecond here; a slot of none made nodes retry at once, for ever.
TEST(Run, EndsOnABusOfAnyRate)
{
    for (const std::string rate : {"1025Gbps", "900000Gbps"})
    {
        RunSpec spec = FedAvgPreset("test");
        spec.learners = 3;
        spec.rounds = 2;
        spec.network = "csma";
        spec.rate = rate;
        dlearn::Run run(spec);
        uint32_t backoffs = 0;
        Config::ConnectWithoutContext("/NodeList/*/DeviceList/*/$ns3::CsmaNetDevice/MacTxBackoff",
                                      Callback<void, Ptr<const Packet>>([&](Ptr<const Packet>) {
                                          Require(++backoffs < 100000, "endless backoff");
                                      }));
        std::ostringstream table;
        EXPECT_NO_THROW(run.Execute(table)) << rate;
    }
}

/** What a run with a table gives. */
struct TimedRun
{
    RunResults results;                  //!< of Execute()
    std::vector<RoundSummary> summaries; //!< of the same
    std::string table;                   //!< of the same
    Time ready;                          //!< of the network
};

/** @return a run of moving stations, one of which crashes and comes back */
TimedRun
RunTimed(const std::string& timeFrom, const std::string& churn)
{
    RunSpec spec = FedAvgPreset("test");
    spec.network = "wifi-infra";
    spec.mobility = "random-waypoint,speed=10";
    spec.learners = 3;
    spec.rounds = 5;
    spec.timeFrom = timeFrom;
    spec.churn = churn;
    dlearn::Run run(spec);
    TimedRun timed;
    timed.ready = run.GetNetwork().GetReadyTime();
    std::ostringstream table;
    timed.results = run.Execute(table);
    timed.summaries = run.GetSummaries();
    timed.table = table.str();
    return timed;
}

// Four nodes of wifi-infra are ready at 2.04 s. The run is the same, and all times differ by that.
TEST(Run, CountsTimesFromWhenLearnersAreReady)
{
    const TimedRun ready = RunTimed("ready", "crash:2@4ms,restart:2@8ms");
    const TimedRun start = RunTimed("start", "crash:2@2.044s,restart:2@2.048s");
    ASSERT_EQ(ready.ready, MilliSeconds(2040));
    EXPECT_EQ(ready.results.readySeconds, 2.04);
    EXPECT_EQ(start.results.readySeconds, 2.04);
    EXPECT_NEAR(start.results.simulatedSeconds - ready.results.simulatedSeconds, 2.04, 1e-9);
    ASSERT_EQ(ready.results.rows.size(), start.results.rows.size());
    for (size_t k = 0; k < ready.results.rows.size(); ++k)
    {
        const RoundRecord& early = ready.results.rows[k].record;
        const RoundRecord& late = start.results.rows[k].record;
        EXPECT_EQ(late.closed - early.closed, ready.ready);
        EXPECT_EQ(late.duration, early.duration);
        EXPECT_EQ(late.txBytes, early.txBytes);
    }
    ASSERT_EQ(ready.summaries.size(), 5U);
    EXPECT_EQ(start.summaries[4].time - ready.summaries[4].time, ready.ready);
    EXPECT_NE(ready.table, start.table);
    // Three stations have joined before.
    ASSERT_EQ(ready.results.timeline.size(), 5U);
    EXPECT_EQ(ready.results.timeline[3].time, MilliSeconds(4));
    EXPECT_EQ(ready.results.timeline[4].time, MilliSeconds(8));
    EXPECT_EQ(start.results.timeline[4].time, MilliSeconds(2048));
    ASSERT_EQ(ready.results.motion.size(), start.results.motion.size());
    EXPECT_EQ(ready.results.motion.front().time, Time(0) - ready.ready);
    EXPECT_EQ(start.results.motion.front().time, Time(0));
    // The association is on no link, and the share of the time is that of learning.
    ASSERT_EQ(ready.results.links.size(), start.results.links.size());
    for (size_t k = 0; k < ready.results.links.size(); ++k)
    {
        EXPECT_LT(ready.results.links[k].txBytes, start.results.links[k].txBytes);
        EXPECT_GT(ready.results.links[k].busy, 2 * start.results.links[k].busy);
    }
}

} // namespace

} // namespace ns3::dlearn
