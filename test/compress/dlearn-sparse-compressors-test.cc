/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-compressor.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <random>

namespace ns3::dlearn
{
namespace
{

template <typename Kind>
Ptr<Kind>
Make(uint32_t kept, uint32_t dimension, bool feedback = false)
{
    const auto compressor = CreateObject<Kind>();
    compressor->SetAttribute("K", UintegerValue(kept));
    compressor->Setup(dimension, Encoding::FLOAT64, feedback);
    compressor->AssignStreams(4711);
    return compressor;
}

ModelVector
ReadPacked(const PackedVector& packed, uint32_t dimension)
{
    ModelVector values(dimension);
    EXPECT_TRUE(UnpackVector(packed, values));
    return values;
}

// Against a full sort. Small whole numbers make many ties.
TEST(TopKCompressor, SendsTheFirstOfASortByMagnitude)
{
    std::mt19937_64 engine(1);
    for (uint32_t trial = 0; trial < 2000; ++trial)
    {
        const uint32_t dimension = 1 + engine() % 40;
        const uint32_t kept = 1 + engine() % dimension;
        const ModelVector values = ModelVector::NullaryExpr(dimension, [&] {
            return static_cast<double>(engine() % 9) - 4;
        });
        std::vector<uint32_t> order(dimension);
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
            return std::abs(values[a]) > std::abs(values[b]);
        });
        ModelVector expected = ModelVector::Zero(dimension);
        for (uint32_t k = 0; k < kept; ++k)
        {
            expected[order[k]] = values[order[k]];
        }
        const PackedVector packed = Make<TopKCompressor>(kept, dimension)->Compress(values);
        ASSERT_EQ(ReadPacked(packed, dimension), expected);
        ASSERT_EQ(packed.bytes.size(), kept * 12);
    }
}

TEST(TopKCompressor, NaNIsTheLargest)
{
    ModelVector values(4);
    values << 1, std::nan(""), 1e300, 2;
    const ModelVector read = ReadPacked(Make<TopKCompressor>(1, 4)->Compress(values), 4);
    EXPECT_TRUE(std::isnan(read[1]));
    EXPECT_EQ(read[2], 0);
}

// All 6 pairs of 4 entries, and all 36 sequences of two such pairs, must be equally likely,
// also from one call to the next. By Hoeffding a frequency of n = 400,000 is off by more than
// 0.0056 with probability 2 exp(-2 n 0.0056^2) = 2.5e-11; for 36 of them that is 9e-10.
TEST(RandomKCompressor, EverySetIsEquallyLikelyWhateverCameBefore)
{
    const auto compressor = Make<RandomKCompressor>(2, 4);
    const uint32_t trials = 400000;
    const ModelVector ones = ModelVector::Ones(4);
    std::map<std::vector<bool>, uint32_t> counts;
    for (uint32_t trial = 0; trial < trials; ++trial)
    {
        std::vector<bool> sent;
        for (uint32_t half = 0; half < 2; ++half)
        {
            for (const double value : ReadPacked(compressor->Compress(ones), 4))
            {
                ASSERT_TRUE(value == 0 || value == 2); // d / K = 2
                sent.push_back(value != 0);
            }
        }
        ++counts[sent];
    }
    EXPECT_EQ(counts.size(), 36U);
    for (const auto& [sent, count] : counts)
    {
        EXPECT_NEAR(count / double(trials), 1 / 36.0, 0.0056);
    }
}

// An entry is d/K v_i or 0: by Hoeffding the mean of n = 20,000 is off by more than
// e d/K |v_i| with probability 2 exp(-2 n e^2); with e = 0.0253, for 50 entries, 7.6e-10.
TEST(RandomKCompressor, IsUnbiasedByItselfAndUnscaledWithFeedback)
{
    const uint32_t dimension = 50;
    const uint32_t kept = 20;
    const uint32_t trials = 20000;
    std::mt19937_64 engine(3);
    std::normal_distribution<double> normal(0, 2);
    const ModelVector values = ModelVector::NullaryExpr(dimension, [&] { return normal(engine); });
    const auto unbiased = Make<RandomKCompressor>(kept, dimension);
    const auto contraction = Make<RandomKCompressor>(kept, dimension, true);
    ModelVector mean = ModelVector::Zero(dimension);
    for (uint32_t trial = 0; trial < trials; ++trial)
    {
        mean += ReadPacked(unbiased->Compress(values), dimension) / trials;
        const ModelVector read = ReadPacked(contraction->Compress(values), dimension);
        ASSERT_EQ((read.array() == values.array()).count(), kept);
        ASSERT_EQ((read.array() == 0).count(), dimension - kept);
    }
    const double scale = static_cast<double>(dimension) / kept;
    for (uint32_t k = 0; k < dimension; ++k)
    {
        EXPECT_LT(std::abs(mean[k] - values[k]), 0.0253 * scale * std::abs(values[k])) << k;
    }
}

} // namespace
} // namespace ns3::dlearn
