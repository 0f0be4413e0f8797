/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * The result of a robust rule for given vectors. Reads one vector a line, aggregates them,
 * and prints the aggregate in one line of 17 digits a number, which is exact:
 *
 *   dlearn-aggregate --in=vectors.csv --aggregator=Caf --f=2
 *   dlearn-aggregate --in=vectors.csv --aggregator=GeometricMedian:tolerance=1e-9 --pre=Nnm --f=2
 *   dlearn-aggregate --in=honest.csv --aggregator=TrimmedMean --f=2 --attack=Alie:tau=1.5
 *
 * --f is how many vectors may be Byzantine. With an attack, the file has the honest vectors
 * only, and f forged ones, at least 1, are added behind them. Several pre-aggregations are written
 * --pre=Arc+Nnm, the first first. Vectors that are not finite are left out, each as one of the f,
 * and reported on stderr.
 *
 * Exit status: 0, or 1 with one line on stderr when an option or the file is wrong, or when
 * there are fewer than 2f + 1 finite vectors.
 */

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-component-parser.h"
#include "ns3/dlearn-files.h"
#include "ns3/dlearn-program.h"
#include "ns3/dlearn-text-format.h"

#include <cmath>
#include <iostream>
#include <limits>
#include <map>
#include <string>

using namespace ns3;
using namespace ns3::dlearn;

namespace
{

/** The options. */
struct Parameters
{
    std::string in;
    std::string aggregator{"Average"};
    std::string pre;
    std::string attack;
    int64_t f{0}; // signed so that -1 is refused

    void Parse(int argc, char* argv[]);
};

/** @return the names of a family, each with its first parameter */
std::string
List(const ComponentFamily& family)
{
    return JoinNames(GetComponentUsages(family));
}

void
Parameters::Parse(int argc, char* argv[])
{
    ProgramArguments arguments(__FILE__);
    arguments.Usage("Aggregate the vectors of a file. Some may be Byzantine.");
    arguments.AddValue("in", "CSV file: one vector a line", in);
    arguments.AddValue("aggregator",
                       "NAME[:value][,parameter=value]...: " + List(GetAggregatorFamily()),
                       aggregator);
    arguments.AddValue("f", "How many vectors may be Byzantine, less than half", f);
    arguments.AddValue("pre",
                       "Before it, joined by +: " + List(GetPreAggregatorFamily()),
                       pre,
                       {"pre-aggregator"});
    arguments.AddValue("attack", "Add f forged vectors: " + List(GetAttackFamily()), attack);
    arguments.Parse(argc, argv);
    Require(!in.empty(), "--in=FILE.csv must name a file");
    Require(f >= 0 && f <= 1000000000, "f must be from 0 to less than n / 2, got ", f);
    Require(f > 0 || attack.empty(), "attack {} needs f of at least 1, got 0", attack);
}

/** @return honest vectors, and f forged ones behind them */
RowMatrix<double>
AddForgedVectors(const RowMatrix<double>& honest, const Parameters& parameters, Aggregator& defence)
{
    const auto f = static_cast<uint32_t>(parameters.f);
    const auto attack = ParseAttack(parameters.attack);
    attack->AssignStreams(1000);
    RowMatrix<double> all(honest.rows() + f, honest.cols());
    all.topRows(honest.rows()) = honest;
    const HonestView view{honest, f, [&defence, f](RowMatrixRef<double> rows) {
                              return defence.Aggregate(rows, f).vector;
                          }};
    all.bottomRows(f).rowwise() = attack->Forge(view).transpose();
    return all;
}

void
PrintVector(const ModelVector& vector)
{
    for (Eigen::Index k = 0; k < vector.size(); ++k)
    {
        std::cout << (k == 0 ? "" : ",") << FormatRounded(vector(k), 17);
    }
    std::cout << std::endl;
}

} // namespace

int
main(int argc, char* argv[])
{
    return RunGuarded("dlearn-aggregate", [&] {
        Parameters parameters;
        parameters.Parse(argc, argv);
        const auto aggregator = ParseAggregator(parameters.aggregator);
        AddPreAggregators(parameters.pre, aggregator);
        aggregator->AssignStreams(0);
        RowMatrix<double> rows = ReadCsvRows(parameters.in);
        const auto f = static_cast<uint32_t>(parameters.f);
        const size_t count = rows.rows() + (parameters.attack.empty() ? 0 : f);
        aggregator->RequireMinority("f", f, count, "vectors");
        if (const auto weakness = aggregator->FindWeakness(f, count); !weakness.empty())
        {
            std::cerr << "dlearn-aggregate: warning: " << weakness << "\n";
        }
        if (!parameters.attack.empty())
        {
            rows = AddForgedVectors(rows, parameters, *aggregator);
        }
        const auto result = aggregator->Aggregate(rows, f);
        for (const uint32_t i : result.excluded)
        {
            std::cerr << "dlearn-aggregate: vector " << i + 1 << " is not finite, or has "
                      << "numbers above 1e150, whose squares are not: left out\n";
        }
        Require(result.IsUsable(),
                "only {} of {} vectors are usable, and f={} needs at least {}",
                result.used,
                rows.rows(),
                parameters.f,
                2 * parameters.f + 1);
        PrintVector(result.vector);
    });
}
