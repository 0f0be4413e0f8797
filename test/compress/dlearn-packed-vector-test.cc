/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-encoding.h"

#include <cmath>
#include <gtest/gtest.h>
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

} // namespace
} // namespace ns3::dlearn
