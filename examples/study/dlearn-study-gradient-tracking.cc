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
 *   dlearn-study-gradient-tracking --figure=networks    (ours: wired and Wi-Fi)
 *   dlearn-study-gradient-tracking --quick              (all, small)
 *   dlearn-study-gradient-tracking --figure=s2 --network=wifi-infra
 *
 * What the paper leaves open is in TrackingParameters and MakePaperRun(); doc/reproduction.rst
 * discusses it and what comes out. Writes tables (CSV) and figures (SVG). Exit status: 0 when what
 * doc/reproduction.rst says shows, 1 when it does not, or after an error with one line on stderr.
 */

#include "dlearn-study-tracking.h"

#include "ns3/config.h"
#include "ns3/dlearn-check.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

using namespace ns3;
using namespace ns3::dlearn;

namespace
{

const std::string PROGRAM = "dlearn-study-gradient-tracking";

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
RunFigures(const TrackingParameters& p, const std::string& figure)
{
    StudyCurve s1;
    StudyCurve s2;
    const StudyFigures figures("figure",
                               {{"loss", [&] { return RunTrackingLoss(p); }},
                                {"s1", [&] { return RunTrackingScheme(p, "s1", s1); }},
                                {"s2",
                                 [&] {
                                     const bool good = RunTrackingScheme(p, "s2", s2);
                                     return s1.points.empty() ? good : good & JudgeSchemes(s1, s2);
                                 }},
                                {"comparison", [&] { return RunTrackingComparison(p); }},
                                {"networks", [&] { return RunTrackingNetworks(p); }}});
    return figures.Run(figure, p);
}

} // namespace

int
main(int argc, char* argv[])
{
    SetDefaults();
    return RunStudy(PROGRAM, [&] {
        TrackingParameters p(PROGRAM);
        std::string figure = "all";
        ProgramArguments arguments(__FILE__);
        arguments.Usage(
            "Gradient tracking: packet loss, and the experiments of Chen, Wang and Zhang.");
        arguments.AddValue("figure", "loss, s1, s2, comparison, networks or all", figure);
        arguments.AddValue("task",
                           "of all but loss: softmax, cnn, net:LAYERS or torch:FILE",
                           p.task);
        p.AddData(arguments, "of all but loss: mnist, fashion-mnist, glyphs");
        p.AddNetwork(arguments, {"s1", "s2", "comparison"});
        p.AddCommon(arguments, "fewer rounds and baselines: 2 minutes of one core", "1");
        arguments.AddValue("noise",
                           "factor on the paper's noise in s1 and s2; 0: 0.03, or 0.1 if quick",
                           p.noise);
        p.Parse(arguments, argc, argv);
        RequireNonNegative(PROGRAM, "noise", p.noise);
        p.noise = p.noise > 0 ? p.noise : (p.quick ? 0.1 : 0.03);
        p.ChooseRuns(1, 1);
        return RunFigures(p, figure);
    });
}
