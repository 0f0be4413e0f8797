/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

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

bool
Unpacks(Encoding encoding, const Bytes& bytes, uint32_t dimension)
{
    ModelVector values(dimension);
    return UnpackVector({encoding, bytes}, values);
}

// By hand: scale 1.5, S = 3, hence 3 bits an entry; multiples -3, 0, 3, 1 are the codes
// 0, 3, 6, 4: 000 011 110 100, and four bits to fill up.
const Bytes QSGD_GOLDEN{0x3f, 0xc0, 0, 0, 0, 0, 0, 3, 0x0f, 0x40};

// By hand: entries 1 and 258, values 1.5 and -2 in 32 bits.
const Bytes SPARSE_GOLDEN{0, 0, 0, 1, 0, 0, 1, 2, 0x3f, 0xc0, 0, 0, 0xc0, 0, 0, 0};

TEST(PackedVector, QsgdWritesAndReadsTheGoldenBytes)
{
    EXPECT_EQ(EncodeQsgd(1.5F, 3, {-3, 0, 3, 1}), QSGD_GOLDEN);
    ModelVector values(4);
    ASSERT_TRUE(UnpackVector({Encoding::QSGD, QSGD_GOLDEN}, values));
    EXPECT_EQ(values, (ModelVector(4) << -1.5, 0, 1.5, 0.5).finished());
}

TEST(PackedVector, SparseWritesAndReadsTheGoldenBytes)
{
    const ModelVector entries = (ModelVector(2) << 1.5, -2).finished();
    EXPECT_EQ(EncodeSparse({1, 258}, entries, Encoding::FLOAT32), SPARSE_GOLDEN);
    ModelVector values = ModelVector::Constant(259, 7);
    ASSERT_TRUE(UnpackVector({Encoding::SPARSE32, SPARSE_GOLDEN}, values));
    EXPECT_EQ(values[1], 1.5);
    EXPECT_EQ(values[258], -2);
    EXPECT_EQ(values.lpNorm<1>(), 3.5);
    EXPECT_EQ(EncodeSparse({1}, entries.head(1), Encoding::FLOAT16), (Bytes{0, 0, 0, 1, 0x3e, 0}));
    EXPECT_EQ(EncodeSparse({1}, entries.head(1), Encoding::FLOAT64),
              (Bytes{0, 0, 0, 1, 0x3f, 0xf8, 0, 0, 0, 0, 0, 0}));
}

// b is the smallest width in which 2 S + 1 codes fit, d entries of it fill whole bytes.
TEST(PackedVector, QsgdOfAnyWidthAndLengthComesBack)
{
    std::mt19937_64 engine(1);
    for (uint32_t levels :
         {1U, 2U, 3U, 4U, 7U, 8U, 100U, 127U, 128U, 32767U, 65536U, (1U << 23) - 1})
    {
        uint32_t width = 1;
        while ((uint64_t{1} << width) < 2 * uint64_t{levels} + 1)
        {
            ++width;
        }
        EXPECT_EQ(GetQsgdBits(levels), width);
        for (const uint32_t dimension : {1U, 2U, 3U, 7U, 8U, 9U, 63U, 1000U})
        {
            std::vector<int32_t> multiples(dimension);
            for (int32_t& multiple : multiples)
            {
                multiple = static_cast<int32_t>(engine() % (2 * levels + 1) - levels);
            }
            const Bytes bytes = EncodeQsgd(levels, levels, multiples); // a step is 1
            EXPECT_EQ(bytes.size(), 8 + std::ceil(dimension * width / 8.0));
            EXPECT_TRUE(IsPackedSize(Encoding::QSGD, dimension, bytes.size()));
            ModelVector values(dimension);
            ASSERT_TRUE(UnpackVector({Encoding::QSGD, bytes}, values));
            for (uint32_t k = 0; k < dimension; ++k)
            {
                ASSERT_EQ(values[k], multiples[k]);
            }
        }
    }
}

