/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Gradient tracking over directed graphs: what packet loss does to it, and the experiments of
 * Chen, Wang and Zhang, "Differentially Private Gradient-Tracking-Based Distributed Stochastic
 * Optimization over Directed Graphs", section 4, with softmax regression on MNIST:
 *
 *   dlearn-study-gradient-tracking --figure=loss        (squared gradient against simulated time)
 *   dlearn-study-gradient-tracking --figure=s1          (their Fig. 2)
 *   dlearn-study-gradient-tracking --figure=s2          (their Fig. 3, and 4 with the one before)
 *   dlearn-study-gradient-tracking --figure=comparison  (their Fig. 5 and 6)
 *   dlearn-study-gradient-tracking --quick              (all, small)
 *
 * What the paper leaves open is in Parameters and MakePaperRun(); doc/reproduction.rst discusses
 * it and what comes out. Writes tables (CSV) and figures (SVG). Exit status: 0 when what
 * doc/reproduction.rst says shows, 1 when it does not, or after an error with one line on stderr.
 */

#include "dlearn-study-report.h"

#include "ns3/config.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-program.h"
#include "ns3/dlearn-results-writer.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/dlearn-tracking-scenario.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <functional>
#include <iomanip>
#include <iostream>

using namespace ns3;
using namespace ns3::dlearn;

namespace
{

const std::string PROGRAM = "dlearn-study-gradient-tracking";

/** What the command line can say. */
struct Parameters
{
    std::string figure{"all"};
    std::string data{"mnist"};
    std::string dataDir;
    bool quick{false};
    double noise{0}; //!< factor on the paper's noise; 0: 0.03, or 0.1 if quick
    std::string out{"results/study-gradient-tracking"};

    void Parse(int argc, char* argv[]);
    bool Wants(const std::string& name) const;
};

void
Parameters::Parse(int argc, char* argv[])
{
    ProgramArguments arguments(__FILE__);
    arguments.Usage("Gradient tracking: packet loss, and the experiments of Chen, Wang and Zhang.");
    arguments.AddValue("figure", "loss, s1, s2, comparison or all", figure);
    arguments.AddValue("data", "of all but loss: mnist, fashion-mnist, glyphs", data);
    arguments.AddValue("data-dir", "where data sets lie; default DLEARN_DATA", dataDir);
    arguments.AddValue("quick", "fewer rounds and baselines", quick);
    arguments.AddValue("noise",
                       "factor on the paper's noise in s1 and s2; 0: 0.03, or 0.1 if quick",
                       noise);
    arguments.AddValue("out", "directory of the results", out);
    arguments.Parse(argc, argv);
    Require(figure == "all" || figure == "loss" || figure == "s1" || figure == "s2" ||
                figure == "comparison",
            "figure must be loss, s1, s2, comparison or all, got '",
            figure,
            "'");
    RequireNonNegative(PROGRAM, "noise", noise);
    noise = noise > 0 ? noise : (quick ? 0.1 : 0.03);
    Require(!out.empty(), "out must name a directory");
}

bool
Parameters::Wants(const std::string& name) const
{
    return figure == "all" || figure == name;
}

/** One line of the figures. */
struct Curve
{
    std::string name;                 //!< in the legend
    TrackingOptions options{PROGRAM}; //!< what is run
    bool reference{false};            //!< whether it is there for comparison only
    std::vector<RoundSummary> rounds; //!< what came of it

    /** @return what the learners end with, on average */
    const Evaluation& GetEnd() const
    {
        return rounds.back().mean;
    }

