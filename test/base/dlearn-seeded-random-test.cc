/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "data/dlearn-data-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-noise-mechanism.h"
#include "ns3/dlearn-seeded-random.h"
#include "ns3/double.h"
#include "ns3/object-factory.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <vector>

namespace
{

using namespace ns3;
using namespace ns3::dlearn;
using namespace ns3::dlearn::test;

TEST(SeededRandom, OffsetsSelectStreams)
{
    const auto draw = [](int64_t stream, int64_t offset) {
        return CreateSeeded<UniformRandomVariable>(stream, offset)->GetValue(0, 1);
    };
    EXPECT_EQ(draw(7, 1), draw(7, 1));
    EXPECT_EQ(draw(7, 1), draw(8, 0));
    EXPECT_NE(draw(7, 1), draw(7, 0));
    // Automatic streams: each variable its own, and none of the fixed ones.
    EXPECT_NE(draw(-1, 1), draw(-1, 1));
    EXPECT_NE(draw(-1, 1), draw(0, 0));
}

/** Fails with probability of at most about 1e-6 for a random seed. */
TEST(SeededRandom, EveryOrderIsEquallyLikely)
{
    const auto random = CreateSeeded<UniformRandomVariable>(11, 0);
    std::map<SampleIndices, double> orders;
    for (int repetition = 0; repetition < 24000; ++repetition)
    {
        ++orders[RandomOrder(4, *random)];
    }
    ASSERT_EQ(orders.size(), 24U); // 4!
    std::vector<double> counts;
    for (const auto& [order, count] : orders)
    {
        EXPECT_TRUE(
            std::is_permutation(order.begin(), order.end(), SampleIndices{0, 1, 2, 3}.begin()));
        counts.push_back(count);
    }
    EXPECT_LT(ChiSquare(counts), ChiSquareBound(counts.size()));
}

TEST(SeededRandom, ShufflesNothingAndOne)
{
    const auto random = CreateSeeded<UniformRandomVariable>(11, 0);
    EXPECT_TRUE(RandomOrder(0, *random).empty());
    SampleIndices one{5};
    Shuffle(one, *random);
    EXPECT_EQ(one, SampleIndices{5});
}

TEST(NormalStream, HasTheNormalDistribution)
{
    // Kolmogorov-Smirnov over a million numbers: P(sqrt(N) D > 3) < 2 exp(-18) = 3.1e-8.
    constexpr int N = 1000000;
    NormalStream normals(1);
    std::vector<double> numbers(N);
    std::generate(numbers.begin(), numbers.end(), [&] { return normals.Next(); });
    std::sort(numbers.begin(), numbers.end());
    double distance = 0;
    for (int i = 0; i < N; ++i)
    {
        const double p = std::erfc(-numbers[i] * M_SQRT1_2) / 2;
        distance = std::max({distance, p - i / double(N), (i + 1) / double(N) - p});
    }
    EXPECT_LT(std::sqrt(N) * distance, 3);

    // The tail beyond 3.654 has a sampler of its own: 1e6 * 2.581e-4 = 258 expected, standard
    // deviation 16; six of them have probability 2e-9.
    const auto beyond = std::count_if(numbers.begin(), numbers.end(), [](double x) {
        return std::abs(x) > 3.6541528853610088;
    });
    EXPECT_NEAR(beyond, 1e6 * std::erfc(3.6541528853610088 * M_SQRT1_2), 6 * 16.1);
    EXPECT_GT(numbers.back(), 4);
    EXPECT_LT(numbers.front(), -4);
}

TEST(NormalStream, FillsEveryLayerSmoothly)
{
    // Counts in 200 bins of equal probability: chi-squared with 199 degrees of freedom, standard
    // deviation 20; beyond 199 + 7 * 20 its upper tail is below 1e-8 (Laurent and Massart).
    constexpr int N = 2000000;
    constexpr int BINS = 200;
    NormalStream normals(2);
    std::vector<int> counts(BINS);
    for (int i = 0; i < N; ++i)
    {
        const double p = std::erfc(-normals.Next() * M_SQRT1_2) / 2;
        ++counts[std::min(BINS - 1, static_cast<int>(p * BINS))];
    }
    double chi = 0;
    for (int count : counts)
    {
        chi += std::pow(count - N / double(BINS), 2) / (N / double(BINS));
    }
    EXPECT_LT(chi, 339);
    EXPECT_GT(chi, 100); // and not smoother than chance, either
}

TEST(NormalStream, IsAFunctionOfItsKey)
{
    ModelVector a = ModelVector::Zero(1000);
    ModelVector b = ModelVector::Constant(1000, 5);
    NormalStream first(7);
    first.AddTo(2, a.head(300));
    first.AddTo(2, a.tail(700));
    NormalStream second(7);
    second.AddTo(2, b);
    EXPECT_EQ((a.array() + 5 - b.array()).abs().maxCoeff(), 0);
    NormalStream third(7);
    EXPECT_EQ(2 * third.Next(), a[0]);
}

TEST(NormalStream, KeysThatDifferByOneBitAreUnrelated)
{
    // 128 correlations of 20000 numbers, each of standard deviation 1/sqrt(20000); all within
    // 6 of them but for a probability of 128 * 2e-9.
    constexpr int N = 20000;
    ModelVector base = ModelVector::Zero(N);
    NormalStream(MixKey(3, 4)).AddTo(1, base);
    std::set<uint64_t> keys{MixKey(3, 4)};
    for (int bit = 0; bit < 128; ++bit)
    {
        const uint64_t flip = uint64_t{1} << (bit % 64);
        const uint64_t key = bit < 64 ? MixKey(3 ^ flip, 4) : MixKey(3, 4 ^ flip);
        EXPECT_TRUE(keys.insert(key).second);
        ModelVector other = ModelVector::Zero(N);
        NormalStream(key).AddTo(1, other);
        EXPECT_LT(std::abs(base.dot(other)) / N, 6 / std::sqrt(N));
    }
}

TEST(GaussianMechanism, HasItsScaleAndDependsOnTheRoundAlone)
{
    const auto make = [](int64_t stream) {
        auto mechanism = CreateObjectWithAttributes<GaussianMechanism>("BaseScale", DoubleValue(3));
        EXPECT_EQ(mechanism->AssignStreams(stream), 1);
        return mechanism;
    };
    constexpr int N = 100000;
    ModelVector first = ModelVector::Zero(N);
    ModelVector second = ModelVector::Zero(N);
    const auto mechanism = make(5);
    mechanism->Perturb(0, first);
    mechanism->Perturb(1, second);
    // Standard deviations: variance 9 sqrt(2/N), covariance 9/sqrt(N); six of them, 2e-9 each.
    EXPECT_NEAR(first.squaredNorm() / N, 9, 6 * 9 * std::sqrt(2.0 / N));
    EXPECT_NEAR(first.dot(second) / N, 0, 6 * 9 / std::sqrt(N));

    ModelVector again = ModelVector::Zero(N);
    make(5)->Perturb(1, again);
    EXPECT_EQ(again, second);
    make(6)->Perturb(1, again);
    EXPECT_NE(again, 2 * second);

    const auto silent = CreateObjectWithAttributes<GaussianMechanism>("BaseScale", DoubleValue(0));
    ModelVector same = second;
    silent->Perturb(0, same);
    EXPECT_EQ(same, second);
}

} // namespace
