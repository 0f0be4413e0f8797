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
 *   dlearn-study-ldp-online --quick                   (both, small)
 *
 * Five learners on a ring, w_ij = 0.3; learners 1 to 3 hold the samples of one label, 4 and 5
 * those of the other; l2-logistic regression; Laplace noise of scale c (t+1)^(0.1 + 0.01 i) on
 * every message of every algorithm; lambda_t = (t+1)^-0.77 and gamma_t = (t+1)^-0.65. What the
 * paper leaves open is in Parameters and SetBaselines(), with the reason for each choice.
 *
 * Writes tables (CSV) and figures (SVG). Exit status: 0 when the paper's ordering shows, 1 when
 * it does not or after an error.
 */

#include "ns3/command-line.h"
#include "ns3/config.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-ldp-online-ledgers.h"
#include "ns3/dlearn-laplace-mechanism.h"
#include "ns3/dlearn-program.h"
#include "ns3/dlearn-projection.h"
#include "ns3/dlearn-svg-plot.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/double.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <map>
#include <numeric>

using namespace ns3;
using namespace ns3::dlearn;

namespace
{

const std::string PROGRAM = "dlearn-study-ldp-online";

/** Everything that the command line can say. */
struct Parameters
{
    std::string experiment{"all"};
    std::string data{"mushrooms"};
    std::string dataDir;
    bool quick{false};
    bool full{false};
    uint32_t runs{0}; // 0: 5, or 1 when quick
    std::string out{"results/study-ldp-online"};
    // What the paper leaves open.
    uint32_t batch{5};
    double regularization{-1}; // -1: 1 / batch; "proportional to 1/N_i" in the paper
    bool unitNorm{true};
    uint32_t evaluateEvery{10};

