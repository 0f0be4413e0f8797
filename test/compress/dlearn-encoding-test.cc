/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-encoding.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

namespace ns3::dlearn
{
namespace
{

using Bytes = std::vector<uint8_t>;

TEST(EncodeVector, WritesNetworkOrder)
{
    // Bit patterns of IEEE 754.
    ModelVector values(4);
    values << 1.0, -2.5, 0.1, 65536.0;
    Bytes single(16);
    EncodeVector(values, Encoding::FLOAT32, single.data());
    EXPECT_EQ(
        single,
        (Bytes{0x3f, 0x80, 0, 0, 0xc0, 0x20, 0, 0, 0x3d, 0xcc, 0xcc, 0xcd, 0x47, 0x80, 0, 0}));
    Bytes twice(32);
    EncodeVector(values, Encoding::FLOAT64, twice.data());
    EXPECT_EQ(twice, (Bytes{0x3f, 0xf0, 0,    0,    0, 0,    0,    0,    0xc0, 0x04, 0,
                            0,    0,    0,    0,    0, 0x3f, 0xb9, 0x99, 0x99, 0x99, 0x99,
                            0x99, 0x9a, 0x40, 0xf0, 0, 0,    0,    0,    0,    0}));
}

TEST(EncodeVector, KeepsTheStrangeNumbers)
{
    const double inf = std::numeric_limits<double>::infinity();
    ModelVector values(6);
    values << std::nan(""), inf, -inf, -0.0, std::numeric_limits<float>::denorm_min(),
        std::numeric_limits<double>::denorm_min();
    for (const Encoding encoding : {Encoding::FLOAT32, Encoding::FLOAT64})
    {
        Bytes bytes(values.size() * GetNumberSize(encoding));
        EncodeVector(values, encoding, bytes.data());
        ModelVector back(values.size());
        DecodeVector(bytes.data(), encoding, back);
        EXPECT_TRUE(std::isnan(back[0]));
        EXPECT_EQ(back[1], inf);
        EXPECT_EQ(back[2], -inf);
        EXPECT_EQ(back[3], 0);
        EXPECT_TRUE(std::signbit(back[3]));
        EXPECT_EQ(back[4], values[4]);
        EXPECT_EQ(back[5], encoding == Encoding::FLOAT64 ? values[5] : 0.0);
    }
    Bytes golden(4);
    EncodeVector(ModelVector::Constant(1, -inf), Encoding::FLOAT32, golden.data());
    EXPECT_EQ(golden, (Bytes{0xff, 0x80, 0, 0}));
}

TEST(EncodeVector, RoundsOnceToSingleAndNeverToDouble)
{
    std::mt19937_64 engine(3);
    std::normal_distribution<double> normal(0, 1e3);
    const ModelVector values = ModelVector::NullaryExpr(1000, [&] { return normal(engine); });
    Bytes bytes(8 * values.size());
    ModelVector back(values.size());
    EncodeVector(values, Encoding::FLOAT64, bytes.data());
    DecodeVector(bytes.data(), Encoding::FLOAT64, back);
    EXPECT_EQ(back, values);
    EncodeVector(values, Encoding::FLOAT32, bytes.data());
    DecodeVector(bytes.data(), Encoding::FLOAT32, back);
    EXPECT_EQ(back, values.cast<float>().cast<double>());
}

/** Value of a binary16, from the definition of IEEE 754. */
double
HalfValue(uint32_t bits)
{
    const double sign = bits & 0x8000 ? -1 : 1;
    const int exponent = bits >> 10 & 31;
    const double fraction = bits & 1023;
    return sign *
           (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

uint32_t
EncodeHalf(double value)
{
    Bytes bytes(2);
    EncodeVector(ModelVector::Constant(1, value), Encoding::FLOAT16, bytes.data());
    return bytes[0] << 8 | bytes[1];
}

TEST(EncodeHalf, EveryFiniteHalfComesBack)
{
    for (uint32_t bits = 0; bits < 0x10000; ++bits)
    {
        const Bytes bytes{static_cast<uint8_t>(bits >> 8), static_cast<uint8_t>(bits)};
        ModelVector value(1);
        const bool finite = DecodeVector(bytes.data(), Encoding::FLOAT16, value);
        ASSERT_EQ(finite, (bits & 0x7c00) != 0x7c00);
        if (finite)
        {
            ASSERT_EQ(value[0], HalfValue(bits));
            ASSERT_EQ(EncodeHalf(value[0]), bits);
        }
    }
}

// Between every two neighbours: the middle goes to the even one, and the nearest doubles on
// either side of the middle to the nearer one, which rounding to float first would miss.
TEST(EncodeHalf, RoundsToNearestAndTiesToEven)
{
    const double inf = std::numeric_limits<double>::infinity();
    for (const uint32_t sign : {0U, 0x8000U})
    {
        for (uint32_t bits = 0; bits < 0x7bff; ++bits)
        {
            const double middle = (HalfValue(bits) + HalfValue(bits + 1)) / 2;
            const double factor = sign == 0 ? 1 : -1;
            ASSERT_EQ(EncodeHalf(factor * middle), sign | (bits + bits % 2)) << bits;
            ASSERT_EQ(EncodeHalf(factor * std::nextafter(middle, 0)), sign | bits);
            ASSERT_EQ(EncodeHalf(factor * std::nextafter(middle, inf)), sign | (bits + 1));
        }
    }
}

TEST(EncodeHalf, FiniteNumbersStayFiniteAndOthersDoNot)
{
    const double inf = std::numeric_limits<double>::infinity();
    for (const double large : {65504.0, 65519.0, 65520.0, 1e5, 1e38, 1e39, 1.7e308})
    {
        EXPECT_EQ(EncodeHalf(large), 0x7bffU);
        EXPECT_EQ(EncodeHalf(-large), 0xfbffU);
    }
    EXPECT_EQ(EncodeHalf(inf), 0x7c00U);
    EXPECT_EQ(EncodeHalf(-inf), 0xfc00U);
    const uint32_t nan = EncodeHalf(std::nan(""));
    EXPECT_EQ(nan & 0x7c00, 0x7c00U);
    EXPECT_NE(nan & 0x3ff, 0U);
    for (const double small : {0.0, 1e-30, 5e-324, 2.9e-8}) // half the smallest is 2.98e-8
    {
        EXPECT_EQ(EncodeHalf(small), 0U);
        EXPECT_EQ(EncodeHalf(-small), 0x8000U);
    }
}

} // namespace
} // namespace ns3::dlearn
