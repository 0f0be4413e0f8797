/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "app/dlearn-net-test-support.h"

#include "ns3/dlearn-model-header.h"
#include "ns3/dlearn-transport.h"
#include "ns3/packet.h"

#include <sstream>

namespace ns3::dlearn
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

    void Open() override {}

    void Close() override {}

    void Send(const Message&, const std::vector<LearnerId>&) override {}

    bool Settle(uint32_t) override { return false; }

    uint32_t GetFragmentSize() const override { return 8; }

    /** @return whether exactly these bytes are one intact fragment */
    bool Give(const Bytes& bytes)
    {
        // An allocation of exactly this size lets sanitizers see every byte read past it.
        const std::unique_ptr<uint8_t[]> copy(new uint8_t[bytes.size()]);
        std::copy(bytes.begin(), bytes.end(), copy.get());
        const uint64_t before = taken;
        const bool intact = Deliver(7, copy.get(), bytes.size());
        EXPECT_EQ(taken - before, intact ? 1U : 0U);
        return intact;
    }

    uint64_t taken{0};     //!< fragments
    uint64_t malformed{0}; //!< not
    uint64_t refused{0};   //!< bytes that were not

  private:
    uint16_t GetPort() const override { return 1; }

    void Take(std::optional<LearnerId> from, const ModelHeader& header, const uint8_t* payload)
    {
        EXPECT_EQ(from, 7U);
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
    EXPECT_EQ(text.str(), "round=16909060 sender=5 channel=1 encoding=0 length=2 bytes=[4,8) of 8");
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
    EXPECT_FALSE(with([](ModelHeader& h) { h.encoding = static_cast<Encoding>(ENCODINGS); }));
    for (uint32_t byte = 0; byte < 256; ++byte)
    {
        const bool known = byte < 6 || (byte >= 128 && byte < 144);
        EXPECT_EQ(with([byte](ModelHeader& h) { h.channel = static_cast<ModelChannel>(byte); }),
                  known)
            << byte;
    }
    EXPECT_FALSE(with([](ModelHeader& h) { h.vectorLength = 0; }));
    EXPECT_FALSE(with([](ModelHeader& h) { h.vectorLength = h.messageLength = 0; }));
    EXPECT_FALSE(with([](ModelHeader& h) { h.vectorLength = 3; }));
    EXPECT_FALSE(with([](ModelHeader& h) { h.encoding = Encoding::FLOAT64; }));
    EXPECT_FALSE(with([](ModelHeader& h) { h.encoding = Encoding::FLOAT16; }));
    EXPECT_FALSE(with([](ModelHeader& h) { h.encoding = Encoding::QSGD; }));
    // One entry of a sparse vector of two, cut anywhere.
    EXPECT_TRUE(with([](ModelHeader& h) {
        h.encoding = Encoding::SPARSE32;
        h.fragmentOffset = 1;
        h.payloadLength = 7;
    }));
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

/** Whether a message may have this length, from the documentation of the encodings. */
bool
IsLength(uint32_t encoding, __int128 length, __int128 message)
{
    const __int128 dense[] = {4, 8, 2};
    const __int128 sparse[] = {8, 12, 6}; // an index and a number
    switch (encoding)
    {
    case 0:
    case 1:
    case 2:
        return message == dense[encoding] * length;
    case 3:
    case 4:
    case 5:
        return message > 0 && message <= sparse[encoding - 3] * length &&
               message % sparse[encoding - 3] == 0;
    case 6: // 2 to 24 bits a number
        return 4 * (message - 8) >= length && message - 8 <= 3 * length;
    default:
        return false;
    }
}

// The checksums are valid: the fields must agree whatever the checksum says.
TEST(ModelHeader, RandomSealedHeadersPassOnlyWhenTheyAgree)
{
    std::mt19937_64 engine(2);
    const uint32_t edges[] = {0, 1, 4, 8, 12, 16, 24, 0x40000001, 0x80000000, 0xfffffff8, ~0U};
    const auto pick = [&] { return edges[engine() % std::size(edges)]; };
    WireTap tap;
    uint32_t passed[8] = {};
    for (uint32_t k = 0; k < 200000; ++k)
    {
        ModelHeader header;
        header.encoding = static_cast<Encoding>(engine() % 8);
        header.channel =
            static_cast<ModelChannel>(engine() % 2 ? engine() % 6 : 127 + engine() % 18);
        header.vectorLength = pick();
        header.fragmentOffset = pick();
        header.payloadLength = 2 * (engine() % 16); // as many bytes as there are
        const uint32_t factor = 2 + engine() % 11;
        header.messageLength = engine() % 2 ? pick() : factor * header.vectorLength; // may wrap
        const Bytes bytes = test::Seal(header, Bytes(header.payloadLength, 7));
        const auto encoding = static_cast<uint32_t>(header.encoding);
        const __int128 cut = encoding == 0 ? 4 : encoding == 1 ? 8 : encoding == 2 ? 2 : 1;
        const bool agree =
            header.channel != static_cast<ModelChannel>(127) &&
            header.channel != static_cast<ModelChannel>(144) && header.vectorLength > 0 &&
            header.payloadLength > 0 &&
            IsLength(encoding, header.vectorLength, header.messageLength) &&
            header.fragmentOffset % cut == 0 && header.payloadLength % cut == 0 &&
            __int128{header.fragmentOffset} + header.payloadLength <= header.messageLength;
        EXPECT_EQ(tap.Give(bytes), agree);
        passed[encoding] += agree;
    }
    for (uint32_t encoding = 0; encoding < ENCODINGS; ++encoding)
    {
        EXPECT_GT(passed[encoding], 5U) << encoding; // the sweep does meet good ones
    }
}

TEST(ModelHeader, OtherVersionsAreRefused)
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
}

TEST(ModelHeader, FiguresFollowTheVector)
{
    Bytes bytes = GOLDEN;
    bytes[3] = 2;
    ModelHeader header;
    header.Read(bytes.data());
    EXPECT_EQ(header.figures, 2U);
    EXPECT_FALSE(header.IsValid()) << "8 bytes are the vector";
    header.messageLength = 8 + 16;
    EXPECT_TRUE(header.IsValid());
    EXPECT_EQ(header.GetBodyLength(), 8U);
    header.Write(bytes.data());
    EXPECT_EQ(bytes[3], 2U);
    header.figures = 3; // no byte is left for the vector
    EXPECT_FALSE(header.IsValid());
}

} // namespace
} // namespace ns3::dlearn
