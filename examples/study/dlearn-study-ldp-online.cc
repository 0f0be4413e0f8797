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
 * paper leaves open is in Parameters and SetDefaults(), with the reason for each choice;
 * doc/reproduction.rst discusses what comes out.
 *
 * Writes tables (CSV) and figures (SVG). Exit status: 0 when the paper's ordering shows, 1 when
 * it does not, or after an error with one line on stderr.
 */

#include "dlearn-study-report.h"

#include "ns3/config.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-laplace-mechanism.h"
#include "ns3/dlearn-ldp-online-ledgers.h"
#include "ns3/dlearn-program.h"
#include "ns3/dlearn-projection.h"
#include "ns3/dlearn-results-writer.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/double.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <optional>

using namespace ns3;
using namespace ns3::dlearn;

namespace
{

const std::string PROGRAM = "dlearn-study-ldp-online";

/** What the command line can say, and what the paper leaves open. */
struct Parameters
{
    std::string experiment{"all"};
    std::string data{"mushrooms"};
    std::string dataDir;
    bool quick{false};
    bool full{false};
    uint32_t runs{0}; //!< 0: 5, or 1 if quick
    std::string out{"results/study-ldp-online"};

    uint32_t batch{3};         //!< N_i: with r = 1/N the hitting times come closest to Table I
    double regularization{-1}; //!< r_i, "proportional to 1/N_i"; -1: 1/N
    double initial{1};         //!< theta_0^i is random in the paper; standard normal entries
    bool unitNorm{true};       //!< raw features have L = 5.25 + r and make epsilon useless

    void Parse(int argc, char* argv[]);
    void Validate() const;
    PeerOptions MakeScenario() const;
};

void
Parameters::Parse(int argc, char* argv[])
{
    ProgramArguments arguments(__FILE__);
    arguments.Usage(
        "The mushrooms experiment of Chen and Wang: Fig. 1 (comparison), Table I (budget); "
        "and baselines of other papers (baselines).");
    arguments.AddValue("experiment", "comparison, baselines, budget or all", experiment);
    arguments.AddValue("data", "mushrooms, generated or the path of a LIBSVM file", data);
    arguments.AddValue("data-dir", "where data sets lie; default DLEARN_DATA", dataDir);
    arguments.AddValue("quick", "fewer rounds and noise levels, one run", quick);
    arguments.AddValue("full", "the paper's rounds (the default)", full);
    arguments.AddValue("runs", "runs to average, from --RngRun on; 0: 5, or 1 if quick", runs);
    arguments.AddValue("batch", "new samples of each learner in each round", batch);
    arguments.AddValue("regularization",
                       "strength of the l2 regularization; -1: 1/batch",
                       regularization);
    arguments.AddValue("initial", "standard deviation of the entries of initial models", initial);
    arguments.AddValue("unit-norm",
                       "divide the features by the largest norm of a sample",
                       unitNorm);
    arguments.AddValue("out", "directory of the results", out);
    arguments.Parse(argc, argv);
    runs = runs > 0 ? runs : (quick ? 1 : 5);
}

void
Parameters::Validate() const
{
    Require(experiment == "comparison" || experiment == "baselines" || experiment == "budget" ||
                experiment == "all",
            "experiment must be comparison, baselines, budget or all, got '",
            experiment,
            "'");
    Require(!(quick && full), "quick and full exclude each other");
    Require(batch >= 1, "batch must be at least 1, got ", batch);
    Require(!out.empty(), "out must name a directory");
}

/** @return what all runs share */
PeerOptions
Parameters::MakeScenario() const
{
    PeerOptions options(PROGRAM);
    options.data = data;
    options.dataDir = dataDir;
    options.task = "logistic";
    options.testFraction = 0; // nothing is scored on unseen data here
    options.unitNorm = unitNorm;
    options.batch = batch;
    options.regularization = regularization == -1 ? 1.0 / batch : regularization;
    options.initial = initial;
    options.floatBits = 64; // the paper has no rounding on the wire
    return options;
}

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
    Config::SetDefault(prefix + "LdpOnline::PrivacyLedger", TypeIdValue(ConvexLedger::GetTypeId()));
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
                       TypeIdValue(ConvexLedger::GetTypeId()));
}

// ------------------------------------------------------------------ comparison (Fig. 1)

