/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"
#include "support/dlearn-oracle-support.h"

#include "ns3/dlearn-component-parser.h"
#include "ns3/dlearn-vector-attacks.h"
#include "ns3/double.h"
#include "ns3/object-factory.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace ns3::dlearn::test;
using namespace ns3::dlearn;
using namespace ns3;
using nlohmann::json;

namespace
{

/** @return 3 x 2: mean (2, 20), standard deviation (1, 10) */
RowMatrix<double>
MakeHonest()
{
    RowMatrix<double> honest(3, 2);
    honest << 1, 10, 2, 20, 3, 30;
    return honest;
}

} // namespace

TEST(Attack, ForgesWhatItIsNamedAfter)
{
    const RowMatrix<double> honest = MakeHonest();
    const HonestView view{honest, 1};
    EXPECT_EQ(CreateObject<SignFlippingAttack>()->Forge(view),
              ModelVector(Eigen::Vector2d(-2, -20)));
    EXPECT_EQ(CreateObject<InnerProductAttack>()->Forge(view),
              ModelVector(Eigen::Vector2d(-4, -40)));
    EXPECT_TRUE(CreateObject<AlieAttack>()->Forge(view).isApprox(Eigen::Vector2d(3.5, 35), 1e-15));
    const auto mimic = CreateObject<MimicAttack>();
    mimic->SetAttribute("Epsilon", UintegerValue(2));
    EXPECT_EQ(mimic->Forge(view), ModelVector(Eigen::Vector2d(3, 30)));
    const ModelVector infinite = CreateObject<InfinityAttack>()->Forge(view);
    EXPECT_TRUE((infinite.array() == HUGE_VAL).all());
    EXPECT_TRUE(CreateObject<NanAttack>()->Forge(view).array().isNaN().all());
}

// One learner's own vector: the view of a Byzantine learner that receives no messages.
TEST(Attack, ALimitedViewIsEnough)
{
    const RowMatrix<double> own = MakeHonest().topRows(1);
    const HonestView view{own, 1};
    EXPECT_EQ(CreateObject<SignFlippingAttack>()->Forge(view),
              ModelVector(Eigen::Vector2d(-1, -10)));
    EXPECT_EQ(CreateObject<AlieAttack>()->Forge(view), ModelVector(Eigen::Vector2d(1, 10)));
}

// Quantiles of the normal distribution, from tables: Phi^-1 of 3/5, 2/3 and 1/2.
TEST(Attack, DerivedAlieSubtractsWhatFewHonestExceed)
{
    EXPECT_NEAR(GetAlieDeviation(7, 2), 0.2533471031357997, 1e-14);
    EXPECT_NEAR(GetAlieDeviation(5, 2), 0.43072729929545744, 1e-14);
    EXPECT_NEAR(GetAlieDeviation(5, 1), 0, 1e-14);
    const RowMatrix<double> honest = MakeHonest();
    const ModelVector forged = CreateObject<DerivedAlieAttack>()->Forge({honest, 2});
    const double z = 0.43072729929545744;
    EXPECT_TRUE(forged.isApprox(Eigen::Vector2d(2 - z, 20 - 10 * z), 1e-14));
}

// By hand: receiver 1 gives 0.2 and 0.4 to the others and 0.5 to the coalition; the pull of the
// others is 0.2 (1 - 2) + 0.4 (6 - 2) = 1.4.
TEST(Attack, DissensusCancelsThePullOfTheHonest)
{
    RowMatrix<double> honest(3, 2);
    honest << 1, 10, 2, 20, 6, 60;
    HonestView view{honest, 2};
    view.receiver = {1, Eigen::Vector3d(0.2, 0, 0.4), 0.5};
    const auto attack = CreateObject<DissensusAttack>();
    const ModelVector forged = attack->Forge(view);
    EXPECT_TRUE(forged.isApprox(Eigen::Vector2d(2 - 2.8, 20 - 28), 1e-14));
    const ModelVector sum = 0.2 * honest.row(0) + 0.4 * honest.row(2) + 0.5 * forged.transpose();
    EXPECT_TRUE(sum.isApprox(1.1 * honest.row(1).transpose(), 1e-14)) << "the receiver's own";
    attack->SetAttribute("Epsilon", DoubleValue(0));
    EXPECT_EQ(attack->Forge(view), honest.row(1).transpose());
    view.receiver.reset();
    ExpectRefused([&] { attack->Forge(view); }, "Dissensus: forges for one receiver at a time");
}

