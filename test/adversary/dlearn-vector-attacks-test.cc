/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-vector-attacks.h"
#include "ns3/double.h"
#include "ns3/object-factory.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

using namespace ns3;
using namespace ns3::dlearn;

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
