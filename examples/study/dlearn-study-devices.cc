/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-study-devices.h"

#include "dlearn-study-report.h"

#include "ns3/dlearn-federated-learners.h"
#include "ns3/dlearn-files.h"
#include "ns3/dlearn-newton.h"
#include "ns3/dlearn-results-writer.h"
#include "ns3/dlearn-run-spec.h"
#include "ns3/dlearn-run.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/double.h"

#include <cmath>
#include <functional>
#include <iomanip>
#include <iostream>
#include <limits>
#include <vector>

namespace ns3::dlearn
{

namespace
{

/** One way to deal with slow devices, and what came of it. */
struct Way
{
    std::string name;               //!< in legend and table
    RunSpec options;                //!< what to run
    std::vector<Spread> accuracy{}; //!< over the runs, at each time: on test data
    std::vector<Spread> loss{};     //!< over the runs, at each time: above its minimum
    Spread close{};                 //!< over the runs: seconds until the loss is close
    Spread heard{};                 //!< over the runs: share of the expected updates in time
};

/** How much above its minimum a training loss is close to it. */
const double CLOSE = 0.02;

/** Speed of an ordinary device in operations a second: 0.15 s for a round. */
const double FLOPS = 1e6;

/** @return what all ways have in common */
RunSpec
MakeScenario(const StudyParameters& p)
{
    RunSpec options = FedAvgPreset(p.program);
    options.data = "generated";
    options.task = "logistic";
    options.partition = "label"; // so that it matters who is heard
    options.learners = 20;
    options.samples = 0; // all of them in every round
    options.localSteps = "5";
    options.stepSize = 5;
    options.network = "p2p";
    return options;
}

/** @return times at which the ways are compared, in seconds: 20 a decade */
std::vector<double>
MakeTimes(double horizon)
{
    std::vector<double> times;
    for (double time = horizon; time > 0.05; time /= std::pow(10, 0.05))
    {
        times.insert(times.begin(), time);
    }
    return times;
}

/** @return the least training loss that a model can have, of a run that measures it on all samples
 */
double
FindLeastLoss(const Run& run)
{
    const auto& task = dynamic_cast<const ConvexTask&>(*run.GetTask());
    const WeightedSamples samples = EqualWeights(FirstSamples(task.GetTrain().GetSize()));
    const ModelVector start = ModelVector::Zero(task.GetDimension());
    return task.GetLoss(Minimize(task, samples, start), samples);
}

/** Add what the server had at each time of a run: the newest of its models, if any. */
void
AddSummaries(const std::vector<RoundSummary>& summaries,
             double leastLoss,
             const std::vector<double>& times,
             Way& way)
{
    way.accuracy.resize(times.size());
    way.loss.resize(times.size());
    double close = std::numeric_limits<double>::infinity();
    Evaluation newest; // not known
    double heard = 0;
    size_t next = 0;
    for (size_t k = 0; k < times.size(); ++k)
    {
        for (; next < summaries.size() && summaries[next].time.GetSeconds() <= times[k]; ++next)
        {
            newest = summaries[next].mean;
            heard += summaries[next].delivered;
            if (newest.loss - leastLoss <= CLOSE && std::isinf(close))
            {
                close = summaries[next].time.GetSeconds();
            }
        }
        way.accuracy[k].Add(newest.accuracy);
        way.loss[k].Add(newest.loss - leastLoss);
    }
    way.close.Add(close);
    way.heard.Add(heard / next);
}

/** Run all ways. */
void
RunWays(const StudyParameters& p,
        const std::vector<double>& times,
        const std::function<void(Run&)>& customize,
        std::vector<Way>& ways)
{
    std::cout << "mean of " << p.runs << " runs (least - greatest)\n\n  rounds                 "
              << "s to within " << CLOSE << " of the least loss  above it at " << times.back()
              << " s          heard in time\n";
    const auto format = [](const Spread& value) {
        return FormatRounded(value.GetMean(), 3) + " (" + FormatRounded(value.GetLow(), 3) + " - " +
               FormatRounded(value.GetHigh(), 3) + ")";
    };
    for (Way& way : ways)
    {
        ForEachRun(p.runs, [&] {
            Run scenario(way.options);
            customize(scenario);
            std::ostream nowhere(nullptr);
            scenario.Execute(nowhere);
            AddSummaries(scenario.GetSummaries(), FindLeastLoss(scenario), times, way);
        });
        std::cerr << way.name << ": done\n";
        std::cout << "  " << std::left << std::setw(23) << way.name << std::setw(38)
                  << format(way.close) << std::setw(30) << format(way.loss.back()) << std::right
                  << FormatRounded(100 * way.heard.GetMean(), 3) << " %" << std::endl;
    }
    std::cout << "\n";
}

void
WriteWays(const std::string& path,
          const std::string& title,
          const std::vector<double>& times,
          const std::vector<Way>& ways)
{
    std::string curves = "way,time_s,accuracy,accuracy_low,accuracy_high,excess_loss,"
                         "excess_loss_low,excess_loss_high\n";
    std::string table = "way,close_s,close_s_low,close_s_high,excess_loss,excess_loss_low,"
                        "excess_loss_high,heard,heard_low,heard_high\n";
    StudyFigure accuracy(title, "simulated time (s)", "test accuracy");
    StudyFigure loss(title, "simulated time (s)", "training loss above its minimum");
    accuracy.SetLogX();
    accuracy.SetYRange(0.5, 1);
    loss.SetLogX();
    loss.SetLogY();
    for (const Way& way : ways)
    {
        for (size_t k = 0; k < times.size(); ++k)
        {
            curves += EscapeCsv(way.name) + "," + FormatShortest(times[k]) +
                      FormatFields(way.accuracy[k]) + FormatFields(way.loss[k]) + "\n";
        }
        table += EscapeCsv(way.name) + FormatFields(way.close) + FormatFields(way.loss.back()) +
                 FormatFields(way.heard) + "\n";
        accuracy.Add(MakeSeries(way.name, times, way.accuracy));
        loss.Add(MakeSeries(way.name, times, way.loss));
    }
    WriteTextFile(path + "-curves.csv", curves);
    WriteTextFile(path + ".csv", table);
    accuracy.Write(path + "-accuracy.figure.csv");
    loss.Write(path + "-loss.figure.csv");
}

} // namespace

bool
RunDeadlineFigure(const StudyParameters& p)
{
    const double horizon = p.quick ? 20 : 100;
    const std::vector<double> times = MakeTimes(horizon);
    RunSpec options = MakeScenario(p);
    options.clientFlops = "lognormal:" + FormatShortest(FLOPS) + ":1";
    options.transport = "udp"; // lost packets are not sent again
    options.loss = 0.02;
    options.responseTimeout = "5s"; // longer than the slowest device takes
    std::vector<Way> ways;
    const std::vector<std::pair<std::string, double>> deadlines{{"100ms", 0.1},
                                                                {"250ms", 0.25},
                                                                {"1s", 1}};
    for (const auto& [deadline, seconds] : deadlines)
    {
        options.deadline = deadline;
        options.rounds = horizon / seconds;
        ways.push_back({"deadline " + deadline, options});
    }
    options.deadline = "";
    options.rounds = horizon; // none is done sooner than in a second
    ways.push_back({"waits for all", options});
    options.loss = 0;
    ways.push_back({"waits, no loss", options});

    std::cout << "Deadlines: " << options.learners << " devices of lognormal speed, 2 % loss, ";
    RunWays(
        p,
        times,
        [](Run&) {},
        ways);
    WriteWays(p.out + "/deadline", "Deadlines on unequal devices", times, ways);
    const Way& shortest = ways[0];
    const Way& longest = ways[2];
    const Way& all = ways[3];
    bool good = Check(shortest.heard.GetHigh() < longest.heard.GetLow(),
                      "the shortest deadline hears less than the longest, in every run");
    good &= Check(longest.loss.back().GetMean() < all.loss.back().GetMean(),
                  "a deadline of 1 s ends closer to the least loss than waiting for all");
    good &= Check(p.quick || shortest.loss.back().GetMean() > longest.loss.back().GetMean(),
                  "the shortest deadline ends further from it than the longest");
    return good;
}

bool
RunStragglerFigure(const StudyParameters& p)
{
    const double horizon = p.quick ? 25 : 60;
    const std::vector<double> times = MakeTimes(horizon);
    RunSpec options = MakeScenario(p);
    // Devices of exactly the same speed would answer at once.
    options.clientFlops = "lognormal:" + FormatShortest(FLOPS) + ":0.2";
    std::vector<Way> ways;
    options.rounds = horizon; // none is done sooner than in a second
    ways.push_back({"synchronous", options});
    options.deadline = "300ms";
    options.rounds = horizon / 0.3;
    ways.push_back({"synchronous, 300 ms", options});
    options.deadline = "";
    options.mode = "buffered";
    options.bufferSize = 10;
    options.rounds = horizon * 15; // 13 a second are usual
    ways.push_back({"FedBuff, 10 updates", options});
    options.mode = "async";
    options.rounds = horizon * 130; // 105 a second are usual
    options.evaluateEvery = 5;
    options.mixing = 0.6;
    ways.push_back({"FedAsync, a = 0.6", options});
    options.mixing = 0.1;
    ways.push_back({"FedAsync, a = 0.1", options});

    std::cout << "Straggler: " << options.learners << " devices, one of them ten times slower, ";
    const auto slowDown = [](Run& scenario) {
        scenario.GetFederation().clients.back()->GetComputeModel()->SetAttribute(
            "Flops",
            DoubleValue(FLOPS / 10));
    };
    RunWays(p, times, slowDown, ways);
    WriteWays(p.out + "/straggler", "One client ten times slower", times, ways);
    bool good = true;
    for (const size_t k : {1, 2, 3})
    {
        good &= Check(ways[k].close.GetHigh() < ways[0].close.GetLow(),
                      ways[k].name + ": close to the least loss sooner than in lock-step, in "
                                     "every run");
    }
    good &= Check(ways[2].close.GetHigh() < ways[1].close.GetLow(),
                  "FedBuff sooner than rounds with a deadline, in every run");
    return good;
}

} // namespace ns3::dlearn