TEST(PackedVector, QsgdThatIsNoVectorIsRefused)
{
    const auto with = [](auto change) {
        Bytes bytes = QSGD_GOLDEN;
        change(bytes);
        return Unpacks(Encoding::QSGD, bytes, 4);
    };
    EXPECT_TRUE(with([](Bytes&) {}));
    EXPECT_FALSE(with([](Bytes& b) { b.pop_back(); }));
    EXPECT_FALSE(with([](Bytes& b) { b.push_back(0); }));
    EXPECT_FALSE(with([](Bytes& b) { b.resize(7); }));
    EXPECT_FALSE(with([](Bytes& b) { b.clear(); }));
    EXPECT_FALSE(with([](Bytes& b) { b[0] = 0x7f, b[1] = 0xc0; })) << "NaN";
    EXPECT_FALSE(with([](Bytes& b) { b[0] = 0x7f, b[1] = 0x80; })) << "infinite";
    EXPECT_FALSE(with([](Bytes& b) { b[0] = 0xbf; })) << "negative";
    EXPECT_FALSE(with([](Bytes& b) { b[7] = 0; })) << "no levels";
    EXPECT_FALSE(with([](Bytes& b) { b[7] = 4; })) << "levels of another width";
    EXPECT_FALSE(with([](Bytes& b) { b[4] = 0x80; })) << "too many levels";
    EXPECT_FALSE(with([](Bytes& b) { b[8] = 0xef; })) << "code 7 of 0 to 6";
    EXPECT_FALSE(with([](Bytes& b) { b[9] = 0x41; })) << "filled up with a one";
    EXPECT_FALSE(Unpacks(Encoding::QSGD, QSGD_GOLDEN, 6));
    EXPECT_FALSE(Unpacks(Encoding::QSGD, QSGD_GOLDEN, 2));
}

TEST(PackedVector, SparseThatIsNoVectorIsRefused)
{
    const auto with = [](auto change) {
        Bytes bytes = SPARSE_GOLDEN;
        change(bytes);
        return Unpacks(Encoding::SPARSE32, bytes, 259);
    };
    EXPECT_TRUE(with([](Bytes&) {}));
    EXPECT_FALSE(with([](Bytes& b) { b.pop_back(); }));
    EXPECT_FALSE(with([](Bytes& b) { b.push_back(0); }));
    EXPECT_FALSE(with([](Bytes& b) { b[7] = 3; })) << "index 259 of 0 to 258";
    EXPECT_FALSE(with([](Bytes& b) { b[4] = 0xff; })) << "a negative index, if it were signed";
    EXPECT_FALSE(with([](Bytes& b) { b[6] = 0, b[7] = 1; })) << "index twice";
    EXPECT_FALSE(with([](Bytes& b) { b[6] = 0, b[7] = 0; })) << "index descends";
    EXPECT_FALSE(Unpacks(Encoding::SPARSE32, SPARSE_GOLDEN, 258));
    EXPECT_FALSE(Unpacks(Encoding::SPARSE32, SPARSE_GOLDEN, 1)) << "more entries than there are";
}

TEST(PackedVector, SizesAreBoundedByTheDimension)
{
    const uint64_t most = ~uint32_t{0};
    // 2 to 24 bits an entry.
    EXPECT_FALSE(IsPackedSize(Encoding::QSGD, 5, 9));
    EXPECT_TRUE(IsPackedSize(Encoding::QSGD, 5, 10));
    EXPECT_TRUE(IsPackedSize(Encoding::QSGD, 5, 23));
    EXPECT_FALSE(IsPackedSize(Encoding::QSGD, 5, 24));
    EXPECT_FALSE(IsPackedSize(Encoding::QSGD, most, 1 << 20));
    // 1 to d entries.
    const std::pair<Encoding, uint64_t> sparse[] = {{Encoding::SPARSE16, 6},
                                                    {Encoding::SPARSE32, 8},
                                                    {Encoding::SPARSE64, 12}};
    for (const auto& [encoding, size] : sparse)
    {
        EXPECT_FALSE(IsPackedSize(encoding, 5, 0));
        EXPECT_TRUE(IsPackedSize(encoding, 5, size));
        EXPECT_FALSE(IsPackedSize(encoding, 5, size + 1));
        EXPECT_TRUE(IsPackedSize(encoding, 5, 5 * size));
        EXPECT_FALSE(IsPackedSize(encoding, 5, 6 * size));
        EXPECT_TRUE(IsPackedSize(encoding, most, most * size)) << "does not wrap";
    }
}

// Sanitizers see every byte that is read or written too far: both are heap blocks of just the
// size. Whatever is accepted must be reproduced by nothing but what was read.
TEST(PackedVector, GarbageDoesNoHarm)
{
    std::mt19937_64 engine(5);
    uint32_t accepted = 0;
    for (uint32_t trial = 0; trial < 20000; ++trial)
    {
        const uint32_t dimension = 1 + engine() % 12;
        Bytes bytes = trial % 2 ? QSGD_GOLDEN : SPARSE_GOLDEN;
        for (uint64_t changes = engine() % 4; changes > 0; --changes)
        {
            bytes[engine() % bytes.size()] = engine() % 8;
        }
        bytes.resize(engine() % 2 ? bytes.size() : engine() % 40);
        const auto encoding = static_cast<Encoding>(3 + engine() % 4);
        const bool good = Unpacks(encoding, Bytes(bytes), dimension);
        EXPECT_TRUE(!good || bytes.empty() || IsPackedSize(encoding, dimension, bytes.size()));
        accepted += good;
    }
    EXPECT_GT(accepted, 100U);
}

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