/** One algorithm, averaged over the runs. */
struct Curve
{
    std::string name;            //!< as the paper writes it
    std::string algorithm;       //!< as PeerOptions does
    std::vector<double> rounds;  //!< updates done: 1, 11, 21, ...
    std::vector<Spread> error;   //!< ||theta_t^i - theta_t*||^2, mean over learners
    std::vector<Spread> regret;  //!< F_t(theta_t^i) - F_t(theta_t*), mean over learners
    std::vector<Spread> epsilon; //!< spent so far, largest of the learners

    /** @return how much epsilon grew in the second half of the rounds, as a share */
    double GetLateGrowth() const
    {
        return epsilon.back().GetMean() / epsilon[epsilon.size() / 2].GetMean() - 1;
    }
};

void
AddRun(const PeerOptions& options, Curve& curve)
{
    PeerScenario scenario(options);
    std::ostream nowhere(nullptr);
    scenario.Run(nowhere);
    const auto& summaries = scenario.GetSummaries();
    curve.rounds.clear();
    curve.error.resize(summaries.size());
    curve.regret.resize(summaries.size());
    curve.epsilon.resize(summaries.size());
    for (size_t k = 0; k < summaries.size(); ++k)
    {
        curve.rounds.push_back(summaries[k].round + 1.0);
        curve.error[k].Add(summaries[k].mean.error);
        curve.regret[k].Add(summaries[k].mean.regret);
        curve.epsilon[k].Add(summaries[k].epsilon);
    }
}

void
WriteComparison(const std::string& start, const std::vector<Curve>& curves)
{
    std::string csv = "round,algorithm,tracking_error,tracking_error_low,tracking_error_high,"
                      "regret,regret_low,regret_high,epsilon,epsilon_low,epsilon_high\n";
    SvgPlot error("Tracking error", "round", "squared distance to the optimum");
    SvgPlot regret("Instantaneous regret", "round", "F(theta) - F(theta*)");
    SvgPlot epsilon("Cumulative privacy budget", "round", "epsilon");
    for (const Curve& curve : curves)
    {
        for (size_t k = 0; k < curve.rounds.size(); ++k)
        {
            csv += FormatShortest(curve.rounds[k]) + "," + curve.name +
                   FormatFields(curve.error[k]) + FormatFields(curve.regret[k]) +
                   FormatFields(curve.epsilon[k]) + "\n";
        }
        error.Add(MakeSeries(curve.name, curve.rounds, curve.error));
        regret.Add(MakeSeries(curve.name, curve.rounds, curve.regret));
        if (std::isfinite(curve.epsilon.back().GetHigh())) // no axis has room for infinity
        {
            epsilon.Add(MakeSeries(curve.name, curve.rounds, curve.epsilon));
        }
    }
    WriteTextFile(start + ".csv", csv);
    for (SvgPlot* plot : {&error, &regret, &epsilon})
    {
        plot->SetLogY();
    }
    error.Write(start + "-error.svg");
    regret.Write(start + "-regret.svg");
    epsilon.Write(start + "-epsilon.svg");
}

/** @return whether the paper's ordering shows: the first curve is LDP-OL */
bool
JudgeComparison(const std::vector<Curve>& curves)
{
    const Curve& ours = curves.front();
    bool good = Check(ours.GetLateGrowth() < 0.05,
                      "LDP-OL: epsilon grows by less than 5 % in the second half");
    for (size_t k = 1; k < curves.size(); ++k)
    {
        const Curve& other = curves[k];
        good &= Check(ours.error.back().GetHigh() < other.error.back().GetLow(),
                      "LDP-OL tracks better than " + other.name + " at the end, in every run");
        good &= Check(ours.regret.back().GetHigh() < other.regret.back().GetLow(),
                      "LDP-OL has less regret than " + other.name + " at the end, in every run");
        good &= Check(other.GetLateGrowth() > 0.2,
                      other.name + ": epsilon grows by more than 20 % in the second half");
    }
    return good;
}

/**
 * Run some algorithms, print a table and write figures.
 *
 * @param p parameters
 * @param title of the table, and start of the names of files, in small letters
 * @param curves get the runs
 */
