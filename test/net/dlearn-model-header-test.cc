/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-net-test-support.h"

#include "ns3/dlearn-model-header.h"
#include "ns3/dlearn-transport.h"
#include "ns3/packet.h"

#include <cmath>
#include <limits>
#include <sstream>

namespace ns3
{
namespace dlearn
{
namespace
{

using test::Bytes;

/** The way from bytes to fragments that every transport uses, without sockets. */
class WireTap : public Transport
{
  public:
    WireTap()
    {
        SetCallbacks(MakeCallback(&WireTap::Take, this), MakeCallback(&WireTap::Refuse, this));
    }

    void Open() override
    {
    }

    void Close() override
    {
    }

    void Send(const Message&, const std::vector<LearnerId>&) override
    {
    }

    bool Settle(uint32_t) override
    {
        return false;
    }

    uint32_t GetFragmentSize() const override
    {
        return 8;
    }

    /** @return whether exactly these bytes are one intact fragment */
    bool Give(const Bytes& bytes)
    {
        // An allocation of exactly this size lets sanitizers see every byte read past it.
        const std::unique_ptr<uint8_t[]> copy(new uint8_t[bytes.size()]);
        std::copy(bytes.begin(), bytes.end(), copy.get());
        const uint64_t before = taken;
        const bool intact = Deliver(copy.get(), bytes.size());
        EXPECT_EQ(taken - before, intact ? 1U : 0U);
        return intact;
    }

    uint64_t taken{0};     //!< fragments
    uint64_t malformed{0}; //!< not
    uint64_t refused{0};   //!< bytes that were not

  private:
    void Take(const ModelHeader& header, const uint8_t* payload)
    {
        ++taken;
        m_sum += payload[header.payloadLength - 1]; // touch its end
    }

    void Refuse(uint32_t size)
    {
        ++malformed;
        refused += size;
    }

