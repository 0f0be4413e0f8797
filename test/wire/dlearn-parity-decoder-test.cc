/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-erasure-code.h"
#include "ns3/dlearn-message-receiver.h"
#include "ns3/dlearn-network-order.h"
#include "ns3/dlearn-parity-decoder.h"

#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace ns3::dlearn
{
namespace
{

using Bytes = std::vector<uint8_t>;

/** A message of 100 bytes, 8 of them a figure, in nine fragments, of 12 bytes but for the last, and
 *  in blocks of four. */
class ParityDecoderTest : public testing::Test
{
  protected:
    static constexpr uint32_t LENGTH = 100;
    static constexpr uint32_t SIZE = 12;
    static constexpr LearnerId SENDER = 3;

    ParityDecoderTest()
        : m_bytes(LENGTH),
          m_decoder({[this](LearnerId from, ModelChannel channel, uint32_t round, uint32_t length) {
                         return m_assembler.GetMissing({from, channel, round}, length);
                     },
                     [this](LearnerId from, ModelChannel channel, uint32_t round, ByteRange range) {
                         return m_assembler.CopyBytes({from, channel, round}, range);
                     }})
    {
        std::iota(m_bytes.begin(), m_bytes.end(), 1);
    }

    void SetUp() override
    {
        if (!ErasureCode::IsAvailable())
        {
            GTEST_SKIP() << "without ISA-L";
        }
    }

    /** Let fragment k arrive. */
    ModelHeader Give(uint32_t k)
    {
        ModelHeader header;
        header.sender = SENDER;
        header.round = 1;
        header.vectorLength = LENGTH / 4 - 2;
        header.messageLength = LENGTH;
        header.figures = 1;
        header.fragmentOffset = k * SIZE;
        header.payloadLength = std::min(SIZE, LENGTH - k * SIZE);
        m_assembler.Add(header, m_bytes.data() + k * SIZE);
        return header;
    }

    /** @return a piece of parity of a block */
    ParityDatagram MakeParity(uint32_t block, uint8_t row) const
    {
        ParityDatagram parity;
        parity.round = 1;
        parity.vectorLength = LENGTH / 4 - 2;
        parity.messageLength = LENGTH;
        parity.figures = 1;
        parity.fragmentSize = SIZE;
        parity.blockFragments = 4;
        parity.block = block;
        parity.row = row;
        std::vector<ErasureCode::Piece> data;
        for (uint32_t k = parity.GetFirst(); k < parity.GetEnd(); ++k)
        {
            data.emplace_back(SIZE);
            std::copy_n(m_bytes.begin() + k * SIZE,
                        std::min(SIZE, LENGTH - k * SIZE),
                        data.back().begin());
        }
        parity.piece = ErasureCode::Encode(data, row);
        return parity;
    }

    /** Expects that a datagram is fragment k. */
    void ExpectFragment(const Bytes& datagram, uint32_t k) const
    {
        ModelHeader header;
        ASSERT_GE(datagram.size(), ModelHeader::SIZE);
        header.Read(datagram.data());
        EXPECT_TRUE(header.IsValid());
        EXPECT_TRUE(header.IsIntact(datagram.data() + ModelHeader::SIZE));
        EXPECT_EQ(header.sender, SENDER);
        EXPECT_EQ(header.figures, 1U);
        EXPECT_EQ(header.fragmentOffset, k * SIZE);
        const uint32_t size = std::min(SIZE, LENGTH - k * SIZE);
        EXPECT_EQ(Bytes(datagram.begin() + ModelHeader::SIZE, datagram.end()),
                  Bytes(m_bytes.begin() + k * SIZE, m_bytes.begin() + k * SIZE + size));
    }

    Bytes m_bytes;
    MessageAssembler m_assembler{4};
    ParityDecoder m_decoder;
};

TEST_F(ParityDecoderTest, MakesGoodAsManyFragmentsAsThereIsParity)
{
    Give(0);
    Give(2);
    EXPECT_TRUE(m_decoder.Add(SENDER, MakeParity(0, 5)).empty()); // 1 and 3 are missing
    EXPECT_TRUE(m_decoder.Add(SENDER, MakeParity(0, 5)).empty()); // the same again
    const auto found = m_decoder.Add(SENDER, MakeParity(0, 0));
    ASSERT_EQ(found.size(), 2U);
    ExpectFragment(found[0], 1);
    ExpectFragment(found[1], 3);
}

// Nine fragments: the last block is one of four bytes.
TEST_F(ParityDecoderTest, FillsTheLastFragmentWithZeros)
{
    const auto found = m_decoder.Add(SENDER, MakeParity(2, 0));
    ASSERT_EQ(found.size(), 1U);
    ExpectFragment(found[0], 8);
}

TEST_F(ParityDecoderTest, TriesAgainWhenAFragmentComes)
{
    Give(4);
    Give(5);
    EXPECT_TRUE(m_decoder.Add(SENDER, MakeParity(1, 0)).empty());
    EXPECT_TRUE(m_decoder.Retry(SENDER, Give(0)).empty()); // of another block
    const auto found = m_decoder.Retry(SENDER, Give(7));
    ASSERT_EQ(found.size(), 1U);
    ExpectFragment(found[0], 6);
    EXPECT_TRUE(m_decoder.Retry(SENDER, Give(1)).empty());
}

TEST_F(ParityDecoderTest, NeedsLessByWhatItHas)
{
    using Ranges = std::vector<ByteRange>;
    m_decoder.Add(SENDER, MakeParity(0, 0));
    m_decoder.Add(SENDER, MakeParity(0, 1));
    m_decoder.Add(SENDER, MakeParity(1, 0));
    // Two of the four fragments of block 0, three of block 1, the one of block 2.
    EXPECT_EQ(m_decoder.GetNeeds(SENDER, ModelChannel::STATE, 1, {{0, LENGTH}}),
              (Ranges{{24, 48}, {60, 100}}));
    EXPECT_EQ(m_decoder.GetNeeds(SENDER, ModelChannel::STATE, 2, {{0, 50}}), (Ranges{{0, 50}}));
    EXPECT_EQ(m_decoder.GetNeeds(4, ModelChannel::STATE, 1, {{0, 50}}), (Ranges{{0, 50}}));
}

TEST_F(ParityDecoderTest, IgnoresWhatDoesNotFitAndWhatIsOfAnother)
{
    for (const uint32_t k : {0U, 1U, 2U})
    {
        Give(k);
    }
    auto other = MakeParity(0, 0);
    EXPECT_TRUE(m_decoder.Add(SENDER + 1, other).empty());
    m_decoder.Add(SENDER, MakeParity(1, 0));
    other.blockFragments = 5;
    EXPECT_TRUE(m_decoder.Add(SENDER, other).empty());
    EXPECT_EQ(m_decoder.Add(SENDER, MakeParity(0, 0)).size(), 1U);
}

TEST_F(ParityDecoderTest, DatagramsAreReadAsWrittenOrNotAtAll)
{
    const auto parity = MakeParity(1, 9);
    const auto good = parity.Write();
    ASSERT_EQ(good.size(), ParityDatagram::SIZE + SIZE);
    EXPECT_EQ(Get32(good.data() + 20), 1U);
    const auto read = ParityDatagram::Read(good.data(), good.size());
    ASSERT_TRUE(read);
    EXPECT_EQ(read->Write(), good);
    EXPECT_EQ(read->GetFirst(), 4U);
    EXPECT_EQ(read->GetEnd(), 8U);
    for (size_t k = 0; k < good.size(); ++k)
    {
        auto bytes = good;
        bytes[k] ^= 1;
        EXPECT_FALSE(ParityDatagram::Read(bytes.data(), bytes.size())) << k;
        EXPECT_FALSE(ParityDatagram::Read(good.data(), k)) << k;
    }
    auto wrong = parity;
    wrong.block = 3; // behind the end
    auto bytes = wrong.Write();
    EXPECT_FALSE(ParityDatagram::Read(bytes.data(), bytes.size()));
    wrong = parity;
    wrong.row = 251; // 4 + 251 pieces
    bytes = wrong.Write();
    EXPECT_FALSE(ParityDatagram::Read(bytes.data(), bytes.size()));
    wrong = parity;
    wrong.blockFragments = 0;
    bytes = wrong.Write();
    EXPECT_FALSE(ParityDatagram::Read(bytes.data(), bytes.size()));
}

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
