/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * How long a model takes to a process of Python and back, which returns it as it is: the cost of a
 * learner beside that of its training.
 */

#include "dlearn-benchmark-row.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-external-task.h"
#include "ns3/dlearn-program.h"
#include "ns3/string.h"

#include <chrono>
#include <cstring>

namespace ns3::dlearn
{
namespace
{

constexpr double GOOD_SPEED = 1e9; //!< bytes a second, each way, of models above a million numbers

template <typename Work>
double
MeasureTime(const Work& work)
{
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void
RunRounds(uint32_t rounds)
{
    BenchmarkRow::PrintHeader();
    for (const uint32_t size : {7850, 431080, 11000000})
    {
        const auto task = CreateObjectWithAttributes<ExternalTask>(
            "Command",
            StringValue("python3 -c 'import dlearn_learner; "
                        "dlearn_learner.serve(train=lambda model, config: (model, 1, {}), "
                        "initial=lambda config: [0.0] * " +
                        std::to_string(size) + ", samples=1)'"));
        task->Start(1, nullptr, nullptr);
        ModelVector model = ModelVector::Random(size);
        ModelVector copy = model;
        const double bytes = 2.0 * sizeof(double) * size;
        BenchmarkRow row("train, " + std::to_string(size) + " numbers", "ms", "1 GB/s");
        if (size > 1000000)
        {
            row.SetWanted(1);
        }
        for (uint32_t round = 0; round < rounds; ++round)
        {
            const double time = MeasureTime([&] { task->Train(1, round, {0}, {}, model); });
            Require(model == copy, "the model must come back as it was");
            row.Add(1e3 * time, time / (bytes / GOOD_SPEED));
        }
        row.Print();
        task->Dispose();
    }
}

} // namespace
} // namespace ns3::dlearn

int
main(int argc, char* argv[])
{
    using namespace ns3::dlearn;
    return RunGuarded("dlearn-learner-benchmark", [&] {
        uint32_t rounds = 7;
        ProgramArguments arguments(__FILE__);
        arguments.AddValue("rounds", "How often everything is measured, at least 1.", rounds);
        arguments.Parse(argc, argv);
        Require(rounds >= 1, "rounds must be at least 1, got 0");
        RunRounds(rounds);
    });
}
