/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * How well a task can be learned when all data are in one place and no network is in between: what
 * distributed learning is to be measured by. Stochastic gradient descent with momentum,
 *
 *   m <- momentum m + gradient of a batch,   theta <- theta - step m,
 *
 * over all training samples in a new random order each epoch, with a step that falls to 0 along
 * half a cosine.
 *
 *   dlearn-study-central                     (softmax and cnn on MNIST, 10 epochs)
 *   dlearn-study-central --quick             (cnn for 2 epochs)
 *   dlearn-study-central --data=fashion-mnist --tasks=net:fc100,relu,fc10
 *
 * Writes central.csv (task,epoch,loss,accuracy) and the figure central. Exit status: 0; with MNIST
 * 1 when softmax or cnn is worse than it should be; 1 after an error with one line on stderr.
 */

#include "dlearn-study-figure.h"
#include "dlearn-study-parameters.h"
#include "dlearn-study-report.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-data-loader.h"
#include "ns3/dlearn-results-writer.h"
#include "ns3/dlearn-seeded-random.h"
#include "ns3/dlearn-text-format.h"

#include <chrono>
#include <cmath>
#include <fstream>
#include <iomanip>
#include <iostream>

using namespace ns3;
using namespace ns3::dlearn;

namespace
{

const std::string PROGRAM = "dlearn-study-central";

/** The options. */
struct CentralParameters : StudyParameters
{
    using StudyParameters::StudyParameters;

    std::string tasks{"softmax+cnn"};
    uint32_t epochs{10};
    uint32_t batch{50};
    double stepSize{0.01};
    double momentum{0.9};
    double regularization{1e-4};
    bool unitNorm{false};

    void Read(int argc, char* argv[]);
};

void
CentralParameters::Read(int argc, char* argv[])
{
    ProgramArguments arguments(__FILE__);
    arguments.Usage("Learn in one place, without a network: what a task and its data allow.");
    AddData(arguments, GetDataNames());
    arguments.AddValue("tasks",
                       "softmax, cnn, net:LAYERS, torch:FILE or others, joined by +",
                       tasks);
    arguments.AddValue("epochs", "passes over the training data", epochs);
    arguments.AddValue("batch", "samples of a step", batch);
    arguments.AddValue("step-size", "of the first step", stepSize);
    arguments.AddValue("momentum", "from 0 to less than 1", momentum);
    arguments.AddValue("regularization", "strength of the l2 regularization", regularization);
    arguments.AddValue("unit-norm", "divide features by the largest norm of a sample", unitNorm);
    AddCommon(arguments, "two epochs of cnn: half a minute of one core");
    Parse(arguments, argc, argv);
    if (quick)
    {
        tasks = "cnn";
        epochs = 2;
    }
    Require(epochs >= 1 && epochs <= 100000, "epochs must be from 1 to 100000, got ", epochs);
    Require(batch >= 1, "batch must be at least 1");
    RequirePositive(program, "step-size", stepSize);
    Require(momentum >= 0 && momentum < 1, "momentum must be in [0, 1), got ", momentum);
}

/** One pass over the training data, in a new order. */
void
TrainEpoch(const CentralParameters& p,
           const Task& task,
           uint32_t epoch,
           UniformRandomVariable& random,
           ModelVector& theta,
           ModelVector& moment)
{
    const uint32_t size = task.GetTrain().GetSize();
    const SampleIndices order = RandomOrder(size, random);
    ModelVector gradient(theta.size());
    for (uint32_t first = 0; first < size; first += p.batch)
    {
        const uint32_t end = std::min(first + p.batch, size);
        task.BatchGradient(theta, {order.begin() + first, order.begin() + end}, gradient);
        const double done = (epoch + static_cast<double>(first) / size) / p.epochs;
        moment = p.momentum * moment + gradient;
        theta -= p.stepSize * 0.5 * (1 + std::cos(M_PI * done)) * moment;
    }
}

/**
 * Train one task.
 *
 * @return accuracy after each epoch; at 0 of the initial model
 */
FigureSeries
Train(const CentralParameters& p,
      const std::string& name,
      const LoadedData& data,
      std::ostream& csv)
{
    const auto task = CreateTask(name, data, p.regularization);
    ModelVector theta = task->DrawInitialModel(1);
    ModelVector moment = ModelVector::Zero(theta.size());
    const auto random = CreateSeeded<UniformRandomVariable>(2, 0);
    const SampleIndices scored = RandomOrder(data.train->GetSize(), *random);
    const auto some =
        EqualWeights({scored.begin(), scored.begin() + std::min<size_t>(scored.size(), 5000)});
    FigureSeries series{name, {}, {}};
    std::cout << name << ", " << theta.size() << " parameters\n"
              << "  epoch      loss  accuracy  samples/s\n";
    double rate = 0;
    for (uint32_t epoch = 0; epoch <= p.epochs; ++epoch)
    {
        if (epoch > 0)
        {
            const auto start = std::chrono::steady_clock::now();
            TrainEpoch(p, *task, epoch - 1, *random, theta, moment);
            const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
            rate = data.train->GetSize() / wall.count();
        }
        const double loss = task->GetLoss(theta, some);
        const double accuracy = task->GetAccuracy(theta);
        series.x.push_back(epoch);
        series.y.push_back(accuracy);
        csv << name << "," << epoch << "," << FormatShortest(loss) << ","
            << FormatShortest(accuracy) << "\n";
        std::cout << std::fixed << std::setw(7) << epoch << std::setprecision(4) << std::setw(10)
                  << loss << std::setw(10) << accuracy << std::setprecision(0) << std::setw(11)
                  << rate << std::endl;
    }
    return series;
}

/** @return whether the tasks are as good as they should be */
bool
RunTasks(const CentralParameters& p)
{
    DataOptions options;
    options.data = p.data;
    options.directory = p.dataDir;
    options.unitNorm = p.unitNorm;
    const LoadedData data = LoadData(options);
    const ResultsDirectory made(p.out);
    std::ofstream csv(p.out + "/central.csv");
    csv << "task,epoch,loss,accuracy\n";
    StudyFigure plot("Learning in one place: " + p.data, "epoch", "accuracy");
    bool good = true;
    for (const std::string& name : SplitText(p.tasks, '+'))
    {
        const FigureSeries series = Train(p, name, data, csv);
        plot.Add(series);
        const double best = name == "cnn" ? (p.quick ? 0.98 : 0.985) : 0.915;
        if (p.data == "mnist" && (name == "cnn" || name == "softmax"))
        {
            good &= Check(series.y.back() > best,
                          name + " classifies over " + FormatShortest(100 * best) + " % rightly");
        }
    }
    csv.flush();
    Require(csv.good(), "cannot write {}/central.csv", p.out);
    plot.Write(p.out + "/central.figure.csv");
    std::cout << "Table and figure: " << p.out << "\n";
    return good;
}

} // namespace

int
main(int argc, char* argv[])
{
    return RunStudy(PROGRAM, [&] {
        CentralParameters p(PROGRAM);
        p.Read(argc, argv);
        return RunTasks(p);
    });
}