// Mean and standard deviation of 40,000 draws are within 5 standard errors: wrong once in
// 10^6, and the stream is fixed.
TEST(Attack, GaussianHasItsMoments)
{
    const auto attack = CreateObject<GaussianAttack>();
    attack->SetAttribute("Mean", DoubleValue(2));
    attack->SetAttribute("Deviation", DoubleValue(3));
    EXPECT_EQ(attack->AssignStreams(7), 1);
    const RowMatrix<double> honest = RowMatrix<double>::Zero(1, 40000);
    const ModelVector once = attack->Forge({honest, 1});
    EXPECT_NEAR(once.mean(), 2, 5 * 3 / 200.0);
    const double variance = (once.array() - once.mean()).square().mean();
    EXPECT_NEAR(std::sqrt(variance), 3, 5 * 3 / std::sqrt(80000.0));
    attack->AssignStreams(7);
    EXPECT_EQ(attack->Forge({honest, 1}), once);
}

TEST(LineSearch, DoublesAndThenShrinks)
{
    // Grows up to 19: taken at 0, 10, refused at 30, taken at 10 + 16, refused after.
    const auto search = MaximizeOnLine([](double x) { return -std::abs(x - 19); }, {6, 0, 10, 0.8});
    const std::vector<double> places{0, 10, 30, 26, 38.8, 36.24};
    ASSERT_EQ(search.evaluated.size(), places.size());
    for (size_t k = 0; k < places.size(); ++k)
    {
        EXPECT_NEAR(search.evaluated[k].first, places[k], 1e-12) << k;
    }
    EXPECT_NEAR(search.best, 26, 1e-12);
    EXPECT_NEAR(search.value, -7, 1e-12);
}

TEST(OptimalAttack, FindsWhatTheDefenceTolerates)
{
    // A defence that averages what is not too far from the first: it tolerates -20 and no more.
    const RowMatrix<double> honest = RowMatrix<double>::Ones(4, 1);
    const auto defence = [](RowMatrixRef<double> rows) -> ModelVector {
        double sum = 0;
        int count = 0;
        for (Eigen::Index i = 0; i < rows.rows(); ++i)
        {
            const bool near = std::abs(rows(i, 0) - rows(0, 0)) <= 21;
            sum += near ? rows(i, 0) : 0;
            count += near;
        }
        return ModelVector::Constant(1, sum / count);
    };
    const ModelVector forged =
        CreateObject<OptimalInnerProductAttack>()->Forge({honest, 1, defence});
    EXPECT_LE(forged(0), -18);
    EXPECT_GE(forged(0), -20);
}

TEST(Attack, CountsAndNamesUnknownLearners)
{
    // Three vectors of seven honest learners, those in places 0, 2 and 5.
    const RowMatrix<double> known = MakeHonest();
    const std::vector<uint32_t> places{0, 2, 5};
    const auto mimic = CreateObjectWithAttributes<MimicAttack>("Epsilon", UintegerValue(2));
    EXPECT_EQ(mimic->Forge({known, 2, {}, 7, places}), known.row(1).transpose());
    mimic->SetAttribute("Epsilon", UintegerValue(1));
    EXPECT_EQ(mimic->Forge({known, 2, {}, 7, places}).size(), 0); // not known in this round
    mimic->Check(2, 7, 2);
    ExpectRefused([&] { mimic->Check(1, 7, 2); },
                  "Mimic: Epsilon must be the place of one of the 1 learners");
    // z is that of nine learners, whatever is known of them.
    const auto alie = CreateObject<DerivedAlieAttack>();
    const ModelVector vector = alie->Forge({known, 2, {}, 7, places});
    EXPECT_EQ(vector, ForgeAlie(known, -GetAlieDeviation(9, 2)));
    alie->Check(1, 7, 2);
    ExpectRefused([&] { alie->Check(7, 2, 2); }, "2f < n is required, got f=2, n=4");
}

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
