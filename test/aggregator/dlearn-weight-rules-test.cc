/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-aggregators.h"
#include "ns3/dlearn-coordinate-rules.h"
#include "ns3/dlearn-gram-geometry.h"
#include "ns3/dlearn-pre-aggregator.h"
#include "ns3/dlearn-robust-aggregation.h"
#include "ns3/dlearn-weight-rules.h"
#include "ns3/uinteger.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

using namespace ns3::dlearn;
using namespace ns3;
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

namespace
{

/** @return a coordinate's mean of the @p kept numbers nearest to the median, as Bulyan takes it */
double
GetNearestMean(std::vector<double> numbers, size_t kept)
{
    std::sort(numbers.begin(), numbers.end());
    const size_t n = numbers.size();
    const double median = (numbers[(n - 1) / 2] + numbers[n / 2]) / 2;
    std::stable_sort(numbers.begin(), numbers.end(), [median](double a, double b) {
        return std::abs(a - median) < std::abs(b - median);
    });
    return std::accumulate(numbers.begin(), numbers.begin() + kept, 0.0) / kept;
}

/** @return the row of @p left that Krum takes, by its distances to the others */
size_t
FindKrum(const Inputs& inputs, const std::vector<Index>& left, size_t neighbours)
{
    size_t best = 0;
    double least = HUGE_VAL;
    for (size_t k = 0; k < left.size(); ++k)
    {
        std::vector<double> away;
        for (const Index other : left)
        {
            away.push_back((inputs.row(left[k]) - inputs.row(other)).squaredNorm());
        }
        std::sort(away.begin(), away.end()); // the first is its own
        const double score = std::accumulate(away.begin(), away.begin() + 1 + neighbours, 0.0);
        if (score < least)
        {
            least = score;
            best = k;
        }
    }
    return best;
}

} // namespace

// Algorithm of section 4 of El Mhamdi et al. 2018, on coordinates.
TEST(Bulyan, DoesWhatThePaperSays)
{
    for (const auto& [n, f] : std::vector<std::pair<int, int>>{{7, 1}, {11, 2}, {16, 3}, {9, 0}})
    {
        Inputs inputs = MakeNormal(n, 70, n);
        inputs.bottomRows(f).array() += 3;
        std::vector<Index> left = FirstOf(n);
        std::vector<Index> chosen;
        while (static_cast<int>(chosen.size()) < n - 2 * f)
        {
            const int neighbours = std::max<int>(left.size() - f - 2, left.size() > 1 ? 1 : 0);
            const size_t best = FindKrum(inputs, left, neighbours);
            chosen.push_back(left[best]);
            left.erase(left.begin() + best);
        }
        const ModelVector got = CreateObject<BulyanAggregator>()->Aggregate(inputs, f).vector;
        for (Index k = 0; k < inputs.cols(); ++k)
        {
            std::vector<double> numbers;
            for (const Index row : chosen)
            {
                numbers.push_back(inputs(row, k));
            }
            ASSERT_NEAR(got(k), GetNearestMean(numbers, n - 4 * f), 1e-12) << n;
        }
    }
}

TEST(Bulyan, NeedsMoreThanFourF)
{
    const auto bulyan = CreateObject<BulyanAggregator>();
    EXPECT_EQ(bulyan->CountNeeded(2), 9u);
    EXPECT_FALSE(bulyan->Aggregate(MakeNormal(8, 3, 1), 2).IsUsable());
    EXPECT_EQ(bulyan->FindWeakness(2, 11), "");
    EXPECT_NE(bulyan->FindWeakness(2, 10), "");
    ExpectRefused([&] { bulyan->RequireMinority("f", 2, 8, "workers"); },
                  "Bulyan: more than 4f vectors are needed, got f=2, n=8");
}

