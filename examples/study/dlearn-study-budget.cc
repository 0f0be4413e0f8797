/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-study-online.h"
#include "dlearn-study-report.h"

#include "ns3/dlearn-output-file.h"
#include "ns3/dlearn-peer-learners.h"
#include "ns3/dlearn-presets.h"
#include "ns3/dlearn-run.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <limits>
#include <optional>

namespace ns3::dlearn
{

namespace
{

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
RunUntilClose(const RunSpec& options)
{
    Run scenario(options);
    const auto stopWhenClose = [&scenario](const RoundRecord&) {
        if (!scenario.GetSummaries().empty() && IsClose(scenario.GetSummaries().back()))
        {
            for (const auto& learner : scenario.GetPeers())
            {
                Simulator::ScheduleNow(&PeerApplication::Crash, learner);
            }
        }
    };
    for (const auto& learner : scenario.GetPeers())
    {
        learner->TraceConnectWithoutContext("RoundEnd",
                                            Callback<void, const RoundRecord&>(stopWhenClose));
    }
    std::ostream nowhere(nullptr);
    scenario.Execute(nowhere);
    const auto& summaries = scenario.GetSummaries();
    const auto close = std::find_if(summaries.begin(), summaries.end(), IsClose);
    return close == summaries.end() ? std::nullopt : std::optional<RoundSummary>(*close);
}

void
WriteLevels(const std::string& directory, const std::vector<Level>& levels)
{
    std::string csv = "noise_factor,rounds,rounds_low,rounds_high,epsilon,epsilon_low,"
                      "epsilon_high,runs_missed,paper_rounds,paper_epsilon\n";
    FigureSeries paperRounds{"paper", {}, {}};
    paperRounds.style = FigureSeries::Style::POINTS;
    FigureSeries paperEpsilon = paperRounds;
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
    StudyFigure roundsPlot("Rounds until the mean model is within 1 of the optimum",
                           "noise factor",
                           "rounds");
    StudyFigure epsilonPlot("Privacy budget spent by then", "noise factor", "epsilon");
    paperRounds.x = paperEpsilon.x = factors;
    roundsPlot.SetLogY();
    roundsPlot.Add(MakeSeries("dlearn", factors, rounds));
    roundsPlot.Add(paperRounds);
    epsilonPlot.SetLogY();
    epsilonPlot.Add(MakeSeries("dlearn", factors, epsilon));
    epsilonPlot.Add(paperEpsilon);
    roundsPlot.Write(directory + "/budget-rounds.figure.csv");
    epsilonPlot.Write(directory + "/budget-epsilon.figure.csv");
}

/** @return whether more noise always took more rounds and spent less */
bool
Judge(const std::vector<Level>& levels)
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

} // namespace

bool
RunOnlineBudget(const OnlineParameters& p)
{
    std::vector<Level> levels = TABLE_1;
    if (p.quick)
    {
        levels = {TABLE_1[0], TABLE_1[2], TABLE_1[4], TABLE_1[6]};
    }
    RunSpec options = p.MakeOptions();
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
    WriteLevels(p.out, levels);
    std::cout << "\n";
    return Judge(levels);
}

} // namespace ns3::dlearn
