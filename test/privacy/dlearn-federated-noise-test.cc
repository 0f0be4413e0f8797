/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-federated-noise.h"
#include "ns3/double.h"
#include "ns3/object-factory.h"

#include <Eigen/Dense>
#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace ns3::dlearn
{
namespace
{

constexpr uint32_t WORKERS = 7;
constexpr double SCALE = 0.6;

/** What every correlated noise must fulfil; the parameter is its type. */
class CorrelatedNoiseTest : public testing::TestWithParam<std::string>
{
  protected:
    Ptr<CorrelatedNoise> Make(int64_t stream = 11, double scale = SCALE) const
    {
        ObjectFactory factory("ns3::dlearn::" + GetParam());
        factory.Set("Scale", DoubleValue(scale));
        Ptr<CorrelatedNoise> noise = factory.Create<CorrelatedNoise>();
        noise->SetWorkers(WORKERS);
        EXPECT_EQ(noise->AssignStreams(stream), 1);
        return noise;
    }

    /** u_i, a column for each worker. */
    static Eigen::MatrixXd GetNoise(const Ptr<CorrelatedNoise>& noise,
                                    uint32_t round,
                                    Eigen::Index size)
    {
        Eigen::MatrixXd u = Eigen::MatrixXd::Zero(size, WORKERS);
        for (LearnerId i = 0; i < WORKERS; ++i)
        {
            noise->AddTo(round, i, 1, u.col(i));
        }
        return u;
    }

    static ModelVector GetPart(const Ptr<CorrelatedNoise>& noise,
                               const std::vector<WeightedRound>& rounds,
                               LearnerId worker,
                               const std::vector<LearnerId>& others,
                               Eigen::Index size)
    {
        ModelVector part = ModelVector::Zero(size);
        noise->AddSharedWith(rounds, worker, others, part);
        return part;
    }
};

TEST_P(CorrelatedNoiseTest, SumsToZero)
{
    const Eigen::MatrixXd u = GetNoise(Make(), 3, 1000);
    // Seven workers' numbers of size sqrt(6) and at most 13 roundings each.
    EXPECT_LT(u.rowwise().sum().cwiseAbs().maxCoeff(), 1e-14);
    EXPECT_GT(u.cwiseAbs().minCoeff(), 0);
}

TEST_P(CorrelatedNoiseTest, HasTheCovarianceOfThePairsTogetherWithARepair)
{
    // v_ij for i < j independent of variance s^2: u = s K v and the parts c_i of the workers
    // that are left are linear in v, so that B B^T s^2 is the covariance of all of them.
    const std::vector<LearnerId> lost{1, 4, 5};
    const auto noise = Make();
    const std::vector<LearnerId> left =
        noise->HasPairs() ? std::vector<LearnerId>{0, 2, 3, 6} : std::vector<LearnerId>{};
    const auto parts = static_cast<Eigen::Index>(left.size());
    const Eigen::Index rows = WORKERS + parts;
    Eigen::MatrixXd b = Eigen::MatrixXd::Zero(rows, WORKERS * (WORKERS - 1) / 2);
    Eigen::Index pair = 0;
    for (LearnerId i = 0; i < WORKERS; ++i)
    {
        for (LearnerId j = i + 1; j < WORKERS; ++j, ++pair)
        {
            b(i, pair) = 1;
            b(j, pair) = -1;
            for (Eigen::Index k = 0; k < parts; ++k)
            {
                const LearnerId other = left[k] == i ? j : i;
                const bool shared =
                    (left[k] == i || left[k] == j) && (other == 1 || other == 4 || other == 5);
                b(WORKERS + k, pair) = shared ? b(left[k], pair) : 0;
            }
        }
    }
    const Eigen::MatrixXd expected = SCALE * SCALE * b * b.transpose();

    constexpr int N = 200000;
    Eigen::MatrixXd samples(N, rows);
    samples.leftCols(WORKERS) = GetNoise(noise, 9, N);
    for (Eigen::Index k = 0; k < parts; ++k)
    {
        samples.col(WORKERS + k) = GetPart(noise, {{9, 1}}, left[k], lost, N);
    }
    const Eigen::MatrixXd covariance = samples.transpose() * samples / N;
    // At most 66 entries, each within 6 standard deviations sqrt((s_ii s_jj + s_ij^2)/N) but for a
    // probability of 2e-9.
    for (Eigen::Index i = 0; i < rows; ++i)
    {
        for (Eigen::Index j = 0; j <= i; ++j)
        {
            const double spread =
                std::sqrt((expected(i, i) * expected(j, j) + expected(i, j) * expected(i, j)) / N);
            EXPECT_NEAR(covariance(i, j), expected(i, j), 6 * spread) << i << " " << j;
        }
    }

    // And exactly: what is left sums to zero among those who are left.
    ModelVector sum = ModelVector::Zero(N);
    for (Eigen::Index k = 0; k < parts; ++k)
    {
        sum += samples.col(left[k]) - samples.col(WORKERS + k);
    }
    EXPECT_LT(sum.cwiseAbs().maxCoeff(), 1e-13);
}

TEST_P(CorrelatedNoiseTest, RoundsAreIndependent)
{
    constexpr int N = 100000;
    const auto noise = Make();
    const Eigen::MatrixXd a = GetNoise(noise, 0, N);
    const Eigen::MatrixXd b = GetNoise(noise, 1, N);
    // 49 covariances of standard deviation s^2 (n-1)/sqrt(N), within 6 but for 2e-9 each.
    const double most = 6 * SCALE * SCALE * (WORKERS - 1) / std::sqrt(N);
    EXPECT_LT((a.transpose() * b / N).cwiseAbs().maxCoeff(), most);
}

TEST_P(CorrelatedNoiseTest, IsAFunctionOfRoundAndWorker)
{
    const Eigen::Index size = 50;
    const auto noise = Make();
    const Eigen::MatrixXd later = GetNoise(noise, 8, size);
    const Eigen::MatrixXd first = GetNoise(noise, 2, size);
    EXPECT_EQ(GetNoise(noise, 8, size), later);

    // Another object, asked by one worker alone and in another order.
    const auto own = Make();
    ModelVector alone = ModelVector::Zero(size);
    own->AddTo(2, 3, 1, alone);
    EXPECT_EQ(alone, first.col(3));
    own->AddTo(2, 3, -1, alone);
    EXPECT_LT(alone.cwiseAbs().maxCoeff(), 1e-14);

    EXPECT_NE(GetNoise(Make(12), 2, size), first);
}

// The account of each worker counts on the noise of the others.
TEST_P(CorrelatedNoiseTest, HasOneScaleInARound)
{
    const Eigen::Index size = 50;
    const Eigen::MatrixXd expected = GetNoise(Make(), 4, size);
    const auto noise = Make();
    ModelVector first = ModelVector::Zero(size);
    noise->AddTo(4, 0, 1, first);
    noise->SetAttribute("Scale", DoubleValue(100 * SCALE)); // between the sends of two workers
    EXPECT_EQ(GetNoise(noise, 4, size), expected);
    EXPECT_EQ(noise->GetScaleOf(4), SCALE);
    EXPECT_EQ(noise->GetScaleOf(5), 100 * SCALE);
    const Eigen::MatrixXd next = GetNoise(noise, 5, size);
    EXPECT_LT((next - 100 * GetNoise(Make(), 5, size)).norm(), 1e-10 * next.norm());
    if (noise->HasPairs())
    {
        const auto part = GetPart(noise, {{4, 1}}, 1, {0, 2}, size);
        EXPECT_EQ(part, GetPart(Make(), {{4, 1}}, 1, {0, 2}, size));
    }
}

TEST_P(CorrelatedNoiseTest, PartsOfRoundsAddUpWithTheirWeights)
{
    const auto noise = Make();
    if (!noise->HasPairs())
    {
        return; // there are no parts
    }
    for (LearnerId worker : {0, 6, 3})
    {
        const ModelVector both = GetPart(noise, {{0, 0.3}, {5, -2}}, worker, {1, 2}, 100);
        const ModelVector first = GetPart(noise, {{0, 1}}, worker, {1, 2}, 100);
        const ModelVector second = GetPart(noise, {{5, 1}}, worker, {1, 2}, 100);
        EXPECT_LT((both - 0.3 * first + 2 * second).cwiseAbs().maxCoeff(), 1e-14);
    }
}

TEST_P(CorrelatedNoiseTest, WhatIsSharedWithAllOthersIsEverything)
{
    const auto noise = Make();
    if (!noise->HasPairs())
    {
        return; // there are no parts
    }
    const Eigen::MatrixXd u = GetNoise(noise, 4, 100);
    const ModelVector part = GetPart(noise, {{4, 1}}, 2, {0, 1, 3, 4, 5, 6}, 100);
    EXPECT_LT((part - u.col(2)).cwiseAbs().maxCoeff(), 1e-14);
    EXPECT_EQ(GetPart(noise, {{4, 1}}, 2, {}, 100), ModelVector::Zero(100));
    EXPECT_EQ(GetPart(noise, {}, 2, {1}, 100), ModelVector::Zero(100));
}

INSTANTIATE_TEST_SUITE_P(All,
                         CorrelatedNoiseTest,
                         testing::Values("PairwiseCorrelatedNoise", "JointCorrelatedNoise"),
                         [](const auto& info) { return info.param; });

TEST(PairwiseCorrelatedNoise, PairsCancelBitForBitAndPartsAddUp)
{
    const auto noise = CreateObject<PairwiseCorrelatedNoise>();
    noise->SetWorkers(5);
    noise->AssignStreams(3);
    const auto part = [&](LearnerId worker, const std::vector<LearnerId>& others) {
        ModelVector v = ModelVector::Zero(20);
        noise->AddSharedWith({{6, 1}}, worker, others, v);
        return v;
    };
    for (LearnerId i = 0; i < 5; ++i)
    {
        for (LearnerId j = i + 1; j < 5; ++j)
        {
            EXPECT_EQ(part(i, {j}), -part(j, {i}));
            EXPECT_EQ(noise->GetSeed(i, j), noise->GetSeed(j, i));
        }
    }
    EXPECT_LT((part(2, {0}) + part(2, {4}) - part(2, {0, 4})).cwiseAbs().maxCoeff(), 1e-15);
    ExpectRefused([&] { noise->GetSeed(1, 1); },
                  "PairwiseCorrelatedNoise: a pair must be of two of 5 workers, got 1 and 1");
    ExpectRefused([&] { noise->GetSeed(1, 5); }, "got 1 and 5");
}

} // namespace
} // namespace ns3::dlearn
