/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-oracle-support.h"

#include "ns3/dlearn-component-parser.h"
#include "ns3/dlearn-vector-attacks.h"

#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>

using namespace ns3;
using namespace ns3::dlearn;
using namespace ns3::dlearn::test;
using nlohmann::json;

namespace
{

/** Defences by their names in the files; the geometric median with ByzFL's defaults. */
const std::map<std::string, std::pair<std::string, std::string>> DEFENCES{
    {"TrMean", {"", "TrimmedMean"}},
    {"NNM+TrMean", {"Nnm", "TrimmedMean"}},
    {"Median", {"", "Median"}},
    {"NNM+Median", {"Nnm", "Median"}},
    {"Clipping2+Average", {"Clipping:c=2", "Average"}},
    {"NNM+GeometricMedian", {"Nnm", "GeometricMedian:nu=0.1,t=3"}},
    {"MultiKrum", {"", "MultiKrum"}},
    {"Meamed", {"", "Meamed"}},
};

/** Sums in another order: 1e-10 of the largest number, here and for distances. */
constexpr double TOLERANCE = 1e-10;

void
ExpectClose(const ModelVector& got, const ModelVector& wanted)
{
    ASSERT_EQ(got.size(), wanted.size());
    const double scale = std::max(wanted.cwiseAbs().maxCoeff(), 1e-300);
    EXPECT_LE((got - wanted).cwiseAbs().maxCoeff(), TOLERANCE * scale)
        << got.transpose() << " instead of " << wanted.transpose();
}

/** @return the number of an attack with one; nothing is searched */
ModelVector
ForgeFixed(const std::string& name, const RowMatrix<double>& honest, const json& parameters)
{
    if (name == "SignFlipping")
    {
        return ForgeInnerProduct(honest, 1);
    }
    if (name.rfind("Inner", 0) == 0)
    {
        return ForgeInnerProduct(honest, parameters.at("tau").get<double>());
    }
    if (name.rfind("ALittle", 0) == 0)
    {
        return ForgeAlie(honest, parameters.at("tau").get<double>());
    }
    return honest.row(parameters.at("epsilon").get<uint32_t>()).transpose(); // Mimic
}

/**
 * The defence against the values of tau that were tried: the same distances. And where no
 * rounding decides, the same search.
 */
void
CheckOptimal(const std::string& name, const RowMatrix<double>& honest, const json& result)
{
    const json& parameters = result.at("params");
    const auto& [pre, rule] = DEFENCES.at(parameters.at("agg").get<std::string>());
    const auto aggregator = ParseAggregator(rule);
    AddPreAggregators(pre, aggregator);
    const auto f = parameters.at("f").get<uint32_t>();
    const HonestView view{honest, f, [&](RowMatrixRef<double> rows) {
                              return aggregator->Aggregate(rows, f).vector;
                          }};
    const bool alie = name.find("ALittle") != std::string::npos;
    const ModelVector mean = honest.colwise().mean().transpose();
    RowMatrix<double> all(honest.rows() + f, honest.cols());
    all.topRows(honest.rows()) = honest;
    const json& aux = result.at("aux");
    for (const json& step : aux.at("trajectory"))
    {
        const double tau = step[0].get<double>();
        const ModelVector forged = alie ? ForgeAlie(honest, tau) : ForgeInnerProduct(honest, tau);
        all.bottomRows(f).rowwise() = forged.transpose();
        const double distance = (view.defence(all) - mean).norm();
        ASSERT_NEAR(distance, step[1].get<double>(), TOLERANCE * std::max(1.0, mean.norm()))
            << "tau " << tau;
    }
    if (aux.at("min_relative_comparison_margin").get<double>() > 1e-9)
    {
        const auto attack =
            DynamicCast<OptimalAttack>(ParseAttack(alie ? "OptimalAlie" : "OptimalInnerProduct"));
        const LineSearch search = attack->Search(view);
        EXPECT_NEAR(search.best, aux.at("tau_opt").get<double>(), 1e-12 * search.best);
        EXPECT_EQ(search.evaluated.size(), aux.at("trajectory").size());
        ExpectClose(attack->Forge(view), ReadVector(result.at("out")));
    }
}

} // namespace

TEST(AttackOracle, AgreesWithReferenceValues)
{
    std::set<std::string> checked;
    for (const auto& path : FindOracles())
    {
        const json file = ReadJson(path);
        if (!file.is_object() || !file.contains("H"))
        {
            continue;
        }
        const RowMatrix<double> honest = ReadRows(file.at("H"));
        for (const auto& [name, result] : file.at("results").items())
        {
            SCOPED_TRACE(path.filename().string() + ": " + name);
            if (name.rfind("Optimal", 0) == 0)
            {
                CheckOptimal(name, honest, result);
            }
            else if (name != "Inf")
            {
                ExpectClose(ForgeFixed(name, honest, result.at("params")),
                            ReadVector(result.at("out")));
            }
            checked.insert(name.substr(0, name.find_first_of("_[")));
        }
    }
    if (checked.empty())
    {
        GTEST_SKIP() << "no reference values: set DLEARN_ORACLES to their folder";
    }
    EXPECT_GE(checked.size(), 6u);
}

TEST(AttackOracle, DerivesTheDeviationOfAlie)
{
    int checked = 0;
    for (const auto& path : FindOracles())
    {
        if (path.filename() != "alie_zmax.json")
        {
            continue;
        }
        const json file = ReadJson(path);
        for (const json& row : file.at("rows"))
        {
            const auto n = row.at("n").get<uint32_t>();
            const auto f = row.at("f").get<uint32_t>();
            const double wanted = ReadNumber(row.at("z_max"));
            if (std::isfinite(wanted) && 2 * f < n)
            {
                EXPECT_NEAR(GetAlieDeviation(n, f), wanted, 1e-12) << "n=" << n << ", f=" << f;
                ++checked;
            }
        }
    }
    if (checked == 0)
    {
        GTEST_SKIP() << "no reference values: set DLEARN_ORACLES to their folder";
    }
}
