/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-aggregators.h"
#include "ns3/dlearn-gram-geometry.h"
#include "ns3/dlearn-pre-aggregator.h"
#include "ns3/dlearn-robust-aggregation.h"
#include "ns3/dlearn-weight-rules.h"
#include "ns3/uinteger.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace ns3;
using namespace ns3::dlearn;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace
{

using Inputs = RowMatrix<double>;

Inputs
MakeNormal(int n, int d, uint32_t seed)
{
    std::mt19937 generator(seed);
    std::normal_distribution<double> normal;
    return Inputs::NullaryExpr(n, d, [&] { return normal(generator); });
}

/** @return the points of a matrix, by the products that the library measures */
GramGeometry
Measure(const Inputs& inputs)
{
    return GramGeometry(inputs.rows(),
                        [inputs] { return MeasureRowProducts<double>(inputs).products; });
}

/** @return largest eigenvalue of the covariance of some rows, in the space of coordinates */
double
GetLargestVariance(const Inputs& inputs, const std::vector<Index>& rows)
{
    const MatrixXd part = inputs(rows, Eigen::all);
    const MatrixXd centred = part.rowwise() - part.colwise().mean();
    const MatrixXd covariance = centred.transpose() * centred / rows.size();
    return Eigen::SelfAdjointEigenSolver<MatrixXd>(covariance).eigenvalues().maxCoeff();
}

/** @return whether Proposition 4.1 of CafCor holds for the rows that are taken as honest */
testing::AssertionResult
IsBounded(const Inputs& inputs, uint32_t f, const std::vector<Index>& honest)
{
    const double n = inputs.rows();
    const double kappa = 6 * f / (n - f) * std::pow(1 + f / (n - 2 * f), 2);
    const auto outcome = FilterByCovariance(Measure(inputs), f);
    const VectorXd output = inputs.transpose() * outcome.weights;
    const VectorXd mean = inputs(honest, Eigen::all).colwise().mean().transpose();
    const double error = (output - mean).squaredNorm();
    const double bound = kappa * GetLargestVariance(inputs, honest);
    if (error <= bound * (1 + 1e-9) + 1e-20)
    {
        return testing::AssertionSuccess();
    }
    return testing::AssertionFailure() << "error " << error << " is above " << bound << ", f=" << f;
}

/** @return the first of so many positions */
std::vector<Index>
FirstOf(Index count)
{
    std::vector<Index> rows(count);
    std::iota(rows.begin(), rows.end(), 0);
    return rows;
}

} // namespace

// The proposition holds for every subset of n - f rows, so here for all of them.
TEST(Caf, KeepsItsPromiseForEverySubset)
{
    for (uint32_t seed = 0; seed < 20; ++seed)
    {
        const int n = 7 + seed % 3;
        const uint32_t f = 1 + seed % 3;
        const Inputs inputs = MakeNormal(n, 1 + seed % 6, seed);
        std::vector<bool> chosen(n, false);
        std::fill(chosen.begin(), chosen.begin() + (n - f), true);
        do
        {
            std::vector<Index> rows;
            for (int i = 0; i < n; ++i)
            {
                if (chosen[i])
                {
                    rows.push_back(i);
                }
            }
            ASSERT_TRUE(IsBounded(inputs, f, rows)) << "seed " << seed;
        } while (std::prev_permutation(chosen.begin(), chosen.end()));
    }
}

TEST(Caf, KeepsItsPromiseAgainstForgedVectors)
{
    for (uint32_t seed = 0; seed < 60; ++seed)
    {
        const uint32_t f = 1 + seed % 5;
        const int n = 2 * f + 1 + seed % 4;
        Inputs inputs = MakeNormal(n, 8, seed);
        const Eigen::RowVectorXd mean = inputs.topRows(n - f).colwise().mean();
        for (const double size : {0.1, 1.0, 2.0, 5.0, 30.0, 1e3, 1e6, 1e12, 1e30})
        {
            for (const double spread : {0.0, 1e-3, 1.0})
            {
                for (uint32_t k = 0; k < f; ++k)
                {
                    // A coalition in one direction, together or one behind the other.
                    inputs.row(n - f + k) = mean.array() + size * (1 + spread * k);
                }
                ASSERT_TRUE(IsBounded(inputs, f, FirstOf(n - f)))
                    << "seed " << seed << ", size " << size << ", spread " << spread;
            }
        }
    }
}

TEST(Caf, EndsInFewerThanNSteps)
{
    for (const double distance : {1e3, 1e6, 1e9, 1e30})
    {
        for (const auto& [n, f] : std::vector<std::pair<int, uint32_t>>{{5, 1}, {15, 5}, {41, 20}})
        {
            Inputs inputs = MakeNormal(n, 6, n);
            inputs.row(n - 1).setConstant(distance);
            const auto outcome = FilterByCovariance(Measure(inputs), f);
            EXPECT_LT(outcome.steps, static_cast<uint32_t>(n)) << distance;
            EXPECT_LT(outcome.weights(n - 1), 1e-12) << distance;
        }
    }
}

// Every Byzantine row is farther out than the last: each removal exposes the next.
TEST(Caf, RemovesForgedVectorsOneByOne)
{
    Inputs inputs = MakeNormal(21, 4, 3);
    for (int k = 0; k < 8; ++k)
    {
        inputs.row(k).setConstant(std::pow(10.0, 3 * (k + 1)));
    }
    const auto outcome = FilterByCovariance(Measure(inputs), 8);
    EXPECT_LT(outcome.steps, 21u);
    EXPECT_LT(outcome.weights.head(8).maxCoeff(), 1e-12);
    EXPECT_NEAR(outcome.weights.sum(), 1, 1e-12);
}

