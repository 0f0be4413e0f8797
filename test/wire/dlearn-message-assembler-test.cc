/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "app/dlearn-net-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-encoded-message.h"
#include "ns3/dlearn-message-receiver.h"
#include "ns3/dlearn-network-order.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <vector>

namespace ns3::dlearn
{
namespace
{

using test::Bytes;

using Result = MessageAssembler::Result;

/** A message to cut into fragments at will. */
class CutMessage
{
  public:
    CutMessage(const ModelVector& values, Encoding encoding, LearnerId sender, uint32_t round)
        : m_bytes(values.size() * GetNumberSize(encoding))
    {
        EncodeVector(values, encoding, m_bytes.data());
        m_header.encoding = encoding;
        m_header.sender = sender;
        m_header.round = round;
        m_header.vectorLength = values.size();
        m_header.messageLength = m_bytes.size();
    }

    /** Give numbers [begin, end) to an assembler, from an allocation of just that size. */
    Result Give(MessageAssembler& assembler, uint32_t begin, uint32_t end)
    {
        const uint32_t size = GetNumberSize(m_header.encoding);
        m_header.fragmentOffset = begin * size;
        m_header.payloadLength = (end - begin) * size;
        const Bytes payload(m_bytes.begin() + begin * size, m_bytes.begin() + end * size);
        return assembler.Add(m_header, payload.data());
    }

    MessageAssembler::Key GetKey() const
    {
        return {m_header.sender, m_header.channel, m_header.round};
    }

    ModelHeader m_header; //!< of the fragment given last

