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
 *   dlearn-study-cafcor --quick               (all of them, small)
 *
 * doc/reproduction.rst discusses what comes out.
 *
 * Writes tables (CSV) and figures (SVG). Exit status: 0 when what the figures are to show
 * shows, 1 when it does not, or after an error with one line on stderr.
 */

#include "dlearn-study-byzantine.h"

#include "ns3/config.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-program.h"
#include "ns3/dlearn-results-writer.h"
#include "ns3/dlearn-weight-initializer.h"

#include <functional>
#include <iostream>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::dlearn;

namespace
{

const std::string PROGRAM = "dlearn-study-cafcor";

/** @return whether everything shows that is to show */
bool
RunFigures(const std::string& figure, const ByzantineParameters& p)
{
    const std::vector<std::pair<std::string, std::function<bool()>>> figures{
        {"noise", [&] { return RunNoiseFigure(p); }},
        {"privacy", [&] { return RunPrivacyFigure(p); }},
        {"aggregators", [&] { return RunAggregatorFigure(p); }},
        {"loss", [&] { return RunLossFigure(p); }}};
    bool known = figure == "all";
    for (const auto& [name, run] : figures)
    {
        known |= name == figure;
    }
    Require(known, "figure must be privacy, aggregators, loss, noise or all, got '", figure, "'");
    MakeResultsDirectory(p.out);
    bool good = true;
    for (const auto& [name, run] : figures)
    {
        if (figure == "all" || figure == name)
        {
            good &= run();
        }
    }
    std::cout << "Tables and figures: " << p.out << "\n";
    return good;
}

} // namespace

int
main(int argc, char* argv[])
{
    bool good = true;
    const int status = RunGuarded(PROGRAM, [&] {
        ByzantineParameters p;
        std::string figure = "all";
        uint32_t runs = 0;
        p.program = PROGRAM;
        p.out = "results/study-cafcor";
        ProgramArguments arguments(__FILE__);
        arguments.Usage("CafCor: two figures of its paper, and two of lossy networks.");
        arguments.AddValue("figure", "privacy, aggregators, loss, noise or all", figure);
        arguments.AddValue("quick", "fewer settings and runs", p.quick);
        arguments.AddValue("runs", "runs of a setting, from --RngRun on; 0: 3, 1 if quick", runs);
        arguments.AddValue("task", "softmax, or another: see dlearn-cafcor", p.task);
        arguments.AddValue("data", "mnist, fashion-mnist, or others: see dlearn-cafcor", p.data);
        arguments.AddValue("network", "of the paper's figures: see dlearn-cafcor", p.network);
        arguments.AddValue("out", "directory of the results", p.out);
        // The paper's networks are of PyTorch; whoever asks for another one comes later.
        Config::SetDefault("ns3::dlearn::NeuralNetworkTask::Initializer",
                           TypeIdValue(FanInUniformInitializer::GetTypeId()));
        arguments.Parse(argc, argv);
        Require(runs <= 1000, "runs must be at most 1000, got ", runs);
        Require(!p.out.empty(), "out must name a directory");
        p.runs = runs > 0 ? runs : (p.quick ? 1 : 3);
        good = RunFigures(figure, p);
    });
    return status != 0 ? status : (good ? 0 : 1);
}
