/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-seeded-random.h"
#include "ns3/dlearn-sparse-projection.h"

#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

SparseProjection
MakeProjection(uint32_t entries, uint32_t rows, int64_t stream = 3)
{
    return SparseProjection(entries, rows, *CreateSeeded<UniformRandomVariable>(stream, 0));
}

/** @return the matrix, from the images of unit vectors */
Eigen::MatrixXd
MakeDense(const SparseProjection& projection, uint32_t entries, uint32_t rows)
{
    Eigen::MatrixXd dense(rows, entries);
    for (uint32_t k = 0; k < entries; ++k)
    {
        dense.col(k) = projection.Apply(ModelVector::Unit(entries, k));
    }
    return dense;
}

/** @return a vector with so many normal entries, the others 0 */
ModelVector
DrawSparse(uint32_t entries, uint32_t kept, uint64_t key)
{
    const auto order = RandomOrder(entries, *CreateSeeded<UniformRandomVariable>(100 + key, 0));
    NormalStream normals(key);
    ModelVector sparse = ModelVector::Zero(entries);
    for (uint32_t k = 0; k < kept; ++k)
    {
        sparse[order[k]] = normals.Next();
    }
    return sparse;
}

// The rows are rows of an orthogonal matrix of 128 columns, whose entries all have the same size.
TEST(SparseProjection, IsAPartOfAnOrthogonalMatrix)
{
    const Eigen::MatrixXd square = MakeDense(MakeProjection(128, 40), 128, 40);
    EXPECT_TRUE(
        (square * square.transpose()).isApprox(128.0 / 40 * Eigen::MatrixXd::Identity(40, 40)));
    const Eigen::MatrixXd part = MakeDense(MakeProjection(100, 40), 100, 40);
    EXPECT_TRUE((part.array().square() * 40).isApproxToConstant(1));
    EXPECT_NE(square.leftCols(100), MakeDense(MakeProjection(128, 40, 5), 128, 40).leftCols(100));
    ExpectRefused([] { MakeProjection(10, 11); },
                  "SparseProjection: rows must be from 1 to the 10 entries, got 11");
}

// The values of rho at which half of all vectors can be recovered, also by linear programming:
// Donoho and Tanner, "Counting Faces of Randomly Projected Polytopes", 2009, figure 1.
TEST(SparseProjection, TheThresholdIsThatOfThePhaseTransition)
{
    EXPECT_NEAR(SparseProjection::GetThreshold(0.1).second, 0.19, 0.005);
    EXPECT_NEAR(SparseProjection::GetThreshold(0.5).second, 0.386, 0.005);
    EXPECT_NEAR(SparseProjection::GetThreshold(0.1).first, 1.74, 0.011);
    EXPECT_NEAR(SparseProjection::GetThreshold(0.5).first, 0.88, 0.011);
}

// The iteration of the paper with the dense matrix, entry by entry.
TEST(SparseProjection, RecoversAsTheDenseIteration)
{
    constexpr uint32_t ENTRIES = 300;
    constexpr uint32_t ROWS = 150;
    const auto projection = MakeProjection(ENTRIES, ROWS);
    const Eigen::MatrixXd dense = MakeDense(projection, ENTRIES, ROWS);
    const ModelVector truth = DrawSparse(ENTRIES, 20, 7);
    NormalStream noise(8);
    ModelVector received = projection.Apply(truth);
    EXPECT_TRUE(received.isApprox(dense * truth));
    noise.AddTo(0.05, received);
    ModelVector x = ModelVector::Zero(ENTRIES);
    ModelVector z = received;
    for (int k = 0; k < 100; ++k)
    {
        const double level =
            SparseProjection::GetThreshold(0.5).first * std::sqrt(z.squaredNorm() / ROWS);
        const ModelVector moved = x + dense.transpose() * z;
        double kept = 0;
        for (uint32_t j = 0; j < ENTRIES; ++j)
        {
            x[j] = moved[j] > level ? moved[j] - level : moved[j] < -level ? moved[j] + level : 0;
            kept += x[j] == 0 ? 0 : 1;
        }
        z = received - dense * x + z * (kept / ROWS);
    }
    EXPECT_LT((projection.Recover(received) - x).norm(), 1e-6);
}

// Without noise, half as many entries as the phase transition allows are recovered, one and a half
// times as many are not, whatever the length.
TEST(SparseProjection, RecoversSparseVectorsExactly)
{
    for (const uint32_t entries : {1000U, 1024U, 3000U})
    {
        for (const double delta : {0.1, 0.4})
        {
            const auto rows = static_cast<uint32_t>(delta * entries);
            const double most = SparseProjection::GetThreshold(delta).second * rows;
            const auto projection = MakeProjection(entries, rows);
            const auto lose = [&](double share) {
                const auto kept = static_cast<uint32_t>(share * most);
                const ModelVector truth = DrawSparse(entries, kept, entries + rows);
                return (projection.Recover(projection.Apply(truth)) - truth).norm() / truth.norm();
            };
            EXPECT_LT(lose(0.5), 1e-4) << entries << " " << delta;
            EXPECT_GT(lose(1.5), 0.1) << entries << " " << delta;
        }
    }
}

} // namespace
} // namespace ns3::dlearn
