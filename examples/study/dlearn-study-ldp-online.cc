/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * The first experiment of Chen and Wang, "Locally Differentially Private Distributed Online
 * Learning with Guaranteed Optimality", section VII-A, on the mushrooms data:
 *
 *   dlearn-study-ldp-online --experiment=comparison   (their Fig. 1)
 *   dlearn-study-ldp-online --experiment=budget       (their Table I)
 *   dlearn-study-ldp-online --experiment=baselines    (baselines of other papers; not theirs)
 *   dlearn-study-ldp-online --quick                   (all, small)
 *
 * Five learners on a ring, w_ij = 0.3; learners 1 to 3 hold the samples of one label, 4 and 5
 * those of the other; l2-logistic regression; Laplace noise of scale c (t+1)^(0.1 + 0.01 i) on
 * every message of every algorithm; lambda_t = (t+1)^-0.77 and gamma_t = (t+1)^-0.65. What the
 * paper leaves open is in OnlineParameters and SetDefaults(), with the reason for each choice;
 * doc/reproduction.rst discusses what comes out.
 *
 * Writes tables (CSV) and figures (SVG). Exit status: 0 when the paper's ordering shows, 1 when
 * it does not, or after an error with one line on stderr.
 */

#include "dlearn-study-online.h"

#include "ns3/config.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-laplace-mechanism.h"
#include "ns3/dlearn-ldp-online-ledgers.h"
#include "ns3/dlearn-projection.h"
#include "ns3/double.h"

using namespace ns3;
using namespace ns3::dlearn;

namespace
{

const std::string PROGRAM = "dlearn-study-ldp-online";

/**
 * Give all algorithms the same noise and the same Theta (the ball of radius 1e5), and the
 * baselines near-optimal steps. The command line can change all of it afterwards.
 *
 * The steps were searched on a grid of powers of 2 (run 1, 2000 rounds, noise 1), for the
 * least tracking error at the end with an epsilon that a double can hold:
 *  - DSGD, constant: 302 at 2; 555, 367 at 0.5, 1; 307 at 4 but epsilon 1e252; 8 diverges.
 *    Steps that decay as (t+1)^-1/2 do worse: 1366 at best.
 *  - DOLA, constant: 776 at 1; 594 at 2 but epsilon 1e136; 4 diverges. (t+1)^-1/2: 3609 at 8.
 *  - PDOP, 0.999^t, because its steps must decay geometrically: 838 at 4; 1993 at 2; 8 ends at
 *    311 but throws the models to the edge of Theta first. A constant step makes another
 *    algorithm of it, which doc/reproduction.rst discusses.
 */
void
SetDefaults()
{
    const std::string prefix = "ns3::dlearn::";
    for (const std::string rule :
         {"LdpOnline", "Dsgd", "Dola", "Pdop", "PushSumSgd", "DpSgdGrowing", "TernarySgd"})
    {
        if (rule != "TernarySgd") // whose noise is its rounding
        {
            Config::SetDefault(prefix + rule + "::NoiseMechanism",
                               TypeIdValue(LaplaceMechanism::GetTypeId()));
        }
        Config::SetDefault(prefix + rule + "::Projection",
                           TypeIdValue(BallProjection::GetTypeId()));
    }
    // The loss is convex and nothing is clipped, so the tighter of our bounds holds.
    Config::SetDefault(prefix + "LdpOnline::PrivacyLedger",
                       TypeIdValue(LdpOnlineConvexLedger::GetTypeId()));
    Config::SetDefault(prefix + "Dsgd::StepSize", DoubleValue(2));
    Config::SetDefault(prefix + "Dsgd::StepExponent", DoubleValue(0));
    Config::SetDefault(prefix + "Dola::StepSize", DoubleValue(1));
    Config::SetDefault(prefix + "Dola::StepExponent", DoubleValue(0));
    Config::SetDefault(prefix + "Pdop::StepSize", DoubleValue(4));
    Config::SetDefault(prefix + "Pdop::StepRatio", DoubleValue(0.999));
    Config::SetDefault(prefix + "PushSumSgd::StepSize", DoubleValue(2));
    Config::SetDefault(prefix + "PushSumSgd::StepExponent", DoubleValue(0));
    Config::SetDefault(prefix + "TernaryQuantizer::BaseScale", DoubleValue(4));
    // Those two share the update of LDP-OL; they get its steps and couplings.
    for (const std::string rule : {"DpSgdGrowing", "TernarySgd"})
    {
        Config::SetDefault(prefix + rule + "::StepSize", DoubleValue(1));
        Config::SetDefault(prefix + rule + "::StepExponent", DoubleValue(0.77));
        Config::SetDefault(prefix + rule + "::CouplingExponent", DoubleValue(0.65));
    }
    Config::SetDefault(prefix + "DpSgdGrowing::PrivacyLedger",
                       TypeIdValue(LdpOnlineConvexLedger::GetTypeId()));
}

/** Read the command line. */
void
Parse(int argc, char* argv[], OnlineParameters& p, std::string& experiment)
{
    ProgramArguments arguments(__FILE__);
    arguments.Usage(
        "The mushrooms experiment of Chen and Wang: Fig. 1 (comparison), Table I (budget); and "
        "baselines of other papers (baselines).");
    arguments.AddValue("experiment", "comparison, baselines, budget or all", experiment);
    p.AddData(arguments, "mushrooms, generated or the path of a LIBSVM file");
    p.AddNetwork(arguments);
    p.AddCommon(arguments,
                "fewer rounds and noise levels, one run: 10 seconds of one core",
                "5, or 1 if quick");
    p.AddFull(arguments, "the paper's rounds (the default)");
    arguments.AddValue("batch", "new samples of each learner in each round", p.batch);
    arguments.AddValue("regularization",
                       "strength of the l2 regularization; -1: 1/batch",
                       p.regularization);
    arguments.AddValue("initial", "standard deviation of the entries of initial models", p.initial);
    arguments.AddValue("unit-norm",
                       "divide the features by the largest norm of a sample",
                       p.unitNorm);
    p.Parse(arguments, argc, argv);
    Require(p.batch >= 1, "batch must be at least 1, got ", p.batch);
    p.ChooseRuns(5, 1);
}

} // namespace

int
main(int argc, char* argv[])
{
    SetDefaults();
    return RunStudy(PROGRAM, [&] {
        OnlineParameters p(PROGRAM);
        p.data = "mushrooms";
        std::string experiment = "all";
        Parse(argc, argv, p, experiment);
        const StudyFigures figures("experiment",
                                   {{"comparison", [&] { return RunOnlineComparison(p); }},
                                    {"baselines", [&] { return RunOnlineBaselines(p); }},
                                    {"budget", [&] { return RunOnlineBudget(p); }}});
        return figures.Run(experiment, p);
    });
}