// Single linkage by search through the graph of close pairs, on coordinates.
TEST(Flame, TakesTheFirstMajorityAndClipsToTheMedian)
{
    for (uint32_t seed = 0; seed < 20; ++seed)
    {
        const int n = 6 + seed % 5;
        Inputs inputs = MakeNormal(n, 4, seed);
        inputs.topRows(n - 2).array() += seed % 4;
        inputs.row(1) *= 7;
        const VectorXd norms = inputs.rowwise().norm();
        const auto isClose = [&](Index i, Index j, double most) {
            return 1 - inputs.row(i).dot(inputs.row(j)) / (norms(i) * norms(j)) <= most + 1e-12;
        };
        std::vector<Index> largest;
        double least = HUGE_VAL;
        for (Index a = 0; a < n * n; ++a) // each pair gives a distance to try
        {
            const double most =
                1 - inputs.row(a / n).dot(inputs.row(a % n)) / (norms(a / n) * norms(a % n));
            std::vector<Index> cluster{a / n};
            for (size_t next = 0; next < cluster.size(); ++next)
            {
                for (Index j = 0; j < n; ++j)
                {
                    if (isClose(cluster[next], j, most) &&
                        std::count(cluster.begin(), cluster.end(), j) == 0)
                    {
                        cluster.push_back(j);
                    }
                }
            }
            if (2 * static_cast<int>(cluster.size()) > n && most < least)
            {
                least = most;
                largest = cluster;
            }
        }
        std::vector<double> sorted(norms.begin(), norms.end());
        std::sort(sorted.begin(), sorted.end());
        const double median = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
        VectorXd wanted = VectorXd::Zero(4);
        for (const Index i : largest)
        {
            const double factor = std::min(1.0, median / norms(i));
            wanted += factor / largest.size() * inputs.row(i).transpose();
        }
        const auto got = CreateObject<FlameAggregator>()->Aggregate(inputs, 0);
        EXPECT_LT((got.vector - wanted).norm(), 1e-12) << "seed " << seed;
        const auto clipped = CreateObject<AverageAggregator>();
        clipped->AddPreAggregator(CreateObject<MedianClippingPreAggregator>());
        const VectorXd factors = (median / norms.array()).min(1.0);
        EXPECT_LT((clipped->Aggregate(inputs, 1).weights * n - factors).norm(), 1e-12);
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

namespace
{

template <typename Scalar>
RowMatrix<Scalar>
MakeRows(int n, int d, double offset, uint32_t seed)
{
    std::mt19937 generator(seed);
    std::normal_distribution<double> normal(offset, 1);
    return RowMatrix<Scalar>::NullaryExpr(n, d, [&] { return Scalar(normal(generator)); });
}

/**
 * Compare squared distances of rows with those of plain subtraction, in long double.
 *
 * @param tolerance relative to the largest distance of the rows that are compared
 */
template <typename Scalar>
void
ExpectExactDistances(const RowMatrix<Scalar>& rows, int compared, double tolerance)
{
    const GramGeometry points(rows.rows(),
                              [&] { return MeasureRowProducts<Scalar>(rows).products; });
    const Eigen::MatrixXd got = points.GetSquaredDistances();
    const auto exact = rows.template cast<long double>().eval();
    Eigen::MatrixXd wanted(compared, compared);
    for (int i = 0; i < compared; ++i)
    {
        for (int j = 0; j < compared; ++j)
        {
            wanted(i, j) = (exact.row(i) - exact.row(j)).squaredNorm();
        }
    }
    const auto error = (got.topLeftCorner(compared, compared) - wanted).cwiseAbs().maxCoeff();
    EXPECT_LE(error, tolerance * wanted.maxCoeff());
    EXPECT_EQ(got, got.transpose());
}

} // namespace

// Longer than a block and no multiple of it.
TEST(GramMatrix, GiveDistances)
{
    ExpectExactDistances(MakeRows<double>(7, 5000, 0, 1), 7, 1e-14);
    ExpectExactDistances(MakeRows<float>(7, 5000, 0, 2), 7, 1e-6);
    ExpectExactDistances(MakeRows<double>(1, 3, 0, 3), 1, 0);
}

// Rows a thousand times as far from the origin as from each other lose nothing.
TEST(GramMatrix, AreCentred)
{
    ExpectExactDistances(MakeRows<double>(7, 100, 1e6, 1), 7, 1e-14);
    ExpectExactDistances(MakeRows<float>(7, 100, 1e3, 2), 7, 1e-6);
}

// A Byzantine row that has the median norm, or whose square overflows a float, costs honest rows
// two digits at most, because the centre moves.
TEST(GramMatrix, OfHonestRowsAreExactDespiteForgedOnes)
{
    for (const double far : {1e3, 1e8, 1e18, 1e30})
    {
        RowMatrix<float> rows = MakeRows<float>(9, 3000, 0, 4);
        rows.topRows(5).array() += float(far / 1e3);
        rows.bottomRows(4).array() += float(far);
        rows.row(8) = -rows.row(0);
        ExpectExactDistances(rows, 5, 1e-4);
    }
}

// Numbers too small and too large for squares of floats, in one row after the other.
TEST(GramMatrix, ScaleWhatIsVeryLongOrVeryShort)
{
    for (const auto& [first, second] : {std::pair(1e-25, 1e30), {1e30, 1e-25}, {1e-25, 1e-25}})
    {
        RowMatrix<float> rows = MakeRows<float>(5, 3000, 0, 7);
        rows.leftCols(1500) *= float(first);
        rows.rightCols(1500) *= float(second);
        ExpectExactDistances(rows, 5, 1e-6);
    }
}

// A row that is bad where no sample looks, with the first centre among the bad.
TEST(GramMatrix, LeaveOutBadRows)
{
    const RowMatrix<float> good = MakeRows<float>(9, 9000, 1, 8);
    for (const float bad : {std::nanf(""), HUGE_VALF, 2e37f})
    {
        RowMatrix<float> rows = good;
        for (int i = 0; i < 8; i += 2)
        {
            rows(i, 8000 + i) = bad;
        }
        const GramMatrix products = MeasureRowProducts<float>(rows);
        EXPECT_EQ(products.usable.excluded, (std::vector<uint32_t>{0, 2, 4, 6}));
        EXPECT_EQ(products.usable.indices, FindUsableRows<float>(rows).indices);
        EXPECT_EQ(products.usable.excluded, FindUsableRows<float>(rows).excluded);
        const GramGeometry points(5, [&] { return products.products; });
        const double wanted = (good.row(3) - good.row(7)).squaredNorm();
        EXPECT_NEAR(points.GetSquaredDistances()(1, 3), wanted, 1e-5 * wanted);
    }
    const RowMatrix<float> none = RowMatrix<float>::Constant(3, 9000, HUGE_VALF);
    EXPECT_TRUE(MeasureRowProducts<float>(none).usable.indices.empty());
}

TEST(GramMatrix, KnowTheOrigin)
{
    const RowMatrix<double> rows = MakeRows<double>(6, 10, 2, 5);
    const GramGeometry points(6, [&] { return MeasureRowProducts<double>(rows).products; });
    EXPECT_TRUE(points.GetNorms().isApprox(rows.rowwise().norm(), 1e-13));
}

TEST(GramMatrix, MixAsTheRowsDo)
{
    const RowMatrix<double> rows = MakeRows<double>(6, 10, 2, 6);
    const GramGeometry points(6, [&] { return MeasureRowProducts<double>(rows).products; });
    const Eigen::MatrixXd mixing = Eigen::MatrixXd::Random(4, 6);
    const RowMatrix<double> mixed = mixing * rows;
    const GramGeometry got = points.Mix(mixing);
    EXPECT_TRUE(got.GetNorms().isApprox(mixed.rowwise().norm(), 1e-12));
    EXPECT_NEAR(got.GetSquaredDistances()(1, 3),
                (mixed.row(1) - mixed.row(3)).squaredNorm(),
                1e-10);
}

namespace
{

std::vector<Eigen::Index>
All(Eigen::Index count)
{
    std::vector<Eigen::Index> indices(count);
    std::iota(indices.begin(), indices.end(), 0);
    return indices;
}

double
Mean(const std::vector<double>& values)
{
    return std::accumulate(values.begin(), values.end(), 0.0) / values.size();
}

double
Median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    const size_t n = values.size();
    return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

double
TrimmedMean(std::vector<double> values, uint32_t f)
{
    for (uint32_t k = 0; k < f; ++k)
    {
        values.erase(std::min_element(values.begin(), values.end()));
        values.erase(std::max_element(values.begin(), values.end()));
    }
    return Mean(values);
}

double
Meamed(std::vector<double> values, uint32_t f)
{
    const double median = Median(values);
    std::sort(values.begin(), values.end(), [&](double a, double b) {
        return std::abs(a - median) < std::abs(b - median);
    });
    values.resize(values.size() - f);
    return Mean(values);
}

} // namespace

// A network sorts all numbers if it sorts all zeros and ones (Knuth's zero-one principle).
TEST(SortingNetwork, SortsZerosAndOnes)
{
    for (uint32_t n = 1; n <= 14; ++n)
    {
        for (uint32_t first = 0; first < n; first += 3)
        {
            const auto network = MakeSortingNetwork(n, first, n - 1 - first / 2);
            for (uint32_t bits = 0; bits < (1u << n); ++bits)
            {
                std::vector<bool> places(n);
                uint32_t zeros = 0;
                for (uint32_t k = 0; k < n; ++k)
                {
                    places[k] = (bits >> k) & 1;
                    zeros += !places[k];
                }
                for (const Comparator& comparator : network)
                {
                    const bool low = places[comparator.low] && places[comparator.high];
                    places[comparator.high] = places[comparator.low] || places[comparator.high];
                    places[comparator.low] = low;
                }
                for (uint32_t k = first; k <= n - 1 - first / 2; ++k)
                {
                    ASSERT_EQ(places[k], k >= zeros) << "n=" << n << ", bits " << bits;
                }
            }
        }
    }
}

TEST(CoordinateRules, AgreeWithOneCoordinateAtATime)
{
    std::mt19937 generator(1);
    std::normal_distribution<double> normal;
    for (const int n : {1, 2, 3, 4, 9, 16, 33, 100, 131})
    {
        const int d = 70; // a block, and a part of one
        const RowMatrix<double> rows =
            RowMatrix<double>::NullaryExpr(n, d, [&] { return normal(generator); });
        const RowMatrix<float> floats = rows.cast<float>();
        for (const uint32_t f : {0, (n - 1) / 4, (n - 1) / 2})
        {
            const auto check = [&](const CoordinateRule& rule,
                                   const std::function<double(const std::vector<double>&)>& plain) {
                const auto got = ReduceCoordinates<double>(rows, All(n), {}, f, rule);
                const auto rough = ReduceCoordinates<float>(floats, All(n), {}, f, rule);
                for (int k = 0; k < d; ++k)
                {
                    const Eigen::VectorXd column = rows.col(k);
                    const double wanted = plain({column.begin(), column.end()});
                    ASSERT_NEAR(got(k), wanted, 1e-13) << "n=" << n << ", f=" << f;
                    ASSERT_NEAR(rough(k), wanted, 1e-5) << "n=" << n << ", f=" << f;
                }
            };
            check(CoordinateMedian(), Median);
            check(CoordinateTrimmedMean(), [f](const auto& x) { return TrimmedMean(x, f); });
            if (2 * f + 1 < static_cast<uint32_t>(n) || n % 2 == 1)
            {
                check(CoordinateMeamed(), [f](const auto& x) { return Meamed(x, f); });
            }
        }
    }
}

// Where f (n - f) is a multiple of n / 2, the product of doubles decides; 56 as in ByzFL,
// although 2 * 33 * 209 / 242 is 57 exactly.
TEST(MixingRules, ArcCountsAsByzflDoes)
{
    const auto countClipped = [](int n, uint32_t f) {
        RowMatrix<double> rows(n, 1);
        rows.col(0).setLinSpaced(1, n);
        const GramGeometry points(n, [&] { return MeasureRowProducts<double>(rows).products; });
        return (GetArcMixing(points, f).diagonal().array() < 1 - 1e-9).count();
    };
    EXPECT_EQ(countClipped(242, 33), 56);
    EXPECT_EQ(countClipped(5, 1), 1);
    EXPECT_EQ(countClipped(100, 10), 18);
    EXPECT_EQ(countClipped(10, 0), 0);
}
