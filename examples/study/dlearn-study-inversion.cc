/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * What an eavesdropper sees of the training images: Table II of Chen and Wang, "Locally
 * Differentially Private Distributed Online Learning with Guaranteed Optimality".
 *
 *   dlearn-study-inversion                      (softmax regression on generated images)
 *   dlearn-study-inversion --data=mnist --full  (their data and rounds)
 *   dlearn-study-inversion --quick
 *   dlearn-study-inversion --task=net:conv12x5,sigmoid,fc10 --window=10
 *   dlearn-study-inversion --network=wifi-infra
 *
 * Five learners on a ring, w_ij = 0.3, learn with LDP-OL: Laplace noise of scale
 * 0.05 c (t+1)^(0.1 + 0.01 i), lambda_t = (t+1)^-0.71, gamma_t = gamma_0 (t+1)^-0.7. Somebody
 * listens on the links (Eavesdropper), estimates from the messages of rounds 0 and 1 the gradients
 * of the first batch (GradientEstimator), and looks for the images behind them: of softmax
 * regression in closed form (InvertSoftmaxGradient), else by gradient matching (InvertGradient). It
 * knows the graph, the steps and the kind of model, and neither the noise nor the models without
 * it.
 *
 * The paper prints neither its network, nor when the attack happens, nor how its "inference error"
 * is defined; here that is the mean squared error of a pixel in [0, 1] (GetInversionError). The row
 * c = 0, which the paper does not have, shows the attack without noise.
 *
 * Writes a table (CSV) and figures (SVG). Exit status: 0 when with more noise the accuracy falls
 * and the inversion error rises, 1 when not, or after an error with one line on stderr.
 */

#include "dlearn-study-images.h"
#include "dlearn-study-report.h"

#include "ns3/config.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-files.h"
#include "ns3/dlearn-partitioner.h"
#include "ns3/dlearn-peer-learners.h"
#include "ns3/dlearn-privacy-ledger.h"
#include "ns3/dlearn-results-writer.h"
#include "ns3/dlearn-run-spec.h"
#include "ns3/dlearn-run.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <iomanip>
#include <iostream>

using namespace ns3;
using namespace ns3::dlearn;

