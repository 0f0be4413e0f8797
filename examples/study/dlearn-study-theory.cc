/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-study-theory.h"

#include "dlearn-study-report.h"

#include "ns3/dlearn-fedavg-theory.h"
#include "ns3/dlearn-federated-learners.h"
#include "ns3/dlearn-files.h"
#include "ns3/dlearn-model-error.h"
#include "ns3/dlearn-results-writer.h"
#include "ns3/dlearn-run-spec.h"
#include "ns3/dlearn-run.h"
#include "ns3/dlearn-text-format.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <limits>
#include <map>
#include <set>

namespace ns3::dlearn
{

namespace
{

/** One line of a figure: a closed form, and its simulation. */
struct Curve
{
    std::string name;                             //!< in legend and table
    std::map<uint32_t, double> theory;            //!< abscissa -> expected error
    std::map<uint32_t, ModelError::Point> points; //!< abscissa -> simulated error
    std::set<uint32_t> wild;                      //!< abscissae whose variance is infinite
};

/** @return the simulation that a closed form is about */
RunSpec
MakeScenario(const std::string& program, const FedAvgBalancedSetting& setting, uint32_t localSteps)
{
    RunSpec options = FedAvgPreset(program);
    options.learners = setting.clients;
    options.samples = setting.samples;
    options.dimension = setting.dimension;
    options.stepSize = setting.stepSize;
    options.noiseStd = FormatShortest(setting.noiseStd);
    options.heterogeneity = std::sqrt(setting.meanSquaredGamma);
    options.initialError = setting.initialError;
    options.localSteps = localSteps == 0 ? "inf" : std::to_string(localSteps);
    options.sparsity = 5;
    options.floatBits = 64; // the paper has no rounding on the wire
    return options;
}

/** @return the error after every round, over the runs, of real packets over an ideal network */
ModelError
Simulate(const RunSpec& options, uint32_t runs)
{
    ModelError error({});
    ForEachRun(runs, [&] {
        Run scenario(options);
        std::ostream nowhere(nullptr);
        scenario.Execute(nowhere);
        for (const RoundSummary& summary : scenario.GetSummaries())
        {
            error.Add(summary.round + 1, summary.mean.error);
        }
    });
    return error;
}

/** Tell on stderr how far a figure is: a point of Fig. 2 can take seconds. */
void
TellProgress(const std::string& figure, size_t done, size_t all)
{
    std::cerr << figure << ": " << done << " of " << all << " simulated\n";
}

/** @return distance of a simulated error from the expected one, in standard errors */
double
GetDistance(const ModelError::Point& point, double theory)
{
    // The rounding of 64 bits, for a model that is at the truth but for it.
    return (point.mean - theory) / (*point.error + 1e-12);
}

/** @return where a curve is lowest among its simulated points from @p first on */
uint32_t
FindLowest(const Curve& curve, uint32_t first)
{
    const auto lowest = std::min_element(
        curve.points.lower_bound(first),
        curve.points.end(),
        [](const auto& a, const auto& b) { return a.second.mean < b.second.mean; });
    return lowest->first;
}

void
WriteCurves(const std::string& path, const std::string& x, const std::vector<Curve>& curves)
{
    std::string csv = "curve," + x + ",theory,runs,simulated,stderr\n";
    for (const Curve& curve : curves)
    {
        for (const auto& [at, theory] : curve.theory)
        {
            csv += EscapeCsv(curve.name) + "," + std::to_string(at) + "," + FormatShortest(theory);
            const auto point = curve.points.find(at);
            csv += point == curve.points.end() ? ",,,"
                                               : "," + std::to_string(point->second.runs) + "," +
                                                     FormatShortest(point->second.mean) + "," +
                                                     FormatShortest(*point->second.error);
            csv += "\n";
        }
    }
    WriteTextFile(path, csv);
}

/** Lines for the closed forms, points with bars of one standard error for the simulation. */
void
AddCurves(StudyFigure& plot, const std::vector<Curve>& curves)
{
    int color = 0;
    for (const Curve& curve : curves)
    {
        FigureSeries theory{curve.name + ", theory", {}, {}};
        theory.style = FigureSeries::Style::DASHED;
        theory.color = color;
        for (const auto& [x, y] : curve.theory)
        {
            theory.x.push_back(x);
            theory.y.push_back(y);
        }
        FigureSeries points{curve.name + ", simulated", {}, {}};
        points.style = FigureSeries::Style::POINTS;
        points.color = color++;
        for (const auto& [x, point] : curve.points)
        {
            points.x.push_back(x);
            points.y.push_back(point.mean);
            points.low.push_back(point.mean - *point.error);
            points.high.push_back(point.mean + *point.error);
        }
        plot.Add(theory);
        plot.Add(points);
    }
}

/**
 * Print how far simulation and theory are apart, and judge.
 *
 * With 20 runs the mean of normal errors is more than 6 estimated standard errors away with
 * probability 9e-6, with 8 runs 5e-4 (Student's t); a figure has some 70 points.
 */
bool
JudgeAgreement(const std::vector<Curve>& curves)
{
    double largest = 0; // infinite when one cannot be told
    size_t judged = 0;
    size_t within = 0;
    for (const Curve& curve : curves)
    {
        for (const auto& [x, point] : curve.points)
        {
            if (curve.wild.count(x) == 0)
            {
                const double distance = std::abs(GetDistance(point, curve.theory.at(x)));
                largest = std::max(largest, std::isnan(distance) ? INFINITY : distance);
                within += distance <= 2 ? 1 : 0;
                ++judged;
            }
        }
    }
    std::cout << "  " << within << " of " << judged
              << " simulated means are within 2 standard errors of theory, the furthest is "
              << FormatRounded(largest, 3) << " away\n";
    return Check(largest <= 6, "every simulated mean is within 6 standard errors of theory");
}

/** @return one line of Fig. 2 */
Curve
MakeLocalStepsCurve(const TheoryParameters& p,
                    const FedAvgBalancedSetting& setting,
                    uint32_t rounds,
                    const std::vector<uint32_t>& steps)
{
    Curve curve{"m = " + std::to_string(setting.clients), {}, {}, {}};
    for (uint32_t local = 1; local <= steps.back(); ++local)
    {
        curve.theory[local] = FedAvgBalancedError(setting, local, rounds);
    }
    for (const uint32_t local : steps)
    {
        RunSpec options = MakeScenario(p.program, setting, local);
        options.rounds = rounds;
        options.evaluateEvery = rounds;
        curve.points[local] = Simulate(options, p.runs).GetPoints().back();
        TellProgress("figure 2, " + curve.name, curve.points.size(), steps.size());
    }
    return curve;
}

/** @return the lines of Fig. 3, one for each number of rounds */
std::vector<Curve>
MakeDimensionCurves(const TheoryParameters& p,
                    uint32_t samples,
                    const std::vector<uint32_t>& rounds,
                    const std::vector<uint32_t>& dimensions)
{
    std::vector<Curve> curves;
    for (const uint32_t t : rounds)
    {
        curves.push_back({"t = " + std::to_string(t), {}, {}, {}});
    }
    FedAvgBalancedSetting setting;
    setting.samples = samples;
    size_t done = 0;
    for (uint32_t dimension = dimensions.front(); dimension <= dimensions.back(); ++dimension)
    {
        setting.dimension = dimension;
        for (size_t k = 0; k < rounds.size(); ++k)
        {
            curves[k].theory[dimension] = FedAvgBalancedError(setting, 0, rounds[k]);
            // The errors' variance is that of the trace of an inverse Wishart matrix, which
            // is finite for |p - n| > 3 only; elsewhere the mean of a few runs means nothing.
            if (dimension + 3 >= samples && dimension <= samples + 3)
            {
                curves[k].wild.insert(dimension);
            }
        }
        if (std::find(dimensions.begin(), dimensions.end(), dimension) == dimensions.end())
        {
            continue;
        }
        RunSpec options = MakeScenario(p.program, setting, 0);
        options.rounds = rounds.back();
        const auto points = Simulate(options, p.runs).GetPoints();
        for (size_t k = 0; k < rounds.size(); ++k)
        {
            curves[k].points[dimension] = points.at(rounds[k] - 1);
        }
        TellProgress("figure 3", ++done, dimensions.size());
    }
    return curves;
}

} // namespace

bool
RunStartFigure(const TheoryParameters& p)
{
    const uint32_t rounds = 30;
    std::cout << "Figure 1: model error against rounds t, " << p.runs << " runs, alpha "
              << p.stepSize1 << "\n";
    std::vector<Curve> curves{{"D0 = 1", {}, {}, {}},
                              {"D0 = 0.25", {}, {}, {}},
                              {"D0 = 0", {}, {}, {}}};
    const std::vector<double> starts{1, 0.25, 0};
    for (size_t k = 0; k < curves.size(); ++k)
    {
        FedAvgBalancedSetting setting; // m = 3, n = 50, p = 200, sigma = 0.7, ||gamma|| = 0.5
        setting.stepSize = p.stepSize1;
        setting.initialError = starts[k];
        for (uint32_t t = 0; t <= rounds; ++t)
        {
            curves[k].theory[t] = FedAvgBalancedError(setting, 1, t);
        }
        RunSpec options = MakeScenario(p.program, setting, 1);
        options.rounds = rounds;
        for (const auto& point : Simulate(options, p.runs).GetPoints())
        {
            if (point.round == 1 || point.round % (p.quick ? 5 : 2) == 0)
            {
                curves[k].points[point.round] = point;
            }
        }
        TellProgress("figure 1", k + 1, curves.size());
    }
    WriteCurves(p.out + "/figure-1.csv", "round", curves);
    StudyFigure plot("Model error from three initial models (K = 1)", "round t", "E ||w* - w||^2");
    plot.SetLogY();
    plot.SetYRange(0.008, 1.2);
    AddCurves(plot, curves);
    plot.Write(p.out + "/figure-1.figure.csv");

    bool good = JudgeAgreement(curves);
    const auto gap = [&](uint32_t t) {
        return curves[0].points.at(t).mean - curves[2].points.at(t).mean;
    };
    good &= Check(gap(rounds) > 0 && gap(rounds) < 0.1 * gap(1),
                  "the advantage of the better start shrinks to less than a tenth");
    good &= Check(curves[2].points.at(rounds).mean > curves[2].points.at(1).mean,
                  "from the truth itself, the error rises");
    return good;
}

bool
RunLocalStepsFigure(const TheoryParameters& p)
{
    const uint32_t rounds = 5;
    std::vector<uint32_t> steps{1,  2,  4,  6,  8,  9,  10, 11, 12, 13, 14, 15, 16,
                                17, 18, 19, 20, 22, 24, 26, 27, 28, 30, 32, 36, 40};
    if (p.quick)
    {
        steps = {1, 8, 16, 20, 24, 40};
    }
    const std::vector<uint32_t> clients{3, 10, 25};
    const std::vector<uint32_t> printed{15, 19, 27};
    std::cout << "Figure 2: model error after round " << rounds << " against local steps K, "
              << p.runs << " runs, alpha " << p.stepSize2 << "\n\n"
              << "  clients  best K, theory  best K, simulated  best K, paper\n";
    std::vector<Curve> curves;
    std::vector<uint32_t> best;
    for (size_t k = 0; k < clients.size(); ++k)
    {
        FedAvgBalancedSetting setting;
        setting.clients = clients[k];
        setting.samples = 144;
        setting.stepSize = p.stepSize2;
        curves.push_back(MakeLocalStepsCurve(p, setting, rounds, steps));
        best.push_back(FedAvgBestLocalSteps(setting, rounds));
        std::cout << std::setw(9) << clients[k] << std::setw(16) << best.back() << std::setw(19)
                  << FindLowest(curves.back(), 1) << std::setw(15) << printed[k] << std::endl;
    }
    std::cout << "\n";
    WriteCurves(p.out + "/figure-2.csv", "local_steps", curves);
    StudyFigure plot("Model error after round 5", "local steps K", "E ||w* - w||^2");
    plot.SetLogY();
    AddCurves(plot, curves);
    plot.Write(p.out + "/figure-2.figure.csv");

    bool good = JudgeAgreement(curves);
    good &= Check(best[0] < best[1] && best[1] < best[2],
                  "the best K rises with the number of clients");
    for (const Curve& curve : curves)
    {
        const uint32_t lowest = FindLowest(curve, 1);
        good &= Check(lowest > steps.front() && lowest < steps.back(),
                      curve.name + ": the simulated error is lowest at a K in between");
    }
    return good;
}

bool
RunDimensionFigure(const TheoryParameters& p)
{
    const uint32_t samples = 25;
    std::vector<uint32_t> dimensions{5,  8,  10, 12, 15, 17, 19, 20, 21, 22,  23,  27,
                                     28, 29, 30, 32, 35, 40, 50, 60, 80, 100, 150, 200};
    if (p.quick)
    {
        dimensions = {5, 15, 20, 30, 35, 60, 200};
    }
    const std::vector<uint32_t> rounds{1, 4, 40};
    std::cout << "Figure 3: model error against dimension p, K infinite, " << p.runs << " runs\n";
    const std::vector<Curve> curves = MakeDimensionCurves(p, samples, rounds, dimensions);
    WriteCurves(p.out + "/figure-3.csv", "dimension", curves);
    StudyFigure plot("Double descent: model error of local minima (n = 25)",
                     "dimension p",
                     "E ||w* - w||^2");
    plot.SetLogX();
    plot.SetLogY();
    plot.SetYRange(0.02, 10);
    AddCurves(plot, curves);
    plot.Write(p.out + "/figure-3.figure.csv");

    bool good = JudgeAgreement(curves);
    double deepest = std::numeric_limits<double>::infinity();
    for (const Curve& curve : curves)
    {
        const uint32_t lowest = FindLowest(curve, samples + 1);
        const double error = curve.points.at(lowest).mean;
        good &= Check(error < curve.points.at(30).mean && error < deepest,
                      curve.name + ": beyond p = n the error falls again, to " +
                          FormatRounded(error, 3) + " at p = " + std::to_string(lowest));
        deepest = error;
    }
    return good;
}

} // namespace ns3::dlearn