  private:
    Bytes m_bytes;
};

// Vector and figures, cut into fragments of 8 bytes, which also cut figures, in any order.
TEST(MessageAssembler, FiguresArriveAsTheyWereSent)
{
    const Figures figures{1.0 / 3, -0.0, 1e300, 5e-324};
    const ModelVector values = test::Exact(7, 1);
    PackedVector packed;
    packed.encoding = Encoding::SPARSE32;
    for (const uint32_t word : {3U, 0x3fc00000U}) // entry 3 is 1.5
    {
        packed.bytes.resize(packed.bytes.size() + 4);
        Put32(packed.bytes.data() + packed.bytes.size() - 4, word);
    }
    std::mt19937_64 engine(4);
    for (uint32_t trial = 0; trial < 40; ++trial)
    {
        const bool sparse = trial % 4 == 3;
        const auto encoding = static_cast<Encoding>(trial % 4);
        auto message = sparse ? EncodedMessage(1, 2, ModelChannel::UPDATE, packed, 7, 8)
                              : EncodedMessage(1, 2, ModelChannel::UPDATE, encoding, values, 8);
        const uint32_t plain = message.GetLength();
        message.Append(figures);
        EXPECT_EQ(message.GetLength(), plain + 32);
        auto fragments = message.CopyFragments();
        std::shuffle(fragments.begin(), fragments.end(), engine);
        const bool whole = trial < 30;
        fragments.resize(fragments.size() - (whole ? 0 : 1));
        MessageAssembler assembler(1);
        for (const Bytes& bytes : fragments)
        {
            ModelHeader header;
            header.Read(bytes.data());
            ASSERT_TRUE(header.IsValid());
            EXPECT_EQ(header.figures, 4U);
            assembler.Add(header, bytes.data() + ModelHeader::SIZE);
        }
        const auto arrival = assembler.Take({1, ModelChannel::UPDATE, 2});
        ASSERT_EQ(arrival.has_value(), whole || !sparse) << trial;
        if (!arrival)
        {
            continue;
        }
        EXPECT_EQ(arrival->figures, whole ? figures : Figures{}) << trial;
        EXPECT_EQ(arrival->IsComplete(), whole) << trial;
        for (Eigen::Index k = 0; k < 7; ++k)
        {
            const bool present = whole || arrival->present[k];
            const double sent = sparse ? (k == 3 ? 1.5 : 0) : values[k];
            EXPECT_EQ(arrival->values[k], present ? sent : 0) << trial;
        }
    }
}

TEST(MessageAssembler, FiguresThatAreNotFiniteSpoilTheMessage)
{
    EncodedMessage message(1, 2, ModelChannel::UPDATE, Encoding::FLOAT32, test::Exact(2), 1440);
    message.Append({1, NAN});
    const Bytes bytes = message.CopyFragments().front();
    ModelHeader header;
    header.Read(bytes.data());
    MessageAssembler assembler(1);
    EXPECT_EQ(assembler.Add(header, bytes.data() + ModelHeader::SIZE), Result::COMPLETE);
    EXPECT_EQ(assembler.GetFlaw({1, ModelChannel::UPDATE, 2}), MessageAssembler::Flaw::NOT_FINITE);
}

// The records of a naive receiver: one flag for each number.
TEST(MessageAssembler, AnyCutInAnyOrderGivesTheOriginal)
{
    std::mt19937_64 engine(1);
    for (uint32_t trial = 0; trial < 400; ++trial)
    {
        const uint32_t length = 1 + engine() % 60;
        const Encoding encoding = static_cast<Encoding>(engine() % 3);  // 16 to 64 bits
        const ModelVector values = test::Exact(length, 1 + trial % 31); // below 32
        CutMessage message(values, encoding, trial, 7);
        std::vector<std::pair<uint32_t, uint32_t>> cuts;
        for (uint32_t begin = 0; begin < length;) // a partition ...
        {
            const uint32_t end = std::min<uint32_t>(length, begin + 1 + engine() % 9);
            cuts.emplace_back(begin, end);
            begin = end;
        }
        for (uint64_t more = engine() % 10; more > 0; --more) // ... overlaps, repetitions
        {
            const uint32_t begin = engine() % length;
            cuts.emplace_back(begin, begin + 1 + engine() % (length - begin));
            cuts.push_back(cuts[engine() % cuts.size()]);
        }
        std::shuffle(cuts.begin(), cuts.end(), engine);
        const bool stopEarly = trial % 4 == 0;
        cuts.resize(stopEarly ? 1 + engine() % cuts.size() : cuts.size());

        MessageAssembler assembler(1);
        std::vector<bool> mask(length, false);
        for (const auto& [begin, end] : cuts)
        {
            const auto before = std::count(mask.begin(), mask.end(), true);
            std::fill(mask.begin() + begin, mask.begin() + end, true);
            const auto after = std::count(mask.begin(), mask.end(), true);
            const Result expected = after == before   ? Result::DUPLICATE
                                    : after == length ? Result::COMPLETE
                                                      : Result::STORED;
            ASSERT_EQ(message.Give(assembler, begin, end), expected) << "trial " << trial;
        }
        const auto arrival = assembler.Take(message.GetKey());
        ASSERT_TRUE(arrival.has_value());
        EXPECT_EQ(arrival->round, 7U);
        const bool complete = std::count(mask.begin(), mask.end(), false) == 0;
        ASSERT_EQ(arrival->IsComplete(), complete);
        if (!complete)
        {
            EXPECT_EQ(arrival->present, mask);
        }
        for (uint32_t k = 0; k < length; ++k)
        {
            EXPECT_EQ(arrival->values[k], mask[k] ? values[k] : 0.0);
        }
        EXPECT_FALSE(assembler.Take(message.GetKey()).has_value()); // taken is taken
    }
}

TEST(MessageAssembler, MessagesDoNotMix)
{
    MessageAssembler assembler(2);
    CutMessage a(test::Exact(4, 10), Encoding::FLOAT32, 1, 5);
    CutMessage b(test::Exact(4, 20), Encoding::FLOAT32, 1, 6);
    CutMessage c(test::Exact(4, 30), Encoding::FLOAT32, 2, 5);
    EXPECT_EQ(a.Give(assembler, 0, 2), Result::STORED);
    EXPECT_EQ(b.Give(assembler, 2, 4), Result::STORED);
    EXPECT_EQ(c.Give(assembler, 0, 2), Result::STORED);
    EXPECT_EQ(c.Give(assembler, 2, 4), Result::COMPLETE);
    EXPECT_EQ(a.Give(assembler, 2, 4), Result::COMPLETE);
    EXPECT_EQ(b.Give(assembler, 0, 2), Result::COMPLETE);
    EXPECT_EQ(assembler.Take(a.GetKey())->values, test::Exact(4, 10));
    EXPECT_EQ(assembler.Take(b.GetKey())->values, test::Exact(4, 20));
    EXPECT_EQ(assembler.Take(c.GetKey())->values, test::Exact(4, 30));
    EXPECT_EQ(assembler.GetEvicted(), 0U);
}

TEST(MessageAssembler, ForgetsTheOldestRoundOfTheSenderThatFloods)
{
    MessageAssembler assembler(3);
    CutMessage quiet(test::Exact(4), Encoding::FLOAT32, 9, 0);
    CutMessage quietBefore(test::Exact(4), Encoding::FLOAT32, 0, 0);
    quiet.Give(assembler, 0, 1);
    quietBefore.Give(assembler, 0, 1);
    std::vector<uint32_t> rounds(1000);
    std::iota(rounds.begin(), rounds.end(), 1);
    std::mt19937_64 engine(4);
    std::shuffle(rounds.begin(), rounds.end(), engine);
    for (const uint32_t round : rounds)
    {
        CutMessage flood(test::Exact(4), Encoding::FLOAT32, 5, round);
        flood.m_header.channel = static_cast<ModelChannel>(round % CHANNELS);
        EXPECT_EQ(flood.Give(assembler, 0, 1), Result::STORED);
    }
    EXPECT_EQ(assembler.GetEvicted(), rounds.size() - 3);
    // What is left: the newest two, whenever they came, and the last one.
    uint32_t held = 0;
    for (uint32_t round = 1; round <= 1000; ++round)
    {
        const bool there =
            assembler.Take({5, static_cast<ModelChannel>(round % CHANNELS), round}).has_value();
        held += there;
        EXPECT_TRUE(there || (round < 999 && round != rounds.back())) << round;
    }
    EXPECT_EQ(held, 3U);
    EXPECT_TRUE(assembler.Take(quiet.GetKey()).has_value());
    EXPECT_TRUE(assembler.Take(quietBefore.GetKey()).has_value());
}

TEST(MessageAssembler, ContradictionsLeaveTheMessageAlone)
{
    MessageAssembler assembler(2);
    CutMessage message(test::Exact(4), Encoding::FLOAT32, 1, 5);
    CutMessage longer(test::Exact(6), Encoding::FLOAT32, 1, 5);
    CutMessage encoded(test::Exact(2), Encoding::FLOAT64, 1, 5); // of the same 16 bytes
    EXPECT_EQ(message.Give(assembler, 0, 2), Result::STORED);
    EXPECT_EQ(longer.Give(assembler, 2, 6), Result::CONTRADICTORY);
    EXPECT_EQ(encoded.Give(assembler, 1, 2), Result::CONTRADICTORY);
    EXPECT_EQ(message.Give(assembler, 2, 4), Result::COMPLETE);
    EXPECT_EQ(assembler.Take(message.GetKey())->values, test::Exact(4));
}

TEST(MessageAssembler, KnowsWhatIsMissing)
{
    using Ranges = std::vector<ByteRange>;
    MessageAssembler assembler(2);
    CutMessage message(test::Exact(8), Encoding::FLOAT32, 1, 5);
    EXPECT_EQ(assembler.GetMissing({1, ModelChannel::STATE, 5}, 32), (Ranges{{0, 32}}));
    EXPECT_EQ(message.Give(assembler, 2, 3), Result::STORED);
    const auto key = message.GetKey();
    EXPECT_EQ(assembler.GetMissing(key, 32), (Ranges{{0, 8}, {12, 32}}));
    EXPECT_EQ(assembler.GetMissing(key, 36), Ranges{}); // of another message
    EXPECT_EQ(message.Give(assembler, 6, 8), Result::STORED);
    EXPECT_EQ(assembler.GetMissing(key, 32), (Ranges{{0, 8}, {12, 24}}));
    EXPECT_EQ(message.Give(assembler, 0, 2), Result::STORED);
    EXPECT_EQ(assembler.GetMissing(key, 32), (Ranges{{12, 24}}));
    EXPECT_EQ(message.Give(assembler, 3, 6), Result::COMPLETE);
    EXPECT_EQ(assembler.GetMissing(key, 32), Ranges{});
}

/** A packed message of any bytes, to cut anywhere. */
class PackedMessage
{
  public:
    PackedMessage(Encoding encoding, uint32_t dimension, const Bytes& bytes)
        : m_bytes(bytes)
    {
        m_header.encoding = encoding;
        m_header.vectorLength = dimension;
        m_header.messageLength = bytes.size();
    }

