/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-study-tracking.h"

#include "dlearn-study-networks.h"

#include "ns3/dlearn-text-format.h"

#include <cmath>
#include <iomanip>
#include <iostream>
#include <utility>

namespace ns3::dlearn
{

RunSpec
MakePaperRun(const TrackingParameters& p, const std::string& scheme, double exponent)
{
    RunSpec options = GradientTrackingPreset(p.program);
    p.Apply(options);
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
    options.task = p.task;
    options.regularization = 0;
    options.stateGraph = "exponential"; // Fig. 1 of the paper is an image
    options.trackerGraph = "ring";
    options.floatBits = 32;
    options.evaluateEvery = p.quick ? 150 : 100;
    options.evaluationSamples = p.quick ? 2000 : 5000;
    return options;
}

void
RunSettings(const TrackingParameters& p, std::vector<TrackingSetting>& settings)
{
    std::cout << "                   curve  accuracy   ||grad F||^2     epsilon    time (s)   "
                 "sent MB\n";
    for (auto& [curve, options] : settings)
    {
        const RunSpec& chosen = options; // lambdas can not capture a binding
        StudyCurve& filled = curve;
        ForEachRun(p.runs, [&] {
            Run scenario(chosen);
            filled.Add(scenario);
        });
        const StudyPoint& end = curve.GetEnd();
        std::cout << std::setw(24) << curve.name << std::setw(10)
                  << FormatRounded(end.accuracy.GetMean()) << std::setw(15)
                  << FormatRounded(end.error.GetMean()) << std::setw(12)
                  << FormatRounded(end.epsilon.GetMean()) << std::setw(12)
                  << FormatRounded(end.time.GetMean()) << std::setw(10)
                  << FormatRounded(end.megabytes.GetMean()) << std::endl;
    }
    std::cout << "\n";
}

std::vector<StudyCurve>
GetCurves(const std::vector<TrackingSetting>& settings)
{
    std::vector<StudyCurve> curves;
    for (const TrackingSetting& setting : settings)
    {
        curves.push_back(setting.curve);
    }
    return curves;
}

void
WriteSettings(const std::string& stem,
              const std::string& title,
              const std::vector<TrackingSetting>& settings)
{
    const std::vector<StudyCurve> curves = GetCurves(settings);
    WriteCurves(stem + ".csv", curves);
    DrawCurves(stem + "-accuracy.figure.csv",
               curves,
               StudyFigure(title, "round", "accuracy on test samples"),
               &StudyPoint::accuracy);
    StudyFigure error(title, "round", "squared norm of the gradient");
    error.SetLogY();
    DrawCurves(stem + "-error.figure.csv", curves, error, &StudyPoint::error);
    StudyFigure epsilon(title, "round", "epsilon spent");
    epsilon.SetLogY();
    DrawCurves(stem + "-epsilon.figure.csv", curves, epsilon, &StudyPoint::epsilon);
}

bool
RunTrackingNetworks(const TrackingParameters& p)
{
    return CompareNetworks(p,
                           "Gradient tracking, S2, over networks",
                           "2s",
                           [&](const StudyParameters& over) -> std::unique_ptr<Run> {
                               RunSpec options = MakePaperRun(p, "s2", 0.9996);
                               over.Apply(options);
                               options.rounds = p.quick ? 20 : 200;
                               options.evaluateEvery = p.quick ? 10 : 40; // takes most of the time
                               return std::make_unique<Run>(options);
                           });
}

} // namespace ns3::dlearn
