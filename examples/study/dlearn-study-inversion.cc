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
 * c = 0, which the paper does not have, tells what the attack is worth without noise.
 *
 * Writes a table (CSV) and figures (SVG). Exit status: 0 when with more noise the accuracy falls
 * and the inversion error rises, 1 when not, or after an error with one line on stderr.
 */

#include "dlearn-study-report.h"

#include "ns3/config.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-gradient-estimator.h"
#include "ns3/dlearn-peer-scenario.h"
#include "ns3/dlearn-privacy-ledger.h"
#include "ns3/dlearn-program.h"
#include "ns3/dlearn-results-writer.h"
#include "ns3/dlearn-softmax-inversion.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <memory>

using namespace ns3;
using namespace ns3::dlearn;

namespace
{

const std::string PROGRAM = "dlearn-study-inversion";

/** What the command line can say. */
struct Parameters
{
    std::string data{"glyphs"};
    std::string dataDir;
    std::string task{"softmax"};
    std::string partition{"iid"};
    std::string network{"p2p"};
    std::string transport{"tcp"};
    uint32_t batch{1}; //!< N_i is not in the paper; an average of more images hides each
    uint32_t window{0};
    double coupling{1}; //!< gamma_0; with the 0.01 of section VII-B the noise does nothing
    uint32_t rounds{0}; //!< 0: 500, 200 if quick, 3000 if full
    uint32_t runs{0};   //!< 0: 3, or 1 if quick
    uint32_t starts{1};
    uint32_t iterations{300};
    bool quick{false};
    bool full{false};
    std::string out{"results/study-inversion"};