TEST(GeometricMedian, PointsPullInBalance)
{
    for (uint32_t seed = 0; seed < 10; ++seed)
    {
        const Inputs inputs = MakeNormal(9, 3, seed);
        const VectorXd weights = GetGeometricMedianWeights(Measure(inputs), 4, 1e-13, 10000);
        const Eigen::RowVectorXd median = weights.transpose() * inputs;
        Eigen::RowVectorXd force = Eigen::RowVectorXd::Zero(3);
        for (Index i = 0; i < inputs.rows(); ++i)
        {
            const Eigen::RowVectorXd away = inputs.row(i) - median;
            const double length = away.norm();
            if (length > 1e-9)
            {
                force += away / length;
            }
        }
        // Unit vectors balance, or a point holds the median with a force of at most 1.
        const bool atPoint = (inputs.rowwise() - median).rowwise().norm().minCoeff() < 1e-9;
        EXPECT_LT(force.norm(), atPoint ? 1 + 1e-9 : 1e-6) << "seed " << seed;
    }
}

TEST(GeometricMedian, OfALineIsItsMiddlePoint)
{
    Inputs line(5, 1);
    line << 0, 1, 2, 100, 1e30;
    const VectorXd weights = GetGeometricMedianWeights(Measure(line), 2, 1e-13, 10000);
    EXPECT_EQ(weights, VectorXd(VectorXd::Unit(5, 2)));
}

TEST(GeometricMedian, StartsAtNoPointThatIsNoOptimum)
{
    // The mean is the point at 0, where Weiszfeld's iteration would stay.
    Inputs plane(5, 2);
    plane << 0, 0, 1, 0, 1, 0.1, 1, -0.1, -3, 0;
    const VectorXd weights = GetGeometricMedianWeights(Measure(plane), 2, 1e-13, 10000);
    const Eigen::RowVector2d median = weights.transpose() * plane;
    EXPECT_GT(median(0), 0.5);
}

TEST(SubsetRules, FindWhatBruteForceFinds)
{
    for (uint32_t seed = 0; seed < 10; ++seed)
    {
        const int n = 8;
        const uint32_t f = 1 + seed % 3;
        const Inputs inputs = MakeNormal(n, 1 + seed % 4, seed);
        double widest = HUGE_VAL;
        double most = HUGE_VAL;
        std::vector<bool> chosen(n, false);
        std::fill(chosen.begin(), chosen.begin() + (n - f), true);
        VectorXd mda;
        VectorXd smea;
        do
        {
            std::vector<Index> rows;
            VectorXd weights = VectorXd::Zero(n);
            for (int i = 0; i < n; ++i)
            {
                if (chosen[i])
                {
                    rows.push_back(i);
                    weights(i) = 1.0 / (n - f);
                }
            }
            double width = 0;
            for (const Index i : rows)
            {
                for (const Index j : rows)
                {
                    width = std::max(width, (inputs.row(i) - inputs.row(j)).norm());
                }
            }
            if (width < widest - 1e-12)
            {
                widest = width;
                mda = weights;
            }
            if (const double variance = GetLargestVariance(inputs, rows); variance < most)
            {
                most = variance;
                smea = weights;
            }
        } while (std::prev_permutation(chosen.begin(), chosen.end()));
        EXPECT_EQ(GetMdaWeights(Measure(inputs), f), mda) << "seed " << seed;
        EXPECT_EQ(GetSmeaWeights(Measure(inputs), f), smea) << "seed " << seed;
    }
}

TEST(SubsetRules, RefuseTooManySubsets)
{
    const Inputs inputs = MakeNormal(40, 2, 1);
    ExpectRefused([&] { GetMdaWeights(Measure(inputs), 15); }, "Mda: tries all subsets, and 40");
    ExpectRefused([&] { GetSmeaWeights(Measure(inputs), 15); }, "at most 1e+06 are allowed");
}

TEST(WeightRules, KrumSaysWhatItCannotPromise)
{
    const auto krum = CreateObject<KrumAggregator>();
    const auto several = CreateObject<MultiKrumAggregator>();
    for (const Ptr<Aggregator>& rule : {Ptr<Aggregator>(krum), Ptr<Aggregator>(several)})
    {
        EXPECT_EQ(rule->FindWeakness(2, 7), "");
        EXPECT_EQ(rule->FindWeakness(0, 2), "");
        EXPECT_EQ(rule->FindWeakness(2, 6),
                  "Krum is proven to withstand f Byzantine vectors where there are at least 2f + 3 "
                  "(Blanchard et al. 2017); here f is 2, which needs 7 vectors, and there are 6");
    }
    EXPECT_EQ(CreateObject<MedianAggregator>()->FindWeakness(2, 5), "");
    const auto bucketing = CreateObject<BucketingPreAggregator>();
    bucketing->SetAttribute("S", UintegerValue(2));
    krum->AddPreAggregator(bucketing); // of 12 vectors it makes 6
    EXPECT_NE(krum->FindWeakness(2, 12), "");
    EXPECT_EQ(krum->FindWeakness(2, 14), "");
    several->SetAttribute("M", UintegerValue(7));
    several->RequireMinority("f", 2, 7, "workers");
    ExpectRefused([&] { several->RequireMinority("f", 2, 6, "workers"); },
                  "MultiKrum: M must be at most the number of vectors, 6, got 7");
}
