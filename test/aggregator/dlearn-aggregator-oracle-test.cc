/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-oracle-support.h"

#include "ns3/dlearn-aggregator.h"
#include "ns3/dlearn-aggregators.h"
#include "ns3/dlearn-gram-geometry.h"
#include "ns3/dlearn-pre-aggregator.h"
#include "ns3/dlearn-weight-rules.h"
#include "ns3/double.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::dlearn;
using namespace ns3::dlearn::test;
using nlohmann::json;

namespace
{

/** One aggregation that another tool did. */
struct Case
{
    RowMatrix<double> rows; //!< what was aggregated
    uint32_t f;             //!< how many may be Byzantine
    const json& results;    //!< of all rules, by name
    const json& parameters; //!< of this rule
    const json& result;     //!< of this rule
};

/** @return the order in which another rule of the same file filled its buckets */
std::string
GetPermutation(const Case& test, uint32_t size)
{
    std::string text;
    for (const json& k : test.results.at("Bucketing_s" + std::to_string(size)).at("aux").at("perm"))
    {
        text += (text.empty() ? "" : "-") + std::to_string(k.get<uint32_t>());
    }
    return text;
}

/** Set the attributes that the parameters of a case name. */
void
Configure(const Ptr<Object>& object, const Case& test)
{
    const json& parameters = test.parameters;
    const auto set = [&](const char* parameter, const char* attribute, bool whole) {
        TypeId::AttributeInformation info;
        if (!parameters.contains(parameter) ||
            !object->GetInstanceTypeId().LookupAttributeByName(attribute, &info))
        {
            return;
        }
        const double value = parameters.at(parameter).get<double>();
        whole ? object->SetAttribute(attribute, UintegerValue(value))
              : object->SetAttribute(attribute, DoubleValue(value));
    };
    set("nu", "Nu", false);
    set("T", "T", true);
    set("tau", "Tau", false);
    set("L", "L", true);
    set("c", "C", false);
    set("s", "S", true);
    if (const auto bucketing = DynamicCast<BucketingPreAggregator>(object))
    {
        const std::string order = GetPermutation(test, parameters.at("s").get<uint32_t>());
        bucketing->SetAttribute("Permutation", StringValue(order));
    }
    if (parameters.contains("neighbours") && DynamicCast<Aggregator>(object))
    {
        const auto neighbours = parameters.at("neighbours").get<int64_t>();
        const auto margin = test.rows.rows() - test.f - neighbours;
        object->SetAttribute("Margin", UintegerValue(margin));
    }
    if (parameters.contains("m") && DynamicCast<MultiKrumAggregator>(object))
    {
        object->SetAttribute("M", UintegerValue(parameters.at("m").get<uint32_t>()));
    }
}

/** Rules, by their name in the files, up to a number that is a parameter. */
const std::map<std::string, std::function<Ptr<Aggregator>()>> RULES{
    {"Average", CreateObject<AverageAggregator>},
    {"Median", CreateObject<MedianAggregator>},
    {"TrMean", CreateObject<TrimmedMeanAggregator>},
    {"GeometricMedian", CreateObject<SmoothedWeiszfeldAggregator>},
    {"ref.GeometricMedian", CreateObject<GeometricMedianAggregator>},
    {"CenteredClipping", CreateObject<CenteredClippingAggregator>},
    {"Krum", CreateObject<KrumAggregator>},
    {"ref.Krum", CreateObject<KrumAggregator>},
    {"MultiKrum", CreateObject<MultiKrumAggregator>},
    {"ref.MultiKrum", CreateObject<MultiKrumAggregator>},
    {"Meamed", CreateObject<MeamedAggregator>},
    {"MDA", CreateObject<MdaAggregator>},
    {"ref.SMEA", CreateObject<SmeaAggregator>},
    {"ref.CAF", CreateObject<CafAggregator>},
};

/** Pre-aggregations likewise. */
const std::map<std::string, std::function<Ptr<PreAggregator>()>> STAGES{
    {"NNM", CreateObject<NnmPreAggregator>},
    {"Bucketing", CreateObject<BucketingPreAggregator>},
    {"Clipping", CreateObject<ClippingPreAggregator>},
    {"ARC", CreateObject<ArcPreAggregator>},
};

/** Values of other algorithms, which we have not. */
bool
IsOfAnotherAlgorithm(const std::string& name)
{
    return name.find("1poweriter") != std::string::npos || name == "ref.CAF_exact" ||
           name.rfind("MoNNA", 0) == 0 || name.find("secondcall") != std::string::npos;
}

/** @return whether equal numbers in the input make the value depend on who comes first */
bool
DependsOnTies(const std::string& name)
{
    for (const char* rule : {"Average",
                             "Median",
                             "TrMean",
                             "GeometricMedian",
                             "CenteredClipping",
                             "Clipping",
                             "ARC",
                             "Bucketing",
                             "ref.GeometricMedian"})
    {
        if (name.rfind(rule, 0) == 0)
        {
            return false;
        }
    }
    return true;
}

/** @return the name of a rule without its parameters */
std::string
GetKind(const std::string& name)
{
    return name.substr(0, name.find('_'));
}

/** @return the parts of "A+B+C" */
std::vector<std::string>
Split(const std::string& name)
{
    std::vector<std::string> parts;
    for (size_t begin = 0; begin <= name.size();)
    {
        const size_t end = std::min(name.find('+', begin), name.size());
        parts.push_back(name.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

/** @return the vectors that a pre-aggregation makes */
RowMatrix<double>
Mix(const Case& test, const Ptr<PreAggregator>& stage)
{
    const GramGeometry points(test.rows.rows(),
                              [&] { return MeasureRowProducts<double>(test.rows).products; });
    return stage->GetRule()(points, test.f) * test.rows;
}

/**
 * Both sides rounded in another order: 1e-10 of the largest number, and 1e-8 where eigenvalues
 * are so close that a direction loses digits (CAF over 50 steps).
 */
void
ExpectClose(const Eigen::MatrixXd& got, const Eigen::MatrixXd& wanted, double tolerance)
{
    ASSERT_EQ(got.rows(), wanted.rows());
    ASSERT_EQ(got.cols(), wanted.cols());
    const double scale = std::max(wanted.cwiseAbs().maxCoeff(), 1e-300);
    EXPECT_LE((got - wanted).cwiseAbs().maxCoeff() / scale, tolerance)
        << "got:    " << got << "\nwanted: " << wanted;
}

/** @return 1, or 0 when the value is not for us */
int
Check(const std::string& name, const Case& test)
{
    const std::vector<std::string> parts = Split(name);
    if (const auto stage = STAGES.find(GetKind(name)); parts.size() == 1 && stage != STAGES.end())
    {
        const auto object = stage->second();
        Configure(object, test);
        ExpectClose(Mix(test, object), ReadRows(test.result.at("out")), 1e-10);
        return 1;
    }
    const auto rule = RULES.find(GetKind(parts.back()));
    if (rule == RULES.end())
    {
        return 0;
    }
    const auto aggregator = rule->second();
    Configure(aggregator, test);
    for (size_t k = 0; k + 1 < parts.size(); ++k)
    {
        const auto stage = STAGES.at(GetKind(parts[k]))();
        Configure(stage, test);
        aggregator->AddPreAggregator(stage);
    }
    const auto got = aggregator->Aggregate(test.rows, test.f);
    ExpectClose(got.vector,
                ReadVector(test.result.at("out")),
                name == "ref.CAF_active" ? 1e-8 : 1e-10);
    return 1;
}

} // namespace

TEST(AggregatorOracle, AgreesWithReferenceValues)
{
    std::map<std::string, int> checked;
    for (const auto& path : FindOracles())
    {
        const json file = ReadJson(path);
        if (!file.is_object() || !file.contains("X") || !file.contains("results") ||
            !file.contains("f"))
        {
            continue;
        }
        const RowMatrix<double> rows = ReadRows(file.at("X"));
        if (!rows.allFinite())
        {
            continue; // others let infinity through; we leave such rows out
        }
        const bool ties = file.value("ties_present", false);
        const json& results = file.at("results");
        for (const auto& [name, result] : results.items())
        {
            if (IsOfAnotherAlgorithm(name) || (ties && DependsOnTies(name)) ||
                !result.contains("out") || result.at("out").is_null())
            {
                continue;
            }
            SCOPED_TRACE(path.filename().string() + ": " + name);
            const json& parameters = result.at("params");
            const uint32_t f = parameters.value("f", file.at("f").get<uint32_t>());
            const Case test{rows, f, results, parameters, result};
            checked[GetKind(name)] += Check(name, test);
        }
    }
    if (checked.empty())
    {
        GTEST_SKIP() << "no reference values: set DLEARN_ORACLES to their folder";
    }
    for (const auto& rule : RULES)
    {
        EXPECT_GT(checked[rule.first], 0) << rule.first;
    }
}

TEST(AggregatorOracle, CenteredClippingGoesOnFromWhereItEnded)
{
    int checked = 0;
    for (const auto& path : FindOracles())
    {
        const json file = ReadJson(path);
        const std::string name = "CenteredClipping_tau1_L1";
        if (!file.is_object() || !file.contains("X") ||
            !file.at("results").contains(name + "_secondcall"))
        {
            continue;
        }
        SCOPED_TRACE(path.filename().string());
        const RowMatrix<double> rows = ReadRows(file.at("X"));
        const ModelVector first = ReadVector(file.at("results").at(name).at("out"));
        const auto second = file.at("results").at(name + "_secondcall").at("out");
        const auto rule = [](const GramGeometry& points, uint32_t f) {
            return GetCenteredClippingWeights(points, f, 1, 1);
        };
        const RowMatrix<double> moved = rows.rowwise() - first.transpose();
        const auto got = AggregateRows<double>(moved, file.at("f").get<uint32_t>(), {}, rule);
        ExpectClose(first + got.vector, ReadVector(second), 1e-10);
        ++checked;
    }
    if (checked == 0)
    {
        GTEST_SKIP() << "no reference values: set DLEARN_ORACLES to their folder";
    }
}
