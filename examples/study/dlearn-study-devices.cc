/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-study-devices.h"

#include "dlearn-study-report.h"

#include "ns3/dlearn-federated-scenario.h"
#include "ns3/dlearn-results-writer.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/double.h"

#include <cmath>
#include <iomanip>
#include <iostream>
#include <vector>

namespace ns3
{
namespace dlearn
{

namespace
{

/** One way to deal with slow devices, and what came of it. */
struct Way
{
    std::string name;            //!< in legend and table
    FederatedOptions options;    //!< what to run
    std::vector<double> time{};  //!< of the first run: seconds
    std::vector<double> share{}; //!< of the first run: test accuracy
    std::vector<double> loss{};  //!< of the first run: training loss above its minimum
    Spread close{};              //!< over the runs: seconds until the loss is close
    Spread end{};                //!< over the runs: loss above its minimum at the end
    Spread heard{};              //!< over the runs: share of the expected updates in time
};

/** How much above its minimum a training loss is close to it. */
const double CLOSE = 0.02;

/** Speed of an ordinary device in operations a second: 0.15 s for a round. */
const double FLOPS = 1e6;

/** @return what all ways have in common */
FederatedOptions
MakeScenario(const DeviceParameters& p)
{
    FederatedOptions options(p.program);
    options.data = "generated";
    options.task = "logistic";
    options.partition = "label"; // so that it matters who is heard
    options.clients = 20;
    options.samples = 0; // all of them in every round
    options.localSteps = "5";
    options.stepSize = 5;
    options.network = "p2p";
    return options;
}

/** Add what a run has shown until the end of the plots. */
void
AddSummaries(const std::vector<RoundSummary>& summaries, double horizon, bool first, Way& way)
{
    double close = std::numeric_limits<double>::infinity();
    double end = std::numeric_limits<double>::quiet_NaN();
    double heard = 0;
    size_t count = 0;
    for (const RoundSummary& summary : summaries)
    {
        const double time = summary.time.GetSeconds();
        if (time > horizon)
        {
            break;
        }
        end = summary.mean.regret;
        heard += summary.delivered;
        ++count;
        if (end <= CLOSE && std::isinf(close))
        {
            close = time;
        }
        if (first)
        {
            way.time.push_back(time);
            way.share.push_back(summary.mean.accuracy);
            way.loss.push_back(end);
        }
    }
    way.close.Add(close);
    way.end.Add(end);
    way.heard.Add(heard / count);
}

/**
 * Run all ways.
 *
 * @param customize called with every scenario before it runs
 */
void
RunWays(const DeviceParameters& p,
        double horizon,
        const std::function<void(FederatedScenario&)>& customize,
        std::vector<Way>& ways)
{
    std::cout << "mean of " << p.runs << " runs (least - greatest)\n\n"
              << "  rounds                   s to within " << CLOSE
              << " of the least loss   above it at " << horizon << " s   heard in time\n";
    for (Way& way : ways)
    {
        bool first = true;
        ForEachRun(p.runs, [&] {
            FederatedScenario scenario(way.options);
            customize(scenario);
            std::ostream nowhere(nullptr);
            scenario.Run(nowhere);
            AddSummaries(scenario.GetSummaries(), horizon, first, way);
            first = false;
        });
        std::cerr << way.name << ": done\n";
        const std::string range = FormatRounded(way.close.GetMean(), 3) + " (" +
                                  FormatRounded(way.close.GetLow(), 3) + " - " +
                                  FormatRounded(way.close.GetHigh(), 3) + ")";
        std::cout << "  " << std::left << std::setw(25) << way.name << std::setw(39) << range
                  << std::setw(21) << FormatRounded(way.end.GetMean(), 3) << std::right
                  << FormatRounded(100 * way.heard.GetMean(), 3) << " %" << std::endl;
    }
    std::cout << "\n";
}

void
WriteWays(const std::string& path, const std::string& title, const std::vector<Way>& ways)
{
    std::string curves = "way,time_s,accuracy,excess_loss\n";
    std::string table = "way,close_s,close_s_low,close_s_high,end,end_low,end_high,"
                        "heard,heard_low,heard_high\n";
    SvgPlot accuracy(title, "simulated time (s)", "test accuracy");
    SvgPlot loss(title, "simulated time (s)", "training loss above its minimum");
    accuracy.SetLogX();
    accuracy.SetYRange(0.9, 1);
    loss.SetLogX();
    loss.SetLogY();
    for (const Way& way : ways)
    {
        for (size_t k = 0; k < way.time.size(); ++k)
        {
            curves += EscapeCsv(way.name) + "," + FormatShortest(way.time[k]) + "," +
                      FormatShortest(way.share[k]) + "," + FormatShortest(way.loss[k]) + "\n";
        }
        table += EscapeCsv(way.name) + FormatFields(way.close) + FormatFields(way.end) +
                 FormatFields(way.heard) + "\n";
        accuracy.Add({way.name, way.time, way.share});
        loss.Add({way.name, way.time, way.loss});
    }
    WriteTextFile(path + "-curves.csv", curves);
    WriteTextFile(path + ".csv", table);
    accuracy.Write(path + "-accuracy.svg");
    loss.Write(path + "-loss.svg");
}

} // namespace

bool
RunDeadlineFigure(const DeviceParameters& p)
{
    const double horizon = p.quick ? 20 : 100;
    FederatedOptions options = MakeScenario(p);
    options.clientFlops = "lognormal:" + FormatShortest(FLOPS) + ":1";
    options.transport = "udp"; // nobody sends a lost packet again
    options.loss = 0.02;
    options.patience = "5s"; // longer than the slowest device takes
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
    ways.push_back({"all", options});
    options.loss = 0;
    ways.push_back({"all, no loss", options});

    std::cout << "Deadlines: " << options.clients << " devices of lognormal speed, 2 % loss, ";
    RunWays(
        p,
        horizon,
        [](FederatedScenario&) {},
        ways);
    WriteWays(p.out + "/deadline", "Deadlines on unequal devices", ways);
    const Way& shortest = ways[0];
    const Way& longest = ways[2];
    const Way& all = ways[3];
    bool good = Check(shortest.heard.GetHigh() < longest.heard.GetLow(),
                      "the shortest deadline hears less than the longest, in every run");
    good &= Check(longest.end.GetMean() < all.end.GetMean(),
                  "a deadline of 1 s ends closer to the least loss than waiting for all");
    good &= Check(p.quick || shortest.end.GetMean() > longest.end.GetMean(),
                  "the shortest deadline ends further from it than the longest");
    return good;
}

bool
RunStragglerFigure(const DeviceParameters& p)
{
    const double horizon = p.quick ? 6 : 60;
    FederatedOptions options = MakeScenario(p);
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

    std::cout << "Straggler: " << options.clients << " devices, one of them ten times slower, ";
    const auto slowDown = [](FederatedScenario& scenario) {
        scenario.GetFederation().clients.back()->GetComputeModel()->SetAttribute(
            "Flops",
            DoubleValue(FLOPS / 10));
    };
    RunWays(p, horizon, slowDown, ways);
    WriteWays(p.out + "/straggler", "One client ten times slower", ways);
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

} // namespace dlearn
} // namespace ns3
