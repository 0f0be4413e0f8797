/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-erasure-code.h"

#include <gtest/gtest.h>
#include <random>

namespace ns3::dlearn
{
namespace
{

using Piece = ErasureCode::Piece;

/** @return the product in GF(256), by shifting and reducing by x^8 + x^4 + x^3 + x^2 + 1 */
uint8_t
Multiply(uint8_t a, uint8_t b)
{
    uint32_t product = 0;
    for (uint32_t bit = 0; bit < 8; ++bit)
    {
        product ^= (b >> bit & 1) != 0 ? uint32_t{a} << bit : 0;
    }
    for (uint32_t bit = 15; bit >= 8; --bit)
    {
        product ^= (product >> bit & 1) != 0 ? 0x11dU << (bit - 8) : 0;
    }
    return static_cast<uint8_t>(product);
}

/** @return the inverse in GF(256), by trying all */
uint8_t
Invert(uint8_t a)
{
    uint32_t inverse = 1;
    while (Multiply(a, static_cast<uint8_t>(inverse)) != 1)
    {
        ++inverse;
    }
    return static_cast<uint8_t>(inverse);
}

/** The code, where the library has it. */
class ErasureCodeTest : public testing::Test
{
  protected:
    void SetUp() override
    {
        if (!ErasureCode::IsAvailable())
        {
            GTEST_SKIP() << "without ISA-L";
        }
    }

    /** @return random pieces of data */
    std::vector<Piece> Draw(uint32_t pieces, uint32_t size)
    {
        std::vector<Piece> data(pieces, Piece(size));
        for (Piece& piece : data)
        {
            for (uint8_t& byte : piece)
            {
                byte = static_cast<uint8_t>(m_random());
            }
        }
        return data;
    }

    std::mt19937 m_random{1};
};

TEST_F(ErasureCodeTest, ParityIsTheRowOfACauchyMatrix)
{
    for (const uint32_t pieces : {1U, 2U, 7U, 200U})
    {
        const auto data = Draw(pieces, 37);
        for (const uint32_t row : {0U, 1U, 254U - pieces})
        {
            const Piece parity = ErasureCode::Encode(data, row);
            ASSERT_EQ(parity.size(), 37U);
            for (uint32_t byte = 0; byte < 37; ++byte)
            {
                uint8_t sum = 0;
                for (uint32_t j = 0; j < pieces; ++j)
                {
                    const auto entry = Invert(static_cast<uint8_t>((pieces + row) ^ j));
                    sum ^= Multiply(entry, data[j][byte]);
                }
                ASSERT_EQ(parity[byte], sum) << pieces << " " << row << " " << byte;
            }
        }
    }
}

// Of five pieces of data and four of parity, all choices of what is missing.
TEST_F(ErasureCodeTest, AnyAsManyPiecesAsDataGiveTheData)
{
    const auto data = Draw(5, 16);
    for (uint32_t there = 0; there < 1U << 9; ++there)
    {
        std::vector<std::optional<Piece>> pieces(5);
        std::map<uint32_t, Piece> parity;
        uint32_t count = 0;
        for (uint32_t k = 0; k < 9; ++k)
        {
            if ((there >> k & 1) != 0)
            {
                ++count;
                k < 5 ? pieces[k] = data[k] : parity[k - 5] = ErasureCode::Encode(data, k - 5);
            }
        }
        ASSERT_EQ(ErasureCode::Decode(pieces, parity), count >= 5) << there;
        for (uint32_t k = 0; count >= 5 && k < 5; ++k)
        {
            ASSERT_EQ(pieces[k], data[k]) << there;
        }
    }
}

TEST_F(ErasureCodeTest, LargestBlock)
{
    const auto data = Draw(127, 1440);
    std::vector<std::optional<Piece>> pieces(127); // all are missing
    std::map<uint32_t, Piece> parity;
    for (uint32_t row = 1; row < 128; ++row)
    {
        parity[row] = ErasureCode::Encode(data, row);
    }
    ASSERT_TRUE(ErasureCode::Decode(pieces, parity));
    for (uint32_t k = 0; k < 127; ++k)
    {
        ASSERT_EQ(pieces[k], data[k]);
    }
}

} // namespace
} // namespace ns3::dlearn
