/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * What robust aggregation costs: 100 vectors of 431,080 floats (a small neural network), 10 of
 * them Byzantine, on one thread, against what no rule can do without.
 *
 * Rules on inner products are compared with one product of the matrix with itself, by the same
 * BLAS and in one call where that is OpenBLAS, and one pass over the matrix (the mean of the
 * rows); coordinate-wise ones with a copy of the matrix. All are timed in turn, round by round,
 * so that a machine whose speed drifts slows all (BenchmarkRow). Memory is the largest that the
 * process ever had beyond the matrix itself, relative to it.
 *
 *   dlearn-aggregator-benchmark [--rounds=...]
 */

#include "dlearn-benchmark-row.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-component-parser.h"
#include "ns3/dlearn-gram-geometry.h"
#include "ns3/dlearn-program.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <sys/resource.h>
#include <vector>

#ifdef DLEARN_WITH_OPENBLAS
#include <cblas.h>
#endif

using namespace ns3;
using namespace ns3::dlearn;

namespace
{

constexpr int VECTORS = 100;
constexpr int BYZANTINE = 10;
constexpr int DIMENSION = 431080;

using Inputs = RowMatrix<float>;

/** @return normal numbers; the Byzantine rows are farther out, in one direction */
Inputs
MakeInputs()
{
    std::mt19937 generator(1);
    std::normal_distribution<float> normal;
    Inputs inputs = Inputs::NullaryExpr(VECTORS, DIMENSION, [&] { return normal(generator); });
    inputs.bottomRows(BYZANTINE).array() += 1;
    return inputs;
}

/** One product of the matrix with itself. */
float
Square(const Inputs& inputs)
{
    Eigen::MatrixXf square = Eigen::MatrixXf::Zero(VECTORS, VECTORS);
#ifdef DLEARN_WITH_OPENBLAS
    openblas_set_num_threads(1);
    cblas_ssyrk(CblasColMajor,
                CblasLower,
                CblasTrans,
                VECTORS,
                DIMENSION,
                1,
                inputs.data(),
                DIMENSION,
                0,
                square.data(),
                VECTORS);
#else
    square.selfadjointView<Eigen::Lower>().rankUpdate(inputs);
#endif
    return square(1, 0);
}

/** One pass over the matrix. */
float
Pass(const Inputs& inputs)
{
    Eigen::RowVectorXf sum = Eigen::RowVectorXf::Zero(DIMENSION);
    constexpr Eigen::Index BLOCK = 4096; // faster than 1024
    for (Eigen::Index begin = 0; begin < DIMENSION; begin += BLOCK)
    {
        const Eigen::Index width = std::min<Eigen::Index>(BLOCK, DIMENSION - begin);
        for (Eigen::Index i = 0; i < VECTORS; ++i)
        {
            sum.segment(begin, width) += inputs.row(i).segment(begin, width);
        }
    }
    return sum(0);
}

/** @return wall milliseconds */
double
MeasureTime(const std::function<float()>& work)
{
    const auto start = std::chrono::steady_clock::now();
    const volatile float result = work(); // keeps the compiler from leaving the work out
    static_cast<void>(result);
    const std::chrono::duration<double, std::milli> wall = std::chrono::steady_clock::now() - start;
    return wall.count();
}

/** @return bytes that the process has had at most */
double
GetPeakBytes()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss * 1024.0;
}

/** A rule, and what it is compared with. */
struct Contender
{
    std::string pre;  //!< pre-aggregations
    std::string rule; //!< the rule
    bool coordinates; //!< compared with a copy, else with product and pass
    BenchmarkRow row; //!< what was measured
};

/** @return what is measured of a rule on inner products */
Contender
OnProducts(const std::string& pre, const std::string& rule)
{
    return {pre, rule, false, {pre + rule, "ms", "SYRK and pass"}};
}

/** @return what is measured of a rule on each coordinate */
Contender
OnCoordinates(const std::string& rule)
{
    return {"", rule, true, {rule, "ms", "memcpy"}};
}

void
RunRounds(uint32_t rounds)
{
    const Inputs inputs = MakeInputs();
    const double bytes = sizeof(float) * static_cast<double>(inputs.size());
    const double before = GetPeakBytes();
    std::vector<Contender> contenders{
        OnProducts("", "Average"),
        OnProducts("", "Caf"),
        OnProducts("", "MultiKrum"),
        OnProducts("", "GeometricMedian"),
        OnProducts("Nnm", "Average"),
        OnCoordinates("Median"),
        OnCoordinates("TrimmedMean"),
        OnCoordinates("Meamed"),
    };
    const auto run = [&](const Contender& contender) {
        const auto aggregator = ParseAggregator(contender.rule);
        AddPreAggregators(contender.pre, aggregator);
        return aggregator->Aggregate(inputs, BYZANTINE).vector(0);
    };
    for (Contender& contender : contenders)
    {
        contender.row.SetWanted(contender.coordinates ? 15 : 1.15);
        run(contender);
    }
    BenchmarkRow memory("memory beyond the input", "x input");
    memory.Add((GetPeakBytes() - before) / bytes);

    Inputs copy = inputs;
    BenchmarkRow product("SYRK", "ms");
    BenchmarkRow pass("pass", "ms");
    BenchmarkRow copying("memcpy", "ms");
    for (uint32_t round = 0; round < rounds; ++round)
    {
        const double square = MeasureTime([&] { return Square(inputs); });
        const double sum = MeasureTime([&] { return Pass(inputs); });
        const double moved = MeasureTime([&] {
            std::memcpy(copy.data(), inputs.data(), bytes);
            return copy(0, round);
        });
        product.Add(square);
        pass.Add(sum);
        copying.Add(moved);
        for (Contender& contender : contenders)
        {
            const double time = MeasureTime([&] { return run(contender); });
            contender.row.Add(time, time / (contender.coordinates ? moved : square + sum));
        }
    }
    BenchmarkRow::PrintHeader();
    for (const BenchmarkRow* row : {&product, &pass, &copying, &memory})
    {
        row->Print();
    }
    for (const Contender& contender : contenders)
    {
        contender.row.Print();
    }
}

} // namespace

int
main(int argc, char* argv[])
{
    return RunGuarded("dlearn-aggregator-benchmark", [&] {
        uint32_t rounds = 7;
        ProgramArguments arguments(__FILE__);
        arguments.AddValue("rounds", "How often everything is measured, at least 1.", rounds);
        arguments.Parse(argc, argv);
        Require(rounds >= 1, "rounds must be at least 1, got 0");
        RunRounds(rounds);
    });
}
