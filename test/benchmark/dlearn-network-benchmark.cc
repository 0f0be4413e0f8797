/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * How fast the default network of NeuralNetworkTask (431,080 parameters) learns: images a second,
 * forwards and back, of 28 x 28 pixels, at batches of 50, with doubles outside and floats
 * inside; without clipping, with clipping of every image's gradient, and forwards only; and what
 * a second thread adds that works for another learner.
 *
 * The rates of one thread are those of the time that it had a processor, those of two are by the
 * clock on the wall.
 *
 *   dlearn-network-benchmark [--trials=...] [--seconds=...] [--torch=FILE] [--image=CxHxW]
 *
 * With a FILE also how fast TorchTask is with the network in that TorchScript file, on images of
 * 1 x 28 x 28 values or of those given; examples/torch/networks.py writes such files, "cnn" the
 * very same network.
 */

#include "dlearn-benchmark-row.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-matrix-product.h"
#include "ns3/dlearn-neural-network-task.h"
#include "ns3/dlearn-program.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/dlearn-torch-task.h"
#include "ns3/string.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <random>
#include <thread>
#include <vector>

using namespace ns3;
using namespace ns3::dlearn;

namespace
{

constexpr uint32_t IMAGES = 1000;
constexpr uint32_t BATCH = 50;

/** @return random images; their speed does not depend on what they show */
DatasetPtr
MakeImages(ImageShape shape)
{
    std::mt19937 generator(1);
    std::uniform_real_distribution<double> uniform;
    auto data = std::make_shared<Dataset>();
    data->name = "random";
    data->classes = 10;
    data->shape = shape;
    data->features = Eigen::MatrixXd::NullaryExpr(static_cast<Eigen::Index>(shape.GetSize()),
                                                  IMAGES,
                                                  [&] { return uniform(generator); });
    data->labels =
        Eigen::VectorXd::NullaryExpr(IMAGES, [&] { return std::floor(10 * uniform(generator)); });
    return data;
}

/** One learner's work. */
class Learner
{
  public:
    Learner(Ptr<const Task> task, int64_t stream)
        : m_task(PeekPointer(task)),
          m_model(m_task->DrawInitialModel(stream)),
          m_gradient(m_model.size())
    {
        for (uint32_t k = 0; k < IMAGES; ++k)
        {
            m_order.push_back((k * 7919) % IMAGES); // neighbours lie apart, as in a shuffle
        }
    }

    /** @param clipNorm see Task::ClippedGradient() */
    void Train(double clipNorm)
    {
        const SampleIndices batch(m_order.begin() + m_next, m_order.begin() + m_next + BATCH);
        m_next = (m_next + BATCH) % IMAGES;
        m_task->ClippedGradient(m_model, EqualWeights(batch), clipNorm, m_gradient);
        m_model -= 1e-3 * m_gradient;
    }

    /** Forwards only. */
    void Evaluate()
    {
        const volatile double loss =
            m_task->GetLoss(m_model, EqualWeights({m_order.begin(), m_order.begin() + BATCH}));
        static_cast<void>(loss);
    }

  private:
    const Task* m_task;     //!< counts of references are not for several threads
    ModelVector m_model;    //!< its model
    ModelVector m_gradient; //!< the last one
    SampleIndices m_order;  //!< of the images
    size_t m_next{0};       //!< where the next batch begins
};

/** @return seconds that the calling thread had a processor */
double
GetThreadSeconds()
{
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/** Images a second. */
struct Rate
{
    double wall; //!< by the clock on the wall
    double busy; //!< by the time that the thread had a processor
};

/** @return images a second that one call after the other gets through */
Rate
Measure(double seconds, const std::function<void()>& work)
{
    const auto start = std::chrono::steady_clock::now();
    const double busy = GetThreadSeconds();
    std::chrono::duration<double> wall{0};
    double images = 0;
    while (wall.count() < seconds)
    {
        work();
        images += BATCH;
        wall = std::chrono::steady_clock::now() - start;
    }
    return {images / wall.count(), images / (GetThreadSeconds() - busy)};
}

/** @param name who computes; @param task what; @param trials how often; @param seconds of one */
void
Compare(const std::string& name, Ptr<const Task> task, uint32_t trials, double seconds)
{
    Learner first(task, 1);
    Learner second(task, 2);
    const std::string images = "images/s";
    BenchmarkRow plain(name + ": gradient", images + " of a processor");
    BenchmarkRow clipped(name + ": images clipped", images + " of a processor", "gradient");
    BenchmarkRow forwards(name + ": loss", images + " of a processor", "gradient");
    BenchmarkRow both(name + ": two threads", images, "gradient");
    clipped.SetWanted(1 / 0.85);
    both.SetWanted(1 / 1.85);
    for (uint32_t trial = 0; trial < trials; ++trial)
    {
        const Rate gradient = Measure(seconds, [&] { first.Train(0); });
        plain.Add(gradient.busy);
        const Rate bounded = Measure(seconds, [&] { first.Train(1); });
        clipped.Add(bounded.busy, gradient.busy / bounded.busy);
        const Rate loss = Measure(seconds, [&] { first.Evaluate(); });
        forwards.Add(loss.busy, gradient.busy / loss.busy);
        Rate other{};
        std::thread thread([&] { other = Measure(seconds, [&] { second.Train(0); }); });
        const Rate own = Measure(seconds, [&] { first.Train(0); });
        thread.join();
        both.Add(own.wall + other.wall, gradient.wall / (own.wall + other.wall));
    }
    for (const BenchmarkRow* row : {&plain, &clipped, &forwards, &both})
    {
        row->Print();
    }
}

/** Parse the command line and measure. */
void
Benchmark(int argc, char* argv[])
{
    uint32_t trials = 5;
    double seconds = 1;
    std::string file;
    std::string sizes = "1x28x28";
    ProgramArguments arguments(__FILE__);
    arguments.AddValue("trials", "How often everything is measured, at least 1.", trials);
    arguments.AddValue("seconds", "How long a measurement takes.", seconds);
    arguments.AddValue("torch", "TorchScript file of a network to measure, too.", file);
    arguments.AddValue("image", "Channels, height and width of the images of that network.", sizes);
    arguments.Parse(argc, argv);
    Require(trials >= 1, "trials must be at least 1, got 0");
    RequirePositive("dlearn-network-benchmark", "seconds", seconds);
    const auto shape = ParseWholeNumbers(sizes, 'x');
    Require(shape && shape->size() == 3, "image must be CHANNELSxHEIGHTxWIDTH, got '", sizes, "'");
    const auto task = CreateObject<NeuralNetworkTask>();
    task->SetData(MakeImages({1, 28, 28}), nullptr);
    BenchmarkRow::PrintHeader();
    Compare("cnn", task, trials, seconds);
    if (!file.empty())
    {
        const auto torch = CreateObject<TorchTask>();
        torch->SetAttribute("File", StringValue(file));
        torch->SetData(MakeImages({(*shape)[0], (*shape)[1], (*shape)[2]}), nullptr);
        Compare("LibTorch", torch, trials, seconds);
    }
}

} // namespace

int
main(int argc, char* argv[])
{
    return RunGuarded("dlearn-network-benchmark", [&] { Benchmark(argc, argv); });
}