    void Parse(int argc, char* argv[]);
    void Validate() const;
};

void
Parameters::Parse(int argc, char* argv[])
{
    CommandLine cmd(__FILE__);
    cmd.Usage("The mushrooms experiment of Chen and Wang: Fig. 1 (comparison), Table I (budget).");
    cmd.AddValue("experiment", "comparison, budget or all", experiment);
    cmd.AddValue("data", "mushrooms, generated or the path of a LIBSVM file", data);
    cmd.AddValue("data-dir", "where data sets lie; default DLEARN_DATA", dataDir);
    cmd.AddValue("quick", "fewer rounds and noise levels, one run", quick);
    cmd.AddValue("full", "the paper's 2000 and 5000 rounds (the default)", full);
    cmd.AddValue("runs", "runs to average, from --RngRun on; 0: 5, or 1 if quick", runs);
    cmd.AddValue("batch", "N: new samples of a learner in a round", batch);
    cmd.AddValue("regularization", "r; -1 for 1/N", regularization);
    cmd.AddValue("unit-norm", "scale the features to norm 1", unitNorm);
    cmd.AddValue("evaluate-every", "comparison: evaluate every so many rounds", evaluateEvery);
    cmd.AddValue("out", "directory of the results", out);
    cmd.Parse(argc, argv);
    runs = runs > 0 ? runs : (quick ? 1 : 5);
    regularization = regularization == -1 ? 1.0 / batch : regularization;
}

void
Parameters::Validate() const
{
    Require(experiment == "comparison" || experiment == "budget" || experiment == "all",
            "experiment must be comparison, budget or all, got '",
            experiment,
            "'");
    Require(!(quick && full), "quick and full exclude each other");
    Require(!out.empty(), "out must name a directory");
}

/** One algorithm of the comparison. */
struct Contender
{
    std::string option; //!< as --algorithm says it
    std::string name;   //!< as the paper writes it
};

const std::vector<Contender> CONTENDERS{{"ldp-online", "LDP-OL"},
                                        {"dsgd", "DSGD"},
                                        {"dola", "DOLA"},
                                        {"pdop", "PDOP"}};

void
SetBaselines()
{
    for (const std::string rule : {"LdpOnline", "Dsgd", "Dola", "Pdop"})
    {
        const std::string name = "ns3::dlearn::" + rule;
        Config::SetDefault(name + "::NoiseMechanism",
                           TypeIdValue(LaplaceMechanism::GetTypeId()));
        Config::SetDefault(name + "::Projection", TypeIdValue(BallProjection::GetTypeId()));
    }
}

/** What both experiments share. */
ScenarioOptions
MakeOptions(const Parameters& p)
{
    ScenarioOptions options(PROGRAM);
    options.data = p.data;
    options.dataDir = p.dataDir;
    options.task = "logistic";
    options.testFraction = 0;
    options.unitNorm = p.unitNorm;
    options.batch = p.batch;
    options.regularization = p.regularization;
    options.floatBits = 64;
    return options;
}

/** @return ||mean theta - theta_t*||: the mean over learners of the squared distance to
 * theta_t* less that to the mean model, by Pythagoras */
double
GetDistance(const RoundSummary& summary)
{
    return std::sqrt(std::max(summary.mean.error - summary.mean.consensus, 0.0));
}

/** @return the evaluated rounds of one run */
std::vector<RoundSummary>
RunOnce(const ScenarioOptions& options, bool untilReached)
{
    Scenario scenario(options);
    if (untilReached)
    {
        const auto stop = [&scenario](const RoundRecord&) {
            const auto& summaries = scenario.GetSummaries();
            if (!summaries.empty() && GetDistance(summaries.back()) <= 1)
            {
                for (const auto& learner : scenario.GetLearners())
                {
                    Simulator::ScheduleNow(&PeerApplication::Crash, learner);
                }
            }
        };
        for (const auto& learner : scenario.GetLearners())
        {
            learner->TraceConnectWithoutContext("RoundEnd",
                                                Callback<void, const RoundRecord&>(stop));
        }
    }
    std::ostream nowhere(nullptr);
    scenario.Run(nowhere);
    return scenario.GetSummaries();
}

void
Compare(const Parameters& p)
{
    for (const Contender& contender : CONTENDERS)
    {
        ScenarioOptions options = MakeOptions(p);
        options.algorithm = contender.option;
        options.rounds = 2000;
        options.evaluateEvery = p.evaluateEvery;
        const auto s = RunOnce(options, false);
        std::cout << contender.name;
        for (size_t k : {size_t{0},s.size()/8, s.size() / 4, s.size() / 2, s.size() - 1})
        {
            std::cout << " | " << s[k].round << " " << s[k].mean.error << " " << s[k].mean.regret
                      << " " << s[k].epsilon;
        }
        std::cout << std::endl;
    }
}

void
Budget(const Parameters& p)
{
    const uint64_t base = RngSeedManager::GetRun();
    for (double c : {1., 1.5, 2., 2.5, 3., 3.5, 4., 4.5, 5., 5.5, 6.})
    {
        std::cout << "c " << c;
        for (uint32_t run = 0; run < p.runs; ++run)
        {
            RngSeedManager::SetRun(base + run);
            ScenarioOptions options = MakeOptions(p);
            options.noise = 0.1 * c;
            options.rounds = 5000;
            options.evaluateEvery = c < 2.4 ? 1 : p.evaluateEvery;
            const auto s = RunOnce(options, true);
            std::cout << " | " << s.back().round + 1 << " "
                      << GetDistance(s.back()) << " " << s.back().epsilon;
        }
        std::cout << std::endl;
    }
    RngSeedManager::SetRun(base);
}

} // namespace

int
main(int argc, char* argv[])
{
    Parameters parameters;
    SetBaselines();
    parameters.Parse(argc, argv);
    return RunGuarded(PROGRAM, [&] {
        parameters.Validate();
        if (parameters.experiment != "budget")
        {
            Compare(parameters);
        }
        if (parameters.experiment != "comparison")
        {
            Budget(parameters);
        }
    });
}
