/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-study-tracking.h"

#include "ns3/dlearn-text-format.h"

#include <iostream>

namespace ns3::dlearn
{

namespace
{

/** Eight learners, exponential graph, least squares with d = 20, no noise, UDP over p2p links. */
RunSpec
MakeLossyRun(const TrackingParameters& p, double loss, const std::string& compensation)
{
    RunSpec options = GradientTrackingPreset(p.program);
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
    options.rounds = p.quick ? 800 : 1500;
    options.evaluateEvery = 20;
    return options;
}

} // namespace

bool
RunTrackingLoss(const TrackingParameters& p)
{
    std::vector<TrackingSetting> settings{{{"no loss", true}, MakeLossyRun(p, 0, "none")}};
    for (const double loss : {0.1, 0.2, 0.3})
    {
        for (const std::string compensation : {"none", "running-sum"})
        {
            settings.push_back({{"loss " + FormatShortest(loss) + ", " + compensation},
                                MakeLossyRun(p, loss, compensation)});
        }
    }
    std::cout << "Loss: least squares, 8 learners, exponential graph, UDP, deadline 10 ms\n\n";
    RunSettings(p, settings);
    WriteCurves(p.out + "/loss.csv", GetCurves(settings));
    StudyFigure plot("Lost packets, with and without running sums",
                     "simulated time (s)",
                     "squared norm of the gradient");
    plot.SetLogY();
    DrawCurves(p.out + "/loss-error.figure.csv",
               GetCurves(settings),
               plot,
               &StudyPoint::error,
               &StudyPoint::time);
    bool stalls = true;
    bool converges = true;
    for (size_t k = 1; k < settings.size(); ++k)
    {
        const double error = settings[k].curve.GetEnd().error.GetMean();
        const bool sums = settings[k].options.compensation == "running-sum";
        stalls &= sums || error > 1e-2;
        converges &= !sums || error < 1e-12;
    }
    bool good = Check(stalls, "without compensation every loss leaves an error");
    good &= Check(converges, "with running sums none does");
    return good;
}

} // namespace ns3::dlearn