    /** @return epsilon of the learner that spent most */
    double GetEpsilon() const
    {
        return rounds.back().epsilon;
    }
};

/** Run all, and print a line for each. */
void
RunCurves(std::vector<Curve>& curves)
{
    std::cout << "                   curve  accuracy   ||grad F||^2     epsilon\n";
    for (Curve& curve : curves)
    {
        TrackingScenario scenario(curve.options);
        std::ostream nowhere(nullptr);
        scenario.Run(nowhere);
        curve.rounds = scenario.GetSummaries();
        std::cout << std::setw(24) << curve.name << std::setw(10)
                  << FormatRounded(curve.GetEnd().accuracy) << std::setw(15)
                  << FormatRounded(curve.GetEnd().error) << std::setw(12)
                  << FormatRounded(curve.GetEpsilon()) << std::endl;
    }
    std::cout << "\n";
}

/** What a figure shows of a round. */
using Figure = std::function<double(const RoundSummary&)>;

/** Draw one thing of all curves. */
void
Draw(const std::string& path,
     const std::vector<Curve>& curves,
     SvgPlot plot,
     const Figure& x,
     const Figure& y)
{
    for (const Curve& curve : curves)
    {
        PlotSeries series{curve.name, {}, {}};
        series.style = curve.reference ? PlotSeries::Style::DASHED : PlotSeries::Style::LINE;
        for (const RoundSummary& round : curve.rounds)
        {
            series.x.push_back(x(round));
            series.y.push_back(y(round));
        }
        plot.Add(series);
    }
    if (!plot.IsEmpty())
    {
        plot.Write(path);
    }
}

double
GetTime(const RoundSummary& summary)
{
    return summary.time.GetSeconds();
}

double
GetRound(const RoundSummary& summary)
{
    return summary.round + 1.0;
}

double
GetError(const RoundSummary& summary)
{
    return summary.mean.error;
}

/** Write the table of a figure. */
void
WriteCurves(const std::string& path, const std::vector<Curve>& curves)
{
    std::string csv = "curve,round,time_s,loss,accuracy,error,epsilon\n";
    for (const Curve& curve : curves)
    {
        for (const RoundSummary& round : curve.rounds)
        {
            csv += EscapeCsv(curve.name);
            for (const double value : {GetRound(round),
                                       GetTime(round),
                                       round.mean.loss,
                                       round.mean.accuracy,
                                       GetError(round),
                                       round.epsilon})
            {
                csv += "," + FormatShortest(value);
            }
            csv += "\n";
        }
    }
    WriteTextFile(path, csv);
}

/** Write table and figures of an experiment of the paper. */
void
WritePaperFigures(const std::string& stem,
                  const std::string& title,
                  const std::vector<Curve>& curves)
{
    WriteCurves(stem + ".csv", curves);
    Draw(stem + "-accuracy.svg",
         curves,
         SvgPlot(title, "round", "accuracy on test samples"),
         GetRound,
         [](const RoundSummary& round) { return round.mean.accuracy; });
    SvgPlot error(title, "round", "squared norm of the gradient");
    error.SetLogY();
    Draw(stem + "-error.svg", curves, error, GetRound, GetError);
    SvgPlot epsilon(title, "round", "epsilon spent");
    epsilon.SetLogY();
    Draw(stem + "-epsilon.svg", curves, epsilon, GetRound, [](const RoundSummary& round) {
        return round.epsilon;
    });
}

// ------------------------------------------------------------------------------- loss

/** Eight learners, exponential graph, least squares with d = 20, no noise, UDP over p2p links. */
TrackingOptions
MakeLossyRun(double loss, const std::string& compensation, bool quick)
{
    TrackingOptions options(PROGRAM);
    options.algorithm = "gt";
    options.scheme = "free";
    options.alpha = options.beta = 0.5;
    options.gamma = 0.05;
    options.samples = 1000000; // all that there are
    options.task = "least-squares";
    options.regularization = 0;
    options.learners = 8;
    options.network = "p2p";
    options.loss = loss;
    options.deadline = "10ms";
    options.compensation = compensation;
    options.rounds = quick ? 800 : 1500;
    options.evaluateEvery = 20;
    return options;
}

bool
RunLoss(const Parameters& p)
{
    std::vector<Curve> curves{{"no loss", MakeLossyRun(0, "none", p.quick), true, {}}};
    for (const double loss : {0.1, 0.2, 0.3})
    {
        for (const std::string compensation : {"none", "running-sum"})
        {
            curves.push_back({"loss " + FormatShortest(loss) + ", " + compensation,
                              MakeLossyRun(loss, compensation, p.quick),
                              false,
                              {}});
        }
    }
    std::cout << "Loss: least squares, 8 learners, exponential graph, UDP, deadline 10 ms\n\n";
    RunCurves(curves);
    WriteCurves(p.out + "/loss.csv", curves);
    SvgPlot plot("Lost packets, with and without running sums",
                 "simulated time (s)",
                 "squared norm of the gradient");
    plot.SetLogY();
    Draw(p.out + "/loss-error.svg", curves, plot, GetTime, GetError);
    bool stalls = true;
    bool converges = true;
    for (size_t k = 1; k < curves.size(); ++k)
    {
        const double error = curves[k].GetEnd().error;
        const bool sums = curves[k].options.compensation == "running-sum";
        stalls &= sums || error > 1e-2;
        converges &= !sums || error < 1e-12;
    }
    bool good = Check(stalls, "without compensation every loss leaves an error");
    good &= Check(converges, "with running sums none does");
    return good;
}

// ------------------------------------------------------------------- the paper's experiments

/**
 * Five learners, softmax regression, data split evenly, constants of section 4.1 for K = 2000,
 * also when quick: then these are fewer rounds of the same run.
 */
TrackingOptions
MakePaperRun(const Parameters& p, const std::string& scheme, double exponent)
{
    TrackingOptions options(PROGRAM);
    options.scheme = scheme;
    options.rounds = p.quick ? 300 : 2000;
    options.alpha = scheme == "s1" ? 0.04 : 0.1;
    options.beta = scheme == "s1" ? 0.005 : 0.01;
    options.gamma = scheme == "s1" ? 0.05 : 0.1;
    options.samples = scheme == "s1" ? 53 : 55;
    // S2 has p^K: of the paper's K, whatever that of this run.
    const double power = scheme == "s1" ? 1 : 1999.0 / (options.rounds - 1);
    options.stateNoiseExponent = options.trackerNoiseExponent =
        FormatShortest(scheme == "s1" ? exponent : std::pow(exponent, power));
    options.noise = p.noise;
    options.task = "softmax";
    options.data = p.data;
    options.dataDir = p.dataDir;
    options.regularization = 0;
    options.stateGraph = "exponential"; // Fig. 1 of the paper is an image
    options.trackerGraph = "ring";
    options.floatBits = 32;
    options.evaluateEvery = p.quick ? 150 : 100;
    options.evaluationSamples = 5000;
    return options;
}

/** @return a curve for each noise of the paper, least noise first */
std::vector<Curve>
MakeNoises(const Parameters& p, const std::string& scheme, const std::vector<double>& exponents)
{
    std::vector<Curve> curves;
    for (const double exponent : exponents)
    {
        curves.push_back(
            {"p = " + FormatShortest(exponent), MakePaperRun(p, scheme, exponent), false, {}});
    }
    return curves;
}

/** Fig. 2 and 3: one scheme, three noises. */
bool
RunScheme(const Parameters& p, const std::string& scheme, std::vector<Curve>& curves)
{
    const std::string name = scheme == "s1" ? "S1" : "S2";
    std::cout << "Scheme (" << name << "), noise times " << p.noise << "\n\n";
    RunCurves(curves);
    WritePaperFigures(p.out + "/" + scheme, "Scheme (" + name + ")", curves);
    bool accuracy = true;
    bool error = true;
    bool epsilon = true;
    for (size_t k = 1; k < curves.size(); ++k)
    {
        accuracy &= curves[k].GetEnd().accuracy < curves[k - 1].GetEnd().accuracy;
        error &= curves[k].GetEnd().error > curves[k - 1].GetEnd().error;
        epsilon &= curves[k].GetEpsilon() < curves[k - 1].GetEpsilon();
    }
    bool good =
        Check(accuracy,
              "less noise: higher accuracy (Fig. " + std::string(scheme == "s1" ? "2" : "3") + ")");
    good &= Check(error, "less noise: smaller gradient");
    good &= Check(epsilon, "less noise: larger epsilon (Theorems 4 and 5)");
    return good;
}

/** Fig. 4: the two schemes with their middle noises. */
bool
JudgeSchemes(const Curve& s1, const Curve& s2)
{
    std::cout << "\nBoth schemes, middle noise\n\n";
    const size_t half = s1.rounds.size() / 2;
    bool good = Check(s2.rounds[half].mean.accuracy > s1.rounds[half].mean.accuracy,
                      "S2 is faster: higher accuracy half way (Fig. 4)");
    good &= Check(s1.GetEpsilon() < s2.GetEpsilon(), "S1 spends less (Fig. 4e)");
    return good;
}

/** @return dp-gt, then the others, under the constants of scheme (S2) */
std::vector<Curve>
MakeComparison(const Parameters& p, const std::string& partition)
{
    std::vector<std::string> algorithms{"dp-gt", "gt", "dsgd", "dola", "pdop", "push-sum"};
    if (!p.quick)
    {
        algorithms.insert(algorithms.end(), {"dp-sgd", "ldp-online", "ternary"});
    }
    std::vector<Curve> curves;
    for (const std::string& algorithm : algorithms)
    {
        Curve curve{algorithm, MakePaperRun(p, "s2", 0.9996), algorithm == "gt", {}};
        curve.options.algorithm = algorithm;
        curve.options.partition = partition;
        curve.options.noise = 0.01;
        curves.push_back(curve);
    }
    return curves;
}

/** Fig. 5 and 6, with data that are split evenly, as in the paper, and by label. */
bool
RunComparison(const Parameters& p)
{
    bool good = true;
    for (const std::string partition : {"iid", "sorted"})
    {
        if (p.quick && partition == "iid")
        {
            continue;
        }
        std::vector<Curve> curves = MakeComparison(p, partition);
        std::cout << "Comparison: constants of S2, noise times 0.01, data split "
                  << (partition == "iid" ? "evenly" : "by label") << "\n\n";
        RunCurves(curves);
        WritePaperFigures(p.out + "/comparison-" + partition,
                          partition == "iid" ? "Data split evenly" : "Data split by label",
                          curves);
        if (partition == "sorted")
        {
            bool best = true;
            for (const Curve& curve : curves)
            {
                const std::string& name = curve.options.algorithm;
                best &= curve.options.IsTracking() || name == "push-sum" ||
                        curve.GetEnd().accuracy < curves[0].GetEnd().accuracy;
            }
            good &= Check(best, "dp-gt beats all that mix with its weights (Fig. 5)");
        }
    }
    return good;
}

/**
 * PDOP's own noise and step are set aside by the scenario. LDP-OL replays its history, which
 * without a window is 110,000 samples a round in the end; and ternary rounds to -1, 0, 1.
 */
void
SetDefaults()
{
    Config::SetDefault("ns3::dlearn::LdpOnline::HistoryWindow", UintegerValue(10));
    Config::SetDefault("ns3::dlearn::TernaryQuantizer::BaseScale", DoubleValue(100));
}

/** @return whether all that was asked for shows */
bool
RunFigures(const Parameters& p)
{
    bool good = true;
    std::vector<Curve> s1 = MakeNoises(p, "s1", {-0.1, 0.1, 0.2});
    std::vector<Curve> s2 = MakeNoises(p, "s2", {0.9994, 0.9996, 0.9998});
    if (p.Wants("loss"))
    {
        good &= RunLoss(p);
        std::cout << "\n";
    }
    if (p.Wants("s1"))
    {
        good &= RunScheme(p, "s1", s1);
        std::cout << "\n";
    }
    if (p.Wants("s2"))
    {
        good &= RunScheme(p, "s2", s2);
        std::cout << "\n";
    }
    if (p.figure == "all")
    {
        good &= JudgeSchemes(s1[1], s2[1]);
        std::cout << "\n";
    }
    if (p.Wants("comparison"))
    {
        good &= RunComparison(p);
        std::cout << "\n";
    }
    return good;
}

} // namespace

int
main(int argc, char* argv[])
{
    SetDefaults();
    Parameters parameters;
    bool good = true;
    const int status = RunGuarded(PROGRAM, [&] {
        parameters.Parse(argc, argv);
        MakeResultsDirectory(parameters.out);
        good = RunFigures(parameters);
        std::cout << "Tables and figures: " << parameters.out << "\n";
    });
    return status != 0 ? status : (good ? 0 : 1);
}
