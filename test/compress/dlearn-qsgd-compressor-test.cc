/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-compressor.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace ns3::dlearn
{
namespace
{

Ptr<QsgdCompressor>
Make(uint32_t levels, uint32_t dimension, bool feedback = false)
{
    const auto compressor = CreateObject<QsgdCompressor>();
    compressor->SetAttribute("Levels", UintegerValue(levels));
    compressor->Setup(dimension, Encoding::FLOAT32, feedback);
    compressor->AssignStreams(4711);
    return compressor;
}

/** @return the scale that travels */
float
GetScale(const PackedVector& packed)
{
    const uint32_t bits = uint32_t{packed.bytes[0]} << 24 | packed.bytes[1] << 16 |
                          packed.bytes[2] << 8 | packed.bytes[3];
    float scale;
    std::memcpy(&scale, &bits, sizeof(scale));
    return scale;
}

ModelVector
Read(const PackedVector& packed, uint32_t dimension)
{
    ModelVector values(dimension);
    EXPECT_TRUE(UnpackVector(packed, values));
    return values;
}

// Unbiased, and with the variance of rounding up with probability p: p (1 - p) steps squared.
// In units of a step N/S, n rounded entries lie in an interval of 1, so by Hoeffding their mean
// is off by more than e with probability 2 exp(-2 n e^2). With n = 20,000 and e = 0.0255, for
// 40 entries and 4 numbers of levels, that makes 1.6e-9 in all. The squared errors of all 40
// entries are in [0, 1], too: n = 800,000, e = 0.004, 4 times, 6e-11.
TEST(QsgdCompressor, IsUnbiasedWithTheVarianceOfTheRounding)
{
    const uint32_t dimension = 40;
    const uint32_t trials = 20000;
    std::mt19937_64 engine(1);
    std::normal_distribution<double> normal(0, 2);
    for (const uint32_t levels : {1U, 2U, 7U, 50U})
    {
        const ModelVector values =
            ModelVector::NullaryExpr(dimension, [&] { return normal(engine); });
        const double step = values.norm() / levels;
        const auto compressor = Make(levels, dimension);
        ModelVector mean = ModelVector::Zero(dimension);
        double variance = 0;
        for (uint32_t trial = 0; trial < trials; ++trial)
        {
            const ModelVector read = Read(compressor->Compress(values), dimension);
            mean += read / trials;
            variance += (read - values).squaredNorm() / trials;
        }
        EXPECT_LT((mean - values).lpNorm<Eigen::Infinity>() / step, 0.0255) << levels;
        double expected = 0;
        for (const double value : values)
        {
            const double part = std::abs(value) / step - std::floor(std::abs(value) / step);
            expected += part * (1 - part);
        }
        EXPECT_NEAR(variance / (step * step * dimension), expected / dimension, 0.004) << levels;
        const double omega = std::min(dimension / double(levels * levels),
                                      std::sqrt(dimension) / levels); // Lemma 3.1
        EXPECT_LE(expected * step * step, omega * values.squaredNorm());
    }
}

// A norm rounded down, or to nearest, would make a ratio exceed 1 and cut it: a bias too small
// for statistics.
TEST(QsgdCompressor, TheNormThatTravelsIsNeverTooSmall)
{
    std::mt19937_64 engine(2);
    std::uniform_real_distribution<double> exponent(-320, 38);
    for (uint32_t trial = 0; trial < 20000; ++trial)
    {
        const uint32_t dimension = 1 + trial % 3;
        double magnitude = std::pow(10.0, exponent(engine));
        if (trial % 4 < 2) // the double next to a float, where a rounded sum may fall short
        {
            magnitude = std::nextafter(static_cast<float>(magnitude), 1e39);
        }
        ModelVector values = ModelVector::Zero(dimension);
        values[0] = magnitude; // alone, or all alike
        if (trial % 2)
        {
            values.setConstant(-magnitude);
        }
        const PackedVector packed = Make(5, dimension)->Compress(values);
        const long double exact =
            std::sqrt(static_cast<long double>(trial % 2 ? dimension : 1)) * magnitude;
        const float scale = GetScale(packed);
        ASSERT_GE(scale, magnitude);
        ASSERT_GE(scale * (1 + 1e-15L), exact);
        // Not more than one float too large.
        ASSERT_LE(std::nextafter(scale, 0.0F), exact * (1 + 1e-15L));
        Read(packed, dimension); // all levels in range
    }
}

TEST(QsgdCompressor, KeepsWhatItsLevelsCanSay)
{
    // The norm is 5: steps of 1/5 of it hit every entry.
    const ModelVector values = (ModelVector(3) << 3, -4, 0).finished();
    for (uint32_t trial = 0; trial < 100; ++trial)
    {
        const ModelVector read = Read(Make(5, 3)->Compress(values), 3);
        EXPECT_LT((read - values).lpNorm<Eigen::Infinity>(), 1e-15);
    }
    // delta = 1 / (1 + omega), omega = min(3 / 25, sqrt(3) / 5) = 0.12.
    const ModelVector shrunk = Read(Make(5, 3, true)->Compress(values), 3);
    EXPECT_LT((shrunk - values / 1.12).lpNorm<Eigen::Infinity>(), 1e-6); // a float's precision
}

TEST(QsgdCompressor, TakesTheLevelsThatAnEntryCanHold)
{
    const auto compressor = CreateObject<QsgdCompressor>();
    EXPECT_FALSE(compressor->SetAttributeFailSafe("Levels", UintegerValue(0)));
    EXPECT_FALSE(compressor->SetAttributeFailSafe("Levels", UintegerValue(8388608)));
    EXPECT_TRUE(compressor->SetAttributeFailSafe("Levels", UintegerValue(8388607)));
    compressor->Setup(5, Encoding::FLOAT32, false);
    EXPECT_EQ(compressor->GetPackedSize(), 8 + 5 * 3U);
    // Steps of 1e-7 of the norm: about as fine as 32-bit numbers.
    const ModelVector values = ModelVector::LinSpaced(5, -1, 1.5);
    EXPECT_LT((Read(compressor->Compress(values), 5) - values).norm(), 1e-6);
}

} // namespace
} // namespace ns3::dlearn
