/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-coordinate-rules.h"
#include "ns3/dlearn-gram-geometry.h"
#include "ns3/dlearn-pre-aggregator.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <vector>

using namespace ns3;
using namespace ns3::dlearn;

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
