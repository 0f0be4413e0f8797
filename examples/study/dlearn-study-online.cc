/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-study-online.h"

#include "dlearn-study-curve.h"

#include "ns3/dlearn-peer-learners.h"
#include "ns3/dlearn-presets.h"
#include "ns3/dlearn-run.h"
#include "ns3/dlearn-text-format.h"

#include <iomanip>
#include <iostream>
#include <utility>

namespace ns3::dlearn
{

namespace
{

/** @return how much epsilon grew in the second half of the rounds, as a share */
double
GetLateGrowth(const StudyCurve& curve)
{
    const auto& points = curve.points;
    return points.back().epsilon.GetMean() / points[points.size() / 2].epsilon.GetMean() - 1;
}

/** @return options of Fig. 1 */
RunSpec
MakeComparison(const OnlineParameters& p)
{
    RunSpec options = p.MakeOptions();
    options.rounds = p.quick ? 600 : 2000;
    options.evaluateEvery = 10;
    return options;
}

/** @return whether the paper's ordering shows: the first curve is LDP-OL */
bool
Judge(const std::vector<StudyCurve>& curves)
{
    const StudyPoint& ours = curves.front().GetEnd();
    bool good = Check(GetLateGrowth(curves.front()) < 0.05,
                      "LDP-OL: epsilon grows by less than 5 % in the second half");
    for (size_t k = 1; k < curves.size(); ++k)
    {
        const StudyPoint& other = curves[k].GetEnd();
        const std::string& name = curves[k].name;
        good &= Check(ours.error.GetHigh() < other.error.GetLow(),
                      "LDP-OL tracks better than " + name + " at the end, in every run");
        good &= Check(ours.regret.GetHigh() < other.regret.GetLow(),
                      "LDP-OL has less regret than " + name + " at the end, in every run");
        good &= Check(GetLateGrowth(curves[k]) > 0.2,
                      name + ": epsilon grows by more than 20 % in the second half");
    }
    return good;
}

/** Draw one thing on a logarithmic axis. */
void
DrawLog(const std::string& path,
        const std::vector<StudyCurve>& curves,
        StudyFigure plot,
        StudyColumn y)
{
    plot.SetLogY();
    DrawCurves(path, curves, plot, y);
}

/**
 * Run some algorithms, print a table and write figures.
 *
 * @param p parameters
 * @param title of the table, and start of the names of files, in small letters
 * @param algorithms names as the papers write them, and as RunSpec does
 * @return the curves
 */
std::vector<StudyCurve>
Compare(const OnlineParameters& p,
        const std::string& title,
        const std::vector<std::pair<std::string, std::string>>& algorithms)
{
    RunSpec options = MakeComparison(p);
    std::cout << title << " over " << p.network << ": " << options.rounds
              << " rounds, noise (t+1)^(0.1 + 0.01 i), mean of " << p.runs << " runs at the end\n\n"
              << "      algorithm  track. error      regret     epsilon  its late growth  "
                 "time (s)   sent MB\n";
    std::vector<StudyCurve> curves;
    for (const auto& [name, algorithm] : algorithms)
    {
        options.algorithm = algorithm;
        StudyCurve curve{name};
        ForEachRun(p.runs, [&] {
            Run scenario(options);
            curve.Add(scenario);
        });
        const StudyPoint& end = curve.GetEnd();
        std::cout << std::setw(15) << curve.name << std::setw(14)
                  << FormatRounded(end.error.GetMean()) << std::setw(12)
                  << FormatRounded(end.regret.GetMean()) << std::setw(12)
                  << FormatRounded(end.epsilon.GetMean()) << std::setw(15)
                  << FormatRounded(100 * GetLateGrowth(curve), 3) << " %" << std::setw(10)
                  << FormatRounded(end.time.GetMean()) << std::setw(10)
                  << FormatRounded(end.megabytes.GetMean()) << std::endl;
        curves.push_back(curve);
    }
    std::cout << "\n";
    const std::string stem = p.out + "/" + title;
    WriteCurves(stem + ".csv", curves);
    DrawLog(stem + "-error.figure.csv",
            curves,
            StudyFigure("Tracking error", "round", "squared distance to the optimum"),
            &StudyPoint::error);
    DrawLog(stem + "-regret.figure.csv",
            curves,
            StudyFigure("Instantaneous regret", "round", "F(theta) - F(theta*)"),
            &StudyPoint::regret);
    DrawLog(stem + "-epsilon.figure.csv",
            curves,
            StudyFigure("Cumulative privacy budget", "round", "epsilon"),
            &StudyPoint::epsilon);
    return curves;
}

} // namespace

RunSpec
OnlineParameters::MakeOptions() const
{
    RunSpec options = LdpOnlinePreset(program);
    Apply(options);
    options.task = "logistic";
    options.testFraction = 0; // nothing is scored on unseen data here
    options.unitNorm = unitNorm;
    options.batchSize = batch;
    options.regularization = regularization == -1 ? 1.0 / batch : regularization;
    options.initStd = initial;
    options.floatBits = 64; // the paper has no rounding on the wire
    return options;
}

bool
RunOnlineComparison(const OnlineParameters& p)
{
    return Judge(
        Compare(p,
                "comparison",
                {{"LDP-OL", "ldp-online"}, {"DSGD", "dsgd"}, {"DOLA", "dola"}, {"PDOP", "pdop"}}));
}

bool
RunOnlineBaselines(const OnlineParameters& p)
{
    Compare(p,
            "baselines",
            {{"LDP-OL", "ldp-online"},
             {"push-sum", "push-sum"},
             {"growing samples", "dp-sgd"},
             {"ternary", "ternary"}});
    return true;
}

} // namespace ns3::dlearn