    uint64_t m_sum{0};
};

// Written by hand from the picture in the class comment; the checksum was computed with the
// shared library of xxHash 0.8.1 over the other bytes: the low half of
// XXH3(payload, seed XXH3(header without checksum)).
const Bytes GOLDEN = {
    0x01, 0x00, 0x01, 0x00, // version 1, float32, state, reserved
    0x01, 0x02, 0x03, 0x04, // round
    0x00, 0x00, 0x00, 0x05, // sender
    0x00, 0x00, 0x00, 0x02, // two numbers
    0x00, 0x00, 0x00, 0x04, // second number
    0x00, 0x00, 0x00, 0x04, // four bytes
    0x00, 0x00, 0x00, 0x08, // of eight
    0x61, 0x5c, 0x68, 0x59, // checksum
    0x3f, 0xc0, 0x00, 0x00  // 1.5
};

ModelHeader
GoldenHeader()
{
    ModelHeader header;
    header.encoding = Encoding::FLOAT32;
    header.channel = ModelChannel::STATE;
    header.round = 0x01020304;
    header.sender = 5;
    header.vectorLength = 2;
    header.fragmentOffset = 4;
    header.payloadLength = 4;
    header.messageLength = 8;
    return header;
}

TEST(ModelHeader, WritesTheGoldenBytes)
{
    EXPECT_EQ(test::Seal(GoldenHeader(), {0x3f, 0xc0, 0x00, 0x00}), GOLDEN);
}

TEST(ModelHeader, ReadsTheGoldenBytes)
{
    ModelHeader header;
    header.Read(GOLDEN.data());
    EXPECT_TRUE(header.IsValid());
    EXPECT_TRUE(header.IsIntact(GOLDEN.data() + ModelHeader::SIZE));
    EXPECT_EQ(header.encoding, Encoding::FLOAT32);
    EXPECT_EQ(header.channel, ModelChannel::STATE);
    EXPECT_EQ(header.round, 0x01020304U);
    EXPECT_EQ(header.sender, 5U);
    EXPECT_EQ(header.vectorLength, 2U);
    EXPECT_EQ(header.fragmentOffset, 4U);
    EXPECT_EQ(header.payloadLength, 4U);
    EXPECT_EQ(header.messageLength, 8U);
}

TEST(ModelHeader, TravelsThroughAPacket)
{
    const Bytes payload(GOLDEN.begin() + ModelHeader::SIZE, GOLDEN.end());
    ModelHeader header = GoldenHeader();
    header.Seal(payload.data());
    const Ptr<Packet> packet = Create<Packet>(payload.data(), payload.size());
    packet->AddHeader(header);
    Bytes wire(packet->GetSize());
    packet->CopyData(wire.data(), wire.size());
    EXPECT_EQ(wire, GOLDEN);

    ModelHeader back;
    EXPECT_EQ(packet->RemoveHeader(back), ModelHeader::SIZE);
    EXPECT_TRUE(back.IsValid());
    EXPECT_TRUE(back.IsIntact(payload.data()));
    EXPECT_EQ(back.round, header.round);
    std::ostringstream text;
    back.Print(text);
    EXPECT_EQ(text.str(), "round=16909060 sender=5 channel=1 length=2 bytes=[4,8) of 8");
}

TEST(ModelHeader, ShortPacketsAreNotValid)
{
    for (uint32_t size = 0; size < ModelHeader::SIZE; ++size)
    {
        ModelHeader header;
        Create<Packet>(GOLDEN.data(), size)->PeekHeader(header);
        EXPECT_FALSE(header.IsValid()) << size << " bytes";
    }
}

TEST(ModelHeader, FieldsThatDisagreeAreNotValid)
{
    const auto with = [](auto change) {
        ModelHeader header = GoldenHeader();
        change(header);
        return header.IsValid();
    };
    EXPECT_TRUE(with([](ModelHeader&) {}));
    EXPECT_FALSE(with([](ModelHeader& h) { h.encoding = static_cast<Encoding>(2); }));
    EXPECT_FALSE(with([](ModelHeader& h) { h.channel = static_cast<ModelChannel>(CHANNELS); }));
    EXPECT_FALSE(with([](ModelHeader& h) { h.vectorLength = 0; }));
    EXPECT_FALSE(with([](ModelHeader& h) { h.vectorLength = h.messageLength = 0; }));
    EXPECT_FALSE(with([](ModelHeader& h) { h.vectorLength = 3; }));
    EXPECT_FALSE(with([](ModelHeader& h) { h.encoding = Encoding::FLOAT64; }));
    EXPECT_FALSE(with([](ModelHeader& h) { h.payloadLength = 0; }));
    EXPECT_FALSE(with([](ModelHeader& h) { h.payloadLength = 3; }));
    EXPECT_FALSE(with([](ModelHeader& h) { h.payloadLength = 8; }));
    EXPECT_FALSE(with([](ModelHeader& h) { h.fragmentOffset = 2; }));
    EXPECT_FALSE(with([](ModelHeader& h) { h.fragmentOffset = 8; }));
    // Sums and products that wrap in 32 bits.
    EXPECT_FALSE(with([](ModelHeader& h) { h.fragmentOffset = 0xfffffffc; }));
    EXPECT_FALSE(with([](ModelHeader& h) {
        h.vectorLength = 0x40000002;
        h.messageLength = 8;
    }));
    EXPECT_FALSE(with([](ModelHeader& h) {
        h.fragmentOffset = 0xfffffff8;
        h.payloadLength = 12;
    }));
}

TEST(ModelHeader, AnyFlippedBitIsDetected)
{
    WireTap tap;
    ASSERT_TRUE(tap.Give(GOLDEN));
    for (size_t bit = 0; bit < 8 * GOLDEN.size(); ++bit)
    {
        Bytes bytes = GOLDEN;
        bytes[bit / 8] ^= 1 << bit % 8;
        EXPECT_FALSE(tap.Give(bytes)) << "bit " << bit;
    }
    EXPECT_EQ(tap.malformed, 8 * GOLDEN.size());
}

TEST(ModelHeader, AnyOtherLengthIsDetected)
{
    const Bytes whole = test::MakeFragment(3, 7, test::Exact(6));
    WireTap tap;
    for (size_t size = 0; size < whole.size(); ++size)
    {
        EXPECT_FALSE(tap.Give(Bytes(whole.begin(), whole.begin() + size))) << size << " bytes";
    }
    Bytes longer = whole;
    longer.push_back(0);
    EXPECT_FALSE(tap.Give(longer));
    EXPECT_EQ(tap.malformed, whole.size() + 1);
    EXPECT_EQ(tap.refused, whole.size() * (whole.size() - 1) / 2 + longer.size());
    EXPECT_TRUE(tap.Give(whole));
}

// A random 32-bit checksum is right by chance once in 2^32 tries; 20,000 tries make that
// 5e-6, and the seed is fixed.
TEST(ModelHeader, GarbageIsCountedAndHarmless)
{
    std::mt19937_64 engine(1);
    const auto below = [&engine](uint64_t limit) { return engine() % limit; };
    WireTap tap;
    const uint32_t tries = 20000;
    for (uint32_t k = 0; k < tries; ++k)
    {
        Bytes bytes;
        if (k % 2 == 0) // noise
        {
            bytes.resize(below(200));
            for (uint8_t& byte : bytes)
            {
                byte = engine();
            }
        }
        else // a fragment, damaged in a few bytes of its header or cut
        {
            bytes = test::MakeFragment(below(4), below(100), test::Exact(1 + below(20)));
            for (uint64_t changes = 1 + below(4); changes > 0; --changes)
            {
                bytes[4 * below(8) + below(4)] ^= 1 + below(255);
            }
            bytes.resize(bytes.size() - below(2) * below(bytes.size()));
        }
        tap.Give(bytes);
    }
    // Changes to the same byte can undo each other, so a few damaged ones are whole again.
    EXPECT_EQ(tap.malformed + tap.taken, tries);
    EXPECT_LT(tap.taken, tries / 200);
}

// Sealed by somebody who knows how: the fields must agree whatever the checksum says.
TEST(ModelHeader, RandomSealedHeadersPassOnlyWhenTheyAgree)
{
    std::mt19937_64 engine(2);
    const uint32_t edges[] = {0, 1, 4, 8, 12, 16, 24, 0x40000001, 0x80000000, 0xfffffff8, ~0U};
    const auto pick = [&] { return edges[engine() % std::size(edges)]; };
    WireTap tap;
    uint32_t passed = 0;
    for (uint32_t k = 0; k < 20000; ++k)
    {
        ModelHeader header;
        header.encoding = static_cast<Encoding>(engine() % 3);
        header.channel = static_cast<ModelChannel>(engine() % 5);
        header.vectorLength = pick();
        header.fragmentOffset = pick();
        header.payloadLength = 4 * (engine() % 8); // as many bytes as there are
        header.messageLength = engine() % 2 ? pick() : 4 * header.vectorLength; // may wrap
        const Bytes bytes = test::Seal(header, Bytes(header.payloadLength, 7));
        const __int128 size = header.encoding == Encoding::FLOAT32 ? 4 : 8;
        const bool agree =
            header.encoding <= Encoding::FLOAT64 && header.channel <= ModelChannel::UPDATE &&
            header.vectorLength > 0 && header.payloadLength > 0 &&
            size * header.vectorLength == header.messageLength &&
            header.fragmentOffset % size == 0 && header.payloadLength % size == 0 &&
            __int128{header.fragmentOffset} + header.payloadLength <= header.messageLength;
        EXPECT_EQ(tap.Give(bytes), agree);
        passed += agree;
    }
    EXPECT_GT(passed, 20U); // the sweep does meet good ones
}

TEST(ModelHeader, OtherVersionsAndReservedBitsAreRefused)
{
    WireTap tap;
    for (const uint8_t version : {0, 2, 255})
    {
        Bytes bytes = GOLDEN;
        bytes[0] = version;
        ModelHeader header;
        header.Read(bytes.data());
        const Bytes payload(bytes.begin() + ModelHeader::SIZE, bytes.end());
        EXPECT_FALSE(tap.Give(test::Seal(header, payload))) << +version; // resealed: right sum
    }
    Bytes bytes = GOLDEN;
    bytes[3] = 1;
    ModelHeader header;
    header.Read(bytes.data());
    EXPECT_FALSE(tap.Give(test::Seal(header, {0, 0, 0, 0})));
}

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

} // namespace
} // namespace dlearn
} // namespace ns3