void
Compare(const Parameters& p, const std::string& title, std::vector<Curve>& curves)
{
    PeerOptions options = p.MakeScenario();
    options.rounds = p.quick ? 600 : 2000;
    options.evaluateEvery = 10;
    std::cout << title << ": " << options.rounds << " rounds, noise (t+1)^(0.1 + 0.01 i), mean of "
              << p.runs << " runs at the end\n\n"
              << "      algorithm  track. error      regret     epsilon  its late growth\n";
    for (Curve& curve : curves)
    {
        options.algorithm = curve.algorithm;
        ForEachRun(p.runs, [&] { AddRun(options, curve); });
        std::cout << std::setw(15) << curve.name << std::setw(14)
                  << FormatRounded(curve.error.back().GetMean()) << std::setw(12)
                  << FormatRounded(curve.regret.back().GetMean()) << std::setw(12)
                  << FormatRounded(curve.epsilon.back().GetMean()) << std::setw(15)
                  << FormatRounded(100 * curve.GetLateGrowth(), 3) << " %" << std::endl;
    }
    WriteComparison(p.out + "/" + title, curves);
    std::cout << "\n";
}

bool
RunComparison(const Parameters& p)
{
    std::vector<Curve> curves{{"LDP-OL", "ldp-online", {}, {}, {}, {}},
                              {"DSGD", "dsgd", {}, {}, {}, {}},
                              {"DOLA", "dola", {}, {}, {}, {}},
                              {"PDOP", "pdop", {}, {}, {}, {}}};
    Compare(p, "comparison", curves);
    return JudgeComparison(curves);
}

// ----------------------------------------------------------------------- baselines (ours)

/**
 * The baselines of other papers in the same experiment. All but the growing samples see their data
 * little by little; those know them from the start, and are measured by the optimum over all.
 */
void
RunBaselines(const Parameters& p)
{
    std::vector<Curve> curves{{"LDP-OL", "ldp-online", {}, {}, {}, {}},
                              {"push-sum", "push-sum", {}, {}, {}, {}},
                              {"growing samples", "dp-sgd", {}, {}, {}, {}},
                              {"ternary", "ternary", {}, {}, {}, {}}};
    Compare(p, "baselines", curves);
}

// --------------------------------------------------------------------- budget (Table I)

/** One noise level of Table I. */
struct Level
{
    double factor;       //!< c: the noise is Lap(0.1 c (t+1)^(0.1 + 0.01 i))
    double paperEpsilon; //!< in the paper
    double paperRounds;  //!< in the paper
    Spread rounds{};     //!< updates until the mean model is close enough
    Spread epsilon{};    //!< spent by then, largest of the learners
    uint32_t missed{0};  //!< runs that did not get there
};

/** The paper's table. */
const std::vector<Level> TABLE_1{{1, 23.34, 8},
                                 {1.5, 16.59, 11},
                                 {2, 12.65, 12},
                                 {2.5, 11.97, 34},
                                 {3, 11.54, 127},
                                 {3.5, 10.50, 269},
                                 {4, 9.64, 575},
                                 {4.5, 8.79, 934},
                                 {5, 7.98, 1119},
                                 {5.5, 7.47, 2292},
                                 {6, 7.03, 4999}};

/**
 * @return whether ||mean theta - theta_t*|| <= 1: the mean over learners of the squared
 *         distance to theta_t*, less that of the squared distance to their mean
 */
bool
IsClose(const RoundSummary& summary)
{
    return summary.mean.error - summary.mean.consensus <= 1;
}

/** @return the first close round of a run, which ends there; nothing when there is none */
std::optional<RoundSummary>
RunUntilClose(const PeerOptions& options)
{
    PeerScenario scenario(options);
    const auto stopWhenClose = [&scenario](const RoundRecord&) {
        if (!scenario.GetSummaries().empty() && IsClose(scenario.GetSummaries().back()))
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
                                            Callback<void, const RoundRecord&>(stopWhenClose));
    }
    std::ostream nowhere(nullptr);
    scenario.Run(nowhere);
    const auto& summaries = scenario.GetSummaries();
    const auto close = std::find_if(summaries.begin(), summaries.end(), IsClose);
    return close == summaries.end() ? std::nullopt : std::optional<RoundSummary>(*close);
}