    void Parse(int argc, char* argv[]);
    void Validate() const;
    LdpOnlineSteps GetSteps() const;
    PeerOptions MakeScenario(double factor) const;
};

void
Parameters::Parse(int argc, char* argv[])
{
    ProgramArguments arguments(__FILE__);
    arguments.Usage("Gradient inversion by an eavesdropper on LDP-OL: Table II of Chen and Wang.");
    arguments.AddValue("data", "glyphs, mnist, fashion-mnist or cifar10", data);
    arguments.AddValue("data-dir", "where data sets lie; default DLEARN_DATA", dataDir);
    arguments.AddValue("task", "softmax, cnn, net:LAYERS or torch:FILE", task);
    arguments.AddValue("network", "p2p, csma or wifi-adhoc, for instance", network);
    arguments.AddValue("transport", "udp, broadcast or tcp", transport);
    arguments.AddValue("partition", "iid, label, sorted or dirichlet:ALPHA", partition);
    arguments.AddValue("coupling", "gamma_0", coupling);
    arguments.AddValue("batch", "new samples of each learner in each round", batch);
    arguments.AddValue("window", "newest batches in a gradient; 0: all, as in the paper", window);
    arguments.AddValue("rounds", "rounds; 0: 500, 200 if quick, 3000 if full", rounds);
    arguments.AddValue("runs", "runs to average, from --RngRun on; 0: 3, or 1 if quick", runs);
    arguments.AddValue("starts", "gradient matching: images to start from", starts);
    arguments.AddValue("iterations", "gradient matching: of L-BFGS, at most", iterations);
    arguments.AddValue("quick", "fewer rounds, one run", quick);
    arguments.AddValue("full", "the paper's rounds", full);
    arguments.AddValue("out", "directory of the results", out);
    arguments.Parse(argc, argv);
    runs = runs > 0 ? runs : (quick ? 1 : 3);
    rounds = rounds > 0 ? rounds : (quick ? 200 : (full ? 3000 : 500));
}

void
Parameters::Validate() const
{
    Require(!(quick && full), "quick and full exclude each other");
    Require(task == "softmax" || task == "cnn" || task.rfind("net:", 0) == 0 ||
                task.rfind("torch:", 0) == 0,
            "task must be softmax, cnn, net:LAYERS or torch:FILE, got '",
            task,
            "'");
    Require(rounds >= 2, "rounds must be at least 2, got ", rounds);
    Require(starts >= 1 && iterations >= 1, "starts and iterations must be at least 1");
    Require(!out.empty(), "out must name a directory");
}

/** @return lambda_t and gamma_t, but for gamma_0 those of the paper's section VII-B */
LdpOnlineSteps
Parameters::GetSteps() const
{
    return {1, 0.71, coupling, 0.7};
}

/** @return a run with the noise of @p factor times the base level */
PeerOptions
Parameters::MakeScenario(double factor) const
{
    PeerOptions options(PROGRAM);
    options.data = data;
    options.dataDir = dataDir;
    options.task = task;
    options.unitNorm = false; // pixels from 0 to 1
    options.partition = partition;
    options.batch = batch;
    options.regularization = 0;
    options.rounds = rounds;
    options.evaluateEvery = rounds; // the last round is always evaluated
    options.noise = 0.05 * factor;
    options.network = network;
    options.transport = transport;
    return options;
}

/** Give LdpOnline the steps and the window. */
void
SetSteps(const LdpOnlineSteps& steps, uint32_t window)
{
    const std::string rule = "ns3::dlearn::LdpOnline::";
    Config::SetDefault(rule + "StepSize", DoubleValue(steps.stepSize));
    Config::SetDefault(rule + "StepExponent", DoubleValue(steps.stepExponent));
    Config::SetDefault(rule + "Coupling", DoubleValue(steps.coupling));
    Config::SetDefault(rule + "CouplingExponent", DoubleValue(steps.couplingExponent));
    Config::SetDefault(rule + "HistoryWindow", UintegerValue(window));
    // None: this is about what is really seen, and nobody knows the constant L of a network.
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

/** Mean over learners of what the attacker found. */
struct Loot
{
    double error{0};  //!< of images
    double labels{0}; //!< share that is right
    double black{0};  //!< error of black images
};

/**
 * @param p what to do
 * @param theta the overheard model
 * @param gradient its estimate
 * @param task the attacker's own
 * @return what is behind it
 */
InvertedGradient
Invert(const Parameters& p, ConstVectorRef theta, ConstVectorRef gradient, const Task& task)
{
    const auto& loss = dynamic_cast<const SampleLoss&>(task);
    if (p.task == "softmax" && p.batch == 1)
    {
        const uint32_t inputs = loss.GetInputs();
        return InvertSoftmaxGradient(inputs, theta, gradient, std::sqrt(inputs));
    }
    const auto random = CreateObject<UniformRandomVariable>();
    random->SetStream(1);
    InversionOptions options;
    options.samples = p.batch;
    options.starts = p.starts;
    options.iterations = p.iterations;
    return InvertGradient(loss, theta, gradient, options, *random);
}

/** @return share of the true labels that are among the found ones */
double
CountLabels(Eigen::VectorXd truth, Eigen::VectorXd found)
{
    std::sort(truth.begin(), truth.end());
    std::sort(found.begin(), found.end());
    Eigen::VectorXd common(truth.size());
    const auto end = std::set_intersection(truth.begin(),
                                           truth.end(),
                                           found.begin(),
                                           found.end(),
                                           common.begin());
    return static_cast<double>(end - common.begin()) / static_cast<double>(truth.size());
}

Loot
Attack(const Parameters& p, PeerScenario& scenario, const GradientEstimator& estimator)
{
    const Dataset& train = scenario.GetTask()->GetTrain();
    const auto data = std::make_shared<Dataset>(train);
    const Ptr<Task> task = CreateTask(p.task, {data, data}, 0);
    if (task->SetAttributeFailSafe("FloatBits", UintegerValue(64))) // differences need them
    {
        task->SetData(data, nullptr);
    }
    const auto& streams = scenario.GetStreams();
    Loot sum;
    for (LearnerId id = 0; id < streams.size(); ++id)
    {
        const auto estimate = estimator.Estimate(id, 0);
        Require(estimate.has_value(), "messages of learner ", id, " or its neighbours were lost");
        const SampleIndices& log = streams[id]->GetLog();
        const Dataset truth = Subset(train, {log.begin(), log.begin() + p.batch});
        const InvertedGradient found = Invert(p, *estimator.FindModel(id, 0), *estimate, *task);
        sum.error += GetInversionError(truth.features, found.features, 0, 1);
        sum.labels += CountLabels(truth.labels, found.labels);
        sum.black += truth.features.squaredNorm() / static_cast<double>(truth.features.size());
    }
    const auto learners = static_cast<double>(streams.size());
    return {sum.error / learners, sum.labels / learners, sum.black / learners};
}

void
AddRun(const Parameters& p, Level& level)
{
    PeerScenario scenario(p.MakeScenario(level.factor));
    GradientEstimator estimator(scenario.GetGraph(), p.GetSteps(), 1);
    const auto eavesdropper = CreateObject<Eavesdropper>();
    eavesdropper->TraceConnectWithoutContext("Overheard",
                                             MakeCallback(&GradientEstimator::Note, &estimator));
    for (const auto& learner : scenario.GetLearners())
    {
        const Ptr<Node> node = learner->GetNode();
        for (uint32_t k = 1; k < node->GetNDevices(); ++k) // the first is loopback
        {
            eavesdropper->Listen(node->GetDevice(k));
        }
    }
    std::ostream nowhere(nullptr);
    scenario.Run(nowhere);
    const Loot loot = Attack(p, scenario, estimator);
    level.accuracy.Add(scenario.GetSummaries().back().mean.accuracy);
    level.error.Add(loot.error);
    level.labels.Add(loot.labels);
    level.black.Add(loot.black);
}

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
    PlotSeries paperAccuracy{"paper", {}, {}};
    paperAccuracy.style = PlotSeries::Style::POINTS;
    PlotSeries paperError = paperAccuracy;
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
    SvgPlot accuracyPlot("Accuracy under noise", "noise factor", "test accuracy");
    accuracyPlot.Add(MakeSeries("dlearn", factors, accuracy));
    accuracyPlot.Add(paperAccuracy);
    accuracyPlot.Write(directory + "/inversion-accuracy.svg");
    SvgPlot errorPlot("What an eavesdropper sees of the images",
                      "noise factor",
                      "mean squared error of a pixel");
    errorPlot.Add(MakeSeries("dlearn", factors, error));
    errorPlot.Add(paperError);
    PlotSeries guess = MakeSeries("black images", factors, black);
    guess.style = PlotSeries::Style::DASHED;
    errorPlot.Add(guess);
    errorPlot.Write(directory + "/inversion-error.svg");
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
RunLevels(const Parameters& p)
{
    const double none = std::nan("");
    std::vector<Level> levels{{0, none, none},
                              {0.5, 0.9449, 0.2696},
                              {1, 0.9380, 0.2786},
                              {1.5, 0.8964, 0.2898},
                              {2, 0.8259, 0.3110}};
    std::cout << "Gradient inversion: " << p.data << ", " << p.task << ", " << p.rounds
              << " rounds, noise 0.05 c (t+1)^(0.1 + 0.01 i), mean of " << p.runs
              << " runs\n\n    c  accuracy  inversion error  labels found  black images | "
                 "paper: accuracy   error\n";
    for (Level& level : levels)
    {
        ForEachRun(p.runs, [&] { AddRun(p, level); });
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

} // namespace

int
main(int argc, char* argv[])
{
    Parameters parameters;
    bool good = true;
    const int status = RunGuarded(PROGRAM, [&] {
        parameters.Parse(argc, argv);
        parameters.Validate();
        SetSteps(parameters.GetSteps(), parameters.window);
        MakeResultsDirectory(parameters.out);
        good = RunLevels(parameters);
        std::cout << "\nTable and figures: " << parameters.out << "\n";
    });
    return status != 0 ? status : (good ? 0 : 1);
}