    Result Give(MessageAssembler& assembler, uint32_t begin, uint32_t end)
    {
        m_header.fragmentOffset = begin;
        m_header.payloadLength = end - begin;
        EXPECT_TRUE(m_header.IsValid());
        const Bytes payload(m_bytes.begin() + begin, m_bytes.begin() + end);
        return assembler.Add(m_header, payload.data());
    }

    ModelHeader m_header; //!< of the fragment given last

  private:
    Bytes m_bytes;
};

const MessageAssembler::Key PACKED_KEY{0, ModelChannel::STATE, 0};

// Entries 1 and 3 of five: 2.5 and -1, in 16 bits.
const Bytes SPARSE{0, 0, 0, 1, 0, 0, 0, 3, 0x41, 0, 0xbc, 0};

TEST(MessageAssembler, PackedMessagesAreReadWhenAllBytesAreThere)
{
    const ModelVector expected = (ModelVector(5) << 0, 2.5, 0, -1, 0).finished();
    for (uint32_t first = 1; first < SPARSE.size(); ++first)
    {
        for (uint32_t second = first; second < SPARSE.size(); ++second)
        {
            MessageAssembler assembler(1);
            PackedMessage message(Encoding::SPARSE16, 5, SPARSE);
            EXPECT_EQ(message.Give(assembler, second, SPARSE.size()), Result::STORED);
            EXPECT_EQ(message.Give(assembler, second, SPARSE.size()), Result::DUPLICATE);
            if (second > first)
            {
                EXPECT_EQ(message.Give(assembler, first, second), Result::STORED);
            }
            EXPECT_EQ(message.Give(assembler, 0, first + 1), Result::COMPLETE); // overlaps
            EXPECT_EQ(assembler.GetFlaw(PACKED_KEY), MessageAssembler::Flaw::NONE);
            const auto arrival = assembler.Take(PACKED_KEY);
            ASSERT_TRUE(arrival.has_value());
            EXPECT_TRUE(arrival->IsComplete());
            EXPECT_EQ(arrival->values, expected);
        }
    }
}

TEST(MessageAssembler, PackedMessagesHaveNoParts)
{
    MessageAssembler assembler(1);
    PackedMessage message(Encoding::SPARSE16, 5, SPARSE);
    message.Give(assembler, 0, 11);
    EXPECT_EQ(assembler.GetFlaw(PACKED_KEY), MessageAssembler::Flaw::NONE);
    EXPECT_FALSE(assembler.Take(PACKED_KEY).has_value());
    EXPECT_EQ(message.Give(assembler, 11, 12), Result::STORED); // what was there was dropped
}

TEST(MessageAssembler, PackedMessagesThatAreNoVectorsAreTold)
{
    Bytes outOfRange = SPARSE;
    outOfRange[7] = 5;
    Bytes infinite = SPARSE;
    infinite[10] = 0x7c;
    Bytes quantised{0x7f, 0x80, 0, 0, 0, 0, 0, 1, 0x55, 0x40}; // five zeros of an infinite scale
    const auto judge = [](Encoding encoding, const Bytes& bytes) {
        MessageAssembler assembler(1);
        EXPECT_EQ(PackedMessage(encoding, 5, bytes).Give(assembler, 0, bytes.size()),
                  Result::COMPLETE);
        return assembler.GetFlaw(PACKED_KEY);
    };
    EXPECT_EQ(judge(Encoding::SPARSE16, outOfRange), MessageAssembler::Flaw::UNDECODABLE);
    EXPECT_EQ(judge(Encoding::SPARSE16, infinite), MessageAssembler::Flaw::NOT_FINITE);
    EXPECT_EQ(judge(Encoding::QSGD, quantised), MessageAssembler::Flaw::UNDECODABLE);
    quantised[0] = 0x3f;
    EXPECT_EQ(judge(Encoding::QSGD, quantised), MessageAssembler::Flaw::NONE);
}

TEST(MessageAssembler, PackedMessagesOfOtherDimensionsContradict)
{
    MessageAssembler assembler(1);
    PackedMessage message(Encoding::SPARSE16, 5, SPARSE);
    message.Give(assembler, 0, 6);
    EXPECT_EQ(PackedMessage(Encoding::SPARSE16, 6, SPARSE).Give(assembler, 6, 12),
              Result::CONTRADICTORY);
    EXPECT_EQ(PackedMessage(Encoding::SPARSE32, 5, Bytes(16)).Give(assembler, 6, 12),
              Result::CONTRADICTORY);
    EXPECT_EQ(message.Give(assembler, 6, 12), Result::COMPLETE);
}

// Headers that announce the largest vectors there are cost what comes, and a few hundred bytes.
TEST(MessageAssembler, KeepsWhatComesNotWhatIsAnnounced)
{
    MessageAssembler assembler(8);
    ModelHeader header;
    header.vectorLength = 0x3fffffff;
    header.messageLength = 0xfffffffc;
    header.fragmentOffset = 0xfffffff8;
    header.payloadLength = 4;
    const Bytes payload(1440, 0x41);
    for (LearnerId sender = 0; sender < 1000; ++sender)
    {
        header.sender = sender;
        EXPECT_EQ(assembler.Add(header, payload.data()), Result::STORED);
    }
    EXPECT_LE(assembler.GetBytes(), 1000U * 400);
    header.encoding = Encoding::SPARSE32;
    header.vectorLength = 0xffffffff;
    header.messageLength = 1 << 30;
    header.fragmentOffset = 0;
    header.payloadLength = 1440;
    header.round = 1;
    EXPECT_EQ(assembler.Add(header, payload.data()), Result::STORED);
    EXPECT_LE(assembler.GetBytes(), 1001U * 400 + 1440);
    assembler.Forget({999, ModelChannel::STATE, 1});
    EXPECT_LE(assembler.GetBytes(), 1000U * 400);
    assembler.Clear();
    EXPECT_EQ(assembler.GetBytes(), 0U);
}

// Eight bytes may stand for a vector of any length: it is not made when it is too large.
TEST(MessageAssembler, RefusesVectorsThatAreTooLarge)
{
    MessageAssembler assembler(1, 5 * sizeof(double));
    PackedMessage fits(Encoding::SPARSE16, 5, SPARSE);
    EXPECT_EQ(fits.Give(assembler, 0, 12), Result::COMPLETE);
    assembler.Clear();
    PackedMessage large(Encoding::SPARSE16, 6, SPARSE);
    EXPECT_EQ(large.Give(assembler, 0, 12), Result::TOO_LARGE);
    EXPECT_EQ(assembler.GetBytes(), 0U);
}

TEST(MessageAssembler, ClearForgetsAll)
{
    MessageAssembler assembler(2);
    CutMessage message(test::Exact(4), Encoding::FLOAT32, 1, 5);
    message.Give(assembler, 0, 2);
    assembler.Clear();
    EXPECT_FALSE(assembler.Take(message.GetKey()).has_value());
    EXPECT_EQ(assembler.GetEvicted(), 0U);
}

constexpr uint32_t LENGTH = 100; //!< bytes of the messages

/** @return header of a fragment of learner 3 */
ModelHeader
MakeHeader(uint32_t round, uint32_t begin, uint32_t end)
{
    ModelHeader header;
    header.sender = 3;
    header.channel = ModelChannel::STATE;
    header.round = round;
    header.messageLength = LENGTH;
    header.fragmentOffset = begin;
    header.payloadLength = end - begin;
    return header;
}

// Against one flag for each byte.
TEST(FragmentLog, AMessageIsWholeWhenEachOfItsBytesHasCome)
{
    std::mt19937 random(7);
    uint32_t whole = 0;
    for (uint32_t message = 0; message < 300; ++message)
    {
        FragmentLog log(4);
        std::vector<bool> came(LENGTH);
        for (bool complete = false; !complete;)
        {
            const uint32_t begin = random() % LENGTH;
            const uint32_t end = begin + 1 + random() % std::min(LENGTH - begin, 30U);
            std::fill(came.begin() + begin, came.begin() + end, true);
            complete = std::find(came.begin(), came.end(), false) == came.end();
            ASSERT_EQ(log.Add(MakeHeader(message, begin, end)), complete);
        }
        ++whole;
        EXPECT_FALSE(log.Add(MakeHeader(message, 0, LENGTH - 1))) << "it comes again";
        EXPECT_TRUE(log.Add(MakeHeader(message, LENGTH - 1, LENGTH)));
    }
    EXPECT_EQ(whole, 300U);
}

TEST(FragmentLog, ForgetsTheOldestRoundOfASenderThatBeginsTooMany)
{
    FragmentLog log(2);
    for (const uint32_t round : {5, 6, 7})
    {
        EXPECT_FALSE(log.Add(MakeHeader(round, 0, 60)));
    }
    ModelHeader other = MakeHeader(4, 0, 60);
    other.sender = 2;
    EXPECT_FALSE(log.Add(other));
    EXPECT_TRUE(log.Add(MakeHeader(6, 60, LENGTH))) << "whatever other senders begin";
    EXPECT_TRUE(log.Add(MakeHeader(7, 60, LENGTH)));
    EXPECT_FALSE(log.Add(MakeHeader(5, 60, LENGTH))) << "its first half is forgotten";
    log.Clear();
    EXPECT_FALSE(log.Add(MakeHeader(5, 0, 60)));
}

// A sender that never sends two bytes in a row must not fill the memory.
TEST(FragmentLog, KnowsSoManyStretchesOfAMessageOnly)
{
    FragmentLog log(1);
    ModelHeader header = MakeHeader(0, 0, 1);
    header.messageLength = 20001;
    for (uint32_t odd = 1; odd < header.messageLength; odd += 2)
    {
        header.fragmentOffset = odd;
        EXPECT_FALSE(log.Add(header));
    }
    for (uint32_t even = 0; even < header.messageLength; even += 2)
    {
        header.fragmentOffset = even;
        EXPECT_FALSE(log.Add(header)) << even;
    }
}

} // namespace
} // namespace ns3::dlearn