void
WriteBudget(const std::string& directory, const std::vector<Level>& levels)
{
    std::string csv = "noise_factor,rounds,rounds_low,rounds_high,epsilon,epsilon_low,"
                      "epsilon_high,runs_missed,paper_rounds,paper_epsilon\n";
    PlotSeries paperRounds{"paper", {}, {}};
    paperRounds.style = PlotSeries::Style::POINTS;
    PlotSeries paperEpsilon = paperRounds;
    std::vector<double> factors;
    std::vector<Spread> rounds;
    std::vector<Spread> epsilon;
    for (const Level& level : levels)
    {
        csv += FormatShortest(level.factor) + FormatFields(level.rounds) +
               FormatFields(level.epsilon) + "," + FormatShortest(level.missed) + "," +
               FormatShortest(level.paperRounds) + "," + FormatShortest(level.paperEpsilon) + "\n";
        factors.push_back(level.factor);
        rounds.push_back(level.rounds);
        epsilon.push_back(level.epsilon);
        paperRounds.y.push_back(level.paperRounds);
        paperEpsilon.y.push_back(level.paperEpsilon);
    }
    WriteTextFile(directory + "/budget.csv", csv);
    SvgPlot roundsPlot("Rounds until the mean model is within 1 of the optimum",
                       "noise factor",
                       "rounds");
    SvgPlot epsilonPlot("Privacy budget spent by then", "noise factor", "epsilon");
    paperRounds.x = paperEpsilon.x = factors;
    roundsPlot.SetLogY();
    roundsPlot.Add(MakeSeries("dlearn", factors, rounds));
    roundsPlot.Add(paperRounds);
    epsilonPlot.SetLogY();
    epsilonPlot.Add(MakeSeries("dlearn", factors, epsilon));
    epsilonPlot.Add(paperEpsilon);
    roundsPlot.Write(directory + "/budget-rounds.svg");
    epsilonPlot.Write(directory + "/budget-epsilon.svg");
}

/** @return whether more noise always took more rounds and spent less */
bool
JudgeBudget(const std::vector<Level>& levels)
{
    bool rises = true;
    bool falls = true;
    bool reached = true;
    for (size_t k = 0; k < levels.size(); ++k)
    {
        reached &= levels[k].missed == 0;
        rises &= k == 0 || levels[k].rounds.GetMean() > levels[k - 1].rounds.GetMean();
        falls &= k == 0 || levels[k].epsilon.GetMean() < levels[k - 1].epsilon.GetMean();
    }
    bool good = Check(reached, "every run gets there");
    good &= Check(rises, "the mean number of rounds rises with every step of the noise");
    good &= Check(falls, "the mean epsilon falls with every step of the noise");
    return good;
}

bool
RunBudget(const Parameters& p)
{
    std::vector<Level> levels = TABLE_1;
    if (p.quick)
    {
        levels = {TABLE_1[0], TABLE_1[2], TABLE_1[4], TABLE_1[6]};
    }
    PeerOptions options = p.MakeScenario();
    options.rounds = p.quick ? 2000 : 10000;
    std::cout << "Budget: noise 0.1 c (t+1)^(0.1 + 0.01 i), rounds until the mean model is within "
                 "1 of the optimum,\nmean of "
              << p.runs
              << " runs (least to greatest); every c has the same random numbers\n\n"
                 "    c   rounds (least-greatest)   epsilon | paper: rounds  epsilon | ratio\n";
    for (Level& level : levels)
    {
        options.noise = 0.1 * level.factor;
        // A search for the optimum in each of thousands of rounds would take most of the time.
        options.evaluateEvery = level.factor < 3 ? 1 : 10;
        ForEachRun(p.runs, [&] {
            const auto close = RunUntilClose(options);
            level.missed += close ? 0 : 1;
            level.rounds.Add(close ? close->round + 1 : std::numeric_limits<double>::infinity());
            level.epsilon.Add(close ? close->epsilon : 0);
        });
        const std::string range = "(" + FormatRounded(level.rounds.GetLow(), 5) + "-" +
                                  FormatRounded(level.rounds.GetHigh(), 5) + ")";
        std::cout << std::setw(5) << level.factor << std::setw(9)
                  << FormatRounded(level.rounds.GetMean(), 5) << std::setw(17) << range
                  << std::setw(10) << FormatRounded(level.epsilon.GetMean()) << " |"
                  << std::setw(14) << level.paperRounds << std::setw(9) << level.paperEpsilon
                  << " |" << std::setw(6)
                  << FormatRounded(level.epsilon.GetMean() / level.paperEpsilon, 3) << std::endl;
    }
    WriteBudget(p.out, levels);
    std::cout << "\n";
    return JudgeBudget(levels);
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
        parameters.Validate();
        MakeResultsDirectory(parameters.out);
        const bool all = parameters.experiment == "all";
        if (all || parameters.experiment == "comparison")
        {
            good &= RunComparison(parameters);
            std::cout << "\n";
        }
        if (all || parameters.experiment == "baselines")
        {
            RunBaselines(parameters);
        }
        if (all || parameters.experiment == "budget")
        {
            good &= RunBudget(parameters);
        }
        std::cout << "\nTables and figures: " << parameters.out << "\n";
    });
    return status != 0 ? status : (good ? 0 : 1);
}
