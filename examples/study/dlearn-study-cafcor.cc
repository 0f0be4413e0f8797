/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * CafCor, as in its paper and over networks that the paper knows nothing of:
 *
 *   dlearn-study-cafcor --figure=privacy      (the paper's Fig. 1 and 3 to 6)
 *   dlearn-study-cafcor --figure=aggregators  (Fig. 2 and 7 to 12)
 *   dlearn-study-cafcor --figure=loss         (ours: accuracy against loss, at equal epsilon)
 *   dlearn-study-cafcor --figure=noise        (ours: noise that loss leaves, and its prediction)
 *   dlearn-study-cafcor --figure=networks     (ours: wired and Wi-Fi)
 *   dlearn-study-cafcor --quick               (all of them, small)
 *
 * doc/reproduction.rst discusses what comes out.
 *
 * Writes tables (CSV) and figures (SVG). Exit status: 0 when what the figures are to show
 * shows, 1 when it does not, or after an error with one line on stderr.
 */

#include "dlearn-study-byzantine.h"

#include "ns3/config.h"
#include "ns3/dlearn-weight-initializer.h"

using namespace ns3;
using namespace ns3::dlearn;

namespace
{

const std::string PROGRAM = "dlearn-study-cafcor";

} // namespace

int
main(int argc, char* argv[])
{
    return RunStudy(PROGRAM, [&] {
        ByzantineParameters p(PROGRAM);
        p.idealTransport = "tcp"; // as in dlearn-cafcor
        std::string figure = "all";
        ProgramArguments arguments(__FILE__);
        arguments.Usage("CafCor: two figures of its paper, and three of other networks.");
        arguments.AddValue("figure", "privacy, aggregators, loss, noise, networks or all", figure);
        p.AddCommon(arguments,
                    "fewer settings and rounds, one run: under 3 minutes of one core",
                    "3, or 1 if quick");
        arguments.AddValue("task",
                           "of all but noise: softmax, or another: see dlearn-cafcor",
                           p.task);
        p.AddData(arguments,
                  "of all but noise: mnist, fashion-mnist, or others: see dlearn-cafcor");
        p.AddNetwork(arguments, {"privacy", "aggregators"});
        // The paper's networks are of PyTorch; whoever asks for another one comes later.
        Config::SetDefault("ns3::dlearn::NeuralNetworkTask::Initializer",
                           TypeIdValue(FanInUniformInitializer::GetTypeId()));
        p.Parse(arguments, argc, argv);
        p.ChooseRuns(3, 1);
        const StudyFigures figures("figure",
                                   {{"noise", [&] { return RunNoiseFigure(p); }},
                                    {"privacy", [&] { return RunPrivacyFigure(p); }},
                                    {"aggregators", [&] { return RunAggregatorFigure(p); }},
                                    {"loss", [&] { return RunLossFigure(p); }},
                                    {"networks", [&] { return RunByzantineNetworks(p); }}});
        return figures.Run(figure, p);
    });
}
