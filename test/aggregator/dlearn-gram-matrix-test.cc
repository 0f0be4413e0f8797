/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-gram-geometry.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::dlearn;

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
