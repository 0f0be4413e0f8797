/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * What accuracy costs which epsilon, with Laplace and with Gaussian noise (ours, no paper's): the
 * same algorithm on the same data over the same Wi-Fi that loses frames, for LDP-OL and for DP-GT,
 * at growing noise.
 *
 *   dlearn-study-mechanisms            (two minutes)
 *   dlearn-study-mechanisms --quick    (ten seconds)
 *
 * Epsilon protects one sample, of Gaussian noise with delta = 1e-5; records are drawn in passes.
 * Writes mechanisms.csv and the figures mechanisms-NAME. Exit status: 0 when for LDP-OL Gaussian
 * noise costs less than Laplace noise of the same scale, and some costs at most 8 within 3 points
 * of the accuracy without noise; 1 when that does not show, or after an error with one line on
 * stderr.
 */

#include "dlearn-study-curve.h"
#include "dlearn-study-parameters.h"
#include "dlearn-study-report.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/dlearn-directed-learners.h"
#include "ns3/dlearn-output-file.h"
#include "ns3/dlearn-peer-learners.h"
#include "ns3/dlearn-presets.h"
#include "ns3/dlearn-results-writer.h"
#include "ns3/dlearn-run.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/double.h"

#include <algorithm>
#include <iostream>

using namespace ns3;
using namespace ns3::dlearn;

namespace
{

const std::string PROGRAM = "dlearn-study-mechanisms";
constexpr double DELTA = 1e-5;

/** What one noise comes to. */
struct NoiseLevel
{
    std::string mechanism; //!< laplace or gaussian
    double noise{0};       //!< multiplies the base scale
    Spread accuracy{};     //!< of the last round, mean over learners
    Spread epsilon{};      //!< largest of the learners
};

/** @param options get what all runs share */
void
SetCommon(RunSpec& options, const std::string& mechanism)
{
    options.network = "wifi-adhoc";
    options.transport = "udp";
    options.loss = 0.3;
    options.deadline = "20ms";
    options.partition = "iid";
    options.unitNorm = true;
    options.floatBits = 32;
    options.mechanism = mechanism;
    options.privacyUnit = "sample";
    options.delta = mechanism == "gaussian" ? DELTA : 0;
}

/** @param level gets the end of one run of LDP-OL */
void
RunOnline(const StudyParameters& p, NoiseLevel& level)
{
    RunSpec options = LdpOnlinePreset(PROGRAM);
    SetCommon(options, level.mechanism);
    options.rounds = p.quick ? 100 : 400;
    options.evaluateEvery = options.rounds - 1;
    options.graph = "complete";
    options.edgeWeight = "metropolis";
    options.noise = level.noise;
    options.noiseExponent = 0;
    options.noiseExponentStep = 0;
    Run scenario(options);
    StudyCurve curve{level.mechanism};
    curve.Add(scenario);
    level.accuracy.Add(curve.GetEnd().accuracy.GetMean());
    level.epsilon.Add(curve.GetEnd().epsilon.GetMean());
}

/** @param level gets the end of one run of DP-GT */
void
RunTracking(const StudyParameters& p, NoiseLevel& level)
{
    RunSpec options = GradientTrackingPreset(PROGRAM);
    SetCommon(options, level.mechanism);
    options.rounds = p.quick ? 10 : 30;
    options.evaluateEvery = options.rounds - 1;
    options.scheme = "free";
    options.alpha = 0.3;
    options.beta = 0.3;
    options.gamma = 0.3;
    options.samples = 200;
    options.stateGraph = "complete";
    options.stateNoiseExponent = "0";
    options.trackerNoiseExponent = "0";
    options.compensation = "running-sum";
    options.noise = level.noise;
    Run scenario(options);
    StudyCurve curve{level.mechanism};
    curve.Add(scenario);
    level.accuracy.Add(curve.GetEnd().accuracy.GetMean());
    level.epsilon.Add(curve.GetEnd().epsilon.GetMean());
}

/** An algorithm: its name, how it is run, and the noises to try. */
struct Algorithm
{
    std::string name;
    void (*run)(const StudyParameters&, NoiseLevel&);
    std::vector<double> noises;
};

/** @return all levels of an algorithm; the first is without noise */
std::vector<NoiseLevel>
RunLevels(const StudyParameters& p, const Algorithm& algorithm)
{
    std::vector<NoiseLevel> levels{{"gaussian", 0}};
    for (const double noise : algorithm.noises)
    {
        levels.push_back({"laplace", noise});
        levels.push_back({"gaussian", noise});
    }
    for (NoiseLevel& level : levels)
    {
        ForEachRun(p.runs, [&] { algorithm.run(p, level); });
        std::cout << algorithm.name << ", " << level.mechanism << ", noise " << level.noise
                  << ": accuracy " << level.accuracy.GetMean() << ", epsilon "
                  << level.epsilon.GetMean() << std::endl;
    }
    return levels;
}

/** Accuracy against epsilon, a line for each mechanism. */
void
Draw(const std::string& path, const std::string& name, const std::vector<NoiseLevel>& levels)
{
    StudyFigure plot(name + ": accuracy and what it costs", "epsilon", "accuracy");
    for (const std::string mechanism : {"laplace", "gaussian"})
    {
        FigureSeries series{mechanism, {}, {}};
        for (const NoiseLevel& level : levels)
        {
            if (level.mechanism == mechanism && level.noise > 0)
            {
                series.x.push_back(std::log10(level.epsilon.GetMean()));
                series.y.push_back(level.accuracy.GetMean());
            }
        }
        plot.Add(series);
    }
    plot.Write(path);
}

/** @return whether Gaussian noise costs less at every scale */
bool
JudgeMechanisms(const std::string& name, const std::vector<NoiseLevel>& levels)
{
    bool less = true;
    for (size_t k = 1; k + 1 < levels.size(); k += 2)
    {
        less &= levels[k + 1].epsilon.GetHigh() < levels[k].epsilon.GetLow();
    }
    return Check(less, name + ": Gaussian noise costs less than Laplace noise of the same scale");
}

/** @return whether some noise protects, and leaves the accuracy */
bool
JudgeUse(const std::string& name, const std::vector<NoiseLevel>& levels)
{
    const double free = levels[0].accuracy.GetMean();
    const bool useful = std::any_of(levels.begin() + 1, levels.end(), [&](const NoiseLevel& level) {
        return level.epsilon.GetHigh() <= 8 && level.accuracy.GetMean() >= free - 0.03;
    });
    return Check(useful, name + ": epsilon <= 8 within 3 points of the accuracy without noise");
}

} // namespace

int
main(int argc, char* argv[])
{
    return RunStudy(PROGRAM, [&] {
        StudyParameters p(PROGRAM);
        p.ParsePlain({__FILE__,
                      "Accuracy against epsilon, with Laplace and Gaussian noise, over Wi-Fi that "
                      "loses frames.",
                      "fewer rounds and noises, one run: 10 seconds",
                      3,
                      1},
                     argc,
                     argv);
        Config::SetDefault("ns3::dlearn::Task::ClipNorm", DoubleValue(1));
        const ResultsDirectory made(p.out);
        const std::vector<double> noises =
            p.quick ? std::vector<double>{0.25} : std::vector<double>{0.05, 0.1, 0.25, 0.5, 1};
        const std::vector<double> smaller =
            p.quick ? std::vector<double>{0.1} : std::vector<double>{0.01, 0.03, 0.1, 0.3};
        std::string csv = "algorithm,mechanism,noise,accuracy,accuracy_low,accuracy_high,epsilon,"
                          "epsilon_low,epsilon_high\n";
        bool good = true;
        for (const Algorithm& algorithm :
             {Algorithm{"ldp-online", &RunOnline, noises}, {"dp-gt", &RunTracking, smaller}})
        {
            // Gradient tracking draws different samples in each round anyway.
            Config::SetDefault("ns3::dlearn::SampleStream::Replacement",
                               BooleanValue(algorithm.run != &RunOnline));
            const auto levels = RunLevels(p, algorithm);
            for (const NoiseLevel& level : levels)
            {
                csv += algorithm.name + "," + level.mechanism + "," + FormatShortest(level.noise) +
                       FormatFields(level.accuracy) + FormatFields(level.epsilon) + "\n";
            }
            Draw(p.out + "/mechanisms-" + algorithm.name + ".figure.csv", algorithm.name, levels);
            // Where a run tells much, as one of DP-GT does, rates, which grow with the square of
            // the sensitivity, may cost more than Laplace's epsilons: there the table is the
            // result.
            if (algorithm.run == &RunOnline)
            {
                good &= JudgeMechanisms(algorithm.name, levels);
                good &= p.quick || JudgeUse(algorithm.name, levels);
            }
        }
        WriteTextFile(p.out + "/mechanisms.csv", csv);
        return good;
    });
}