namespace
{

const std::string PROGRAM = "dlearn-study-inversion";

/** Give LdpOnline the steps and the window. */
void
SetSteps(const LdpOnlineSteps& steps, uint32_t window)
{
    const std::string rule = "ns3::dlearn::LdpOnline::";
    const std::pair<std::string, double> numbers[] = {{"StepSize", steps.stepSize},
                                                      {"StepExponent", steps.stepExponent},
                                                      {"Coupling", steps.coupling},
                                                      {"CouplingExponent", steps.couplingExponent}};
    for (const auto& [name, number] : numbers)
    {
        Require(Config::SetDefaultFailSafe(rule + name, DoubleValue(number)),
                "{} of LdpOnline must not be {}",
                name,
                number);
    }
    Config::SetDefault(rule + "HistoryWindow", UintegerValue(window));
    // None: the subject is the real observation, and the constant L of a network is not known.
    Config::SetDefault(rule + "PrivacyLedger", TypeIdValue(PrivacyLedger::GetTypeId()));
}

/** One level of noise, over the runs. */
struct Level
{
    double factor;        //!< c
    double paperAccuracy; //!< on test data; NaN when there is none
    double paperError;    //!< "DLG inference error"
    Spread accuracy{};    //!< of the learners' models on test data, mean over learners
    Spread error{};       //!< of the images found, mean over learners
    Spread labels{};      //!< share of the labels found
    Spread black{};       //!< error of an attacker who guesses black images
};

/** @return a number of the paper, or what stands for it where it has none */
std::string
FormatPaper(double value, const std::string& none)
{
    return std::isfinite(value) ? FormatShortest(value) : none;
}

void
WriteTable(const std::string& directory, const std::vector<Level>& levels)
{
    std::string csv = "noise_factor,test_accuracy,test_accuracy_low,test_accuracy_high,"
                      "inversion_error,inversion_error_low,inversion_error_high,"
                      "labels_found,labels_found_low,labels_found_high,"
                      "black_error,black_error_low,black_error_high,"
                      "paper_accuracy,paper_error\n";
    std::vector<double> factors;
    std::vector<Spread> accuracy;
    std::vector<Spread> error;
    std::vector<Spread> black;
    FigureSeries paperAccuracy{"paper", {}, {}};
    paperAccuracy.style = FigureSeries::Style::POINTS;
    FigureSeries paperError = paperAccuracy;
    for (const Level& level : levels)
    {
        csv += FormatShortest(level.factor) + FormatFields(level.accuracy) +
               FormatFields(level.error) + FormatFields(level.labels) + FormatFields(level.black) +
               "," + FormatPaper(level.paperAccuracy, "") + "," +
               FormatPaper(level.paperError, "") + "\n";
        factors.push_back(level.factor);
        accuracy.push_back(level.accuracy);
        error.push_back(level.error);
        black.push_back(level.black);
        paperAccuracy.y.push_back(level.paperAccuracy);
        paperError.y.push_back(level.paperError);
    }
    WriteTextFile(directory + "/inversion.csv", csv);
    paperAccuracy.x = paperError.x = factors;
    StudyFigure accuracyPlot("Accuracy under noise", "noise factor", "test accuracy");
    accuracyPlot.Add(MakeSeries("dlearn", factors, accuracy));
    accuracyPlot.Add(paperAccuracy);
    accuracyPlot.Write(directory + "/inversion-accuracy.figure.csv");
    StudyFigure errorPlot("What an eavesdropper sees of the images",
                          "noise factor",
                          "mean squared error of a pixel");
    errorPlot.Add(MakeSeries("dlearn", factors, error));
    errorPlot.Add(paperError);
    FigureSeries guess = MakeSeries("black images", factors, black);
    guess.style = FigureSeries::Style::DASHED;
    errorPlot.Add(guess);
    errorPlot.Write(directory + "/inversion-error.figure.csv");
}

/** @return whether the paper's trends show */
bool
Judge(const std::vector<Level>& levels)
{
    bool rises = true;
    for (size_t k = 1; k < levels.size(); ++k)
    {
        rises &= levels[k].error.GetMean() > levels[k - 1].error.GetMean();
    }
    bool good = Check(rises, "the inversion error rises with every step of the noise");
    good &= Check(levels.back().accuracy.GetMean() < levels[1].accuracy.GetMean(),
                  "the accuracy is less with the most noise than with the least");
    return good;
}

bool
RunLevels(const ImageParameters& p)
{
    const double none = std::nan("");
    std::vector<Level> levels{{0, none, none},
                              {0.5, 0.9449, 0.2696},
                              {1, 0.9380, 0.2786},
                              {1.5, 0.8964, 0.2898},
                              {2, 0.8259, 0.3110}};
    std::cout << "Gradient inversion: " << p.data << ", " << p.task << " over " << p.network << ", "
              << p.rounds << " rounds, noise 0.05 c (t+1)^(0.1 + 0.01 i), mean of " << p.runs
              << " runs\n\n    c  accuracy  inversion error  labels found  black images | "
                 "paper: accuracy   error\n";
    for (Level& level : levels)
    {
        ForEachRun(p.runs, [&] {
            const ImageLoot loot = LearnAndListen(p, level.factor);
            level.accuracy.Add(loot.accuracy);
            level.error.Add(loot.error);
            level.labels.Add(loot.labels);
            level.black.Add(loot.black);
        });
        std::cout << std::setw(5) << level.factor << std::setw(10)
                  << FormatRounded(level.accuracy.GetMean()) << std::setw(17)
                  << FormatRounded(level.error.GetMean()) << std::setw(14)
                  << FormatRounded(level.labels.GetMean()) << std::setw(14)
                  << FormatRounded(level.black.GetMean()) << " |" << std::setw(16)
                  << FormatPaper(level.paperAccuracy, "-") << std::setw(8)
                  << FormatPaper(level.paperError, "-") << std::endl;
    }
    WriteTable(p.out, levels);
    std::cout << "\n";
    return Judge(levels);
}

/** Read the command line. */
void
Parse(int argc, char* argv[], ImageParameters& p)
{
    ProgramArguments arguments(__FILE__);
    arguments.Usage("Gradient inversion by an eavesdropper on LDP-OL: Table II of Chen and Wang.");
    p.AddData(arguments, "glyphs, mnist, fashion-mnist or cifar10");
    arguments.AddValue("task", "softmax, cnn or net:LAYERS", p.task);
    p.AddNetwork(arguments);
    arguments.AddValue("partition", GetPartitionNames(), p.partition);
    arguments.AddValue("coupling", "gamma_0", p.coupling);
    arguments.AddValue("batch", "new samples of each learner in each round", p.batch);
    arguments.AddValue("window", "newest batches in a gradient; 0: all, as in the paper", p.window);
    arguments.AddValue("rounds", "rounds; 0: 500, 200 if quick, 3000 if full", p.rounds);
    arguments.AddValue("starts", "gradient matching: images to start from", p.starts);
    arguments.AddValue("iterations", "gradient matching: of L-BFGS, at most", p.iterations);
    p.AddCommon(arguments, "fewer rounds, one run: 40 seconds of one core", "3, or 1 if quick");
    p.AddFull(arguments, "the paper's rounds");
    p.Parse(arguments, argc, argv);
    p.ChooseRuns(3, 1);
    p.rounds = p.rounds > 0 ? p.rounds : (p.quick ? 200 : (p.full ? 3000 : 500));
    Require(p.task == "softmax" || p.task == "cnn" || p.task.rfind("net:", 0) == 0,
            "task must be softmax, cnn or net:LAYERS, got '{}'",
            p.task);
    Require(p.rounds >= 2, "rounds must be at least 2, got ", p.rounds);
    Require(p.starts >= 1 && p.iterations >= 1, "starts and iterations must be at least 1");
}

} // namespace

int
main(int argc, char* argv[])
{
    return RunStudy(PROGRAM, [&] {
        ImageParameters p(PROGRAM);
        p.data = "glyphs";
        p.network = "p2p";
        p.idealTransport = "tcp"; // the same over every network
        Parse(argc, argv, p);
        SetSteps(p.GetSteps(), p.window);
        const ResultsDirectory made(p.out);
        return RunLevels(p);
    });
}
