/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "app/dlearn-net-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-frame-dissector.h"

#include <algorithm>
#include <cstring>

namespace ns3::dlearn
{
namespace
{

using test::Bytes;
using test::Exact;
using test::MakeFragment;

/** A stream of fragments, with fillers between some, and the position of each. */
struct Stream
{
    Bytes bytes;
    std::vector<std::pair<size_t, size_t>> places; //!< begin and end of fragment k = its round
};

Stream
MakeStream(uint32_t fragments, std::mt19937_64& engine)
{
    Stream stream;
    for (uint32_t round = 0; round < fragments; ++round)
    {
        stream.bytes.resize(stream.bytes.size() + engine() % 3, 0); // fillers
        const Bytes fragment = MakeFragment(3, round, Exact(1 + engine() % 90, round));
        stream.places.emplace_back(stream.bytes.size(), stream.bytes.size() + fragment.size());
        stream.bytes.insert(stream.bytes.end(), fragment.begin(), fragment.end());
    }
    return stream;
}

/** Observes a stream whose first byte has the number FIRST, near where numbers wrap around. */
class Observer
{
  public:
    static constexpr uint32_t FIRST = 0xfffff000;

    explicit Observer(const Stream& stream, uint32_t limit = 1 << 20)
        : reader(limit),
          m_stream(stream)
    {
    }

    void See(size_t begin, size_t end)
    {
        // From an allocation of just that size, so that reading too far is noticed.
        const Bytes bytes(m_stream.bytes.begin() + begin, m_stream.bytes.begin() + end);
        reader.Add(static_cast<uint32_t>(FIRST + begin), bytes.data(), end - begin, visitor);
    }

    void Acknowledge(size_t position)
    {
        reader.Acknowledge(static_cast<uint32_t>(FIRST + position), visitor);
    }

    OverheardStream reader;
    std::vector<uint32_t> rounds; //!< of the fragments found

  private:
    const Stream& m_stream;
    OverheardStream::Visitor visitor = [this](const ModelHeader& header, const uint8_t* payload) {
        const auto [begin, end] = m_stream.places.at(header.round);
        EXPECT_EQ(std::memcmp(payload,
                              m_stream.bytes.data() + begin + ModelHeader::SIZE,
                              end - begin - ModelHeader::SIZE),
                  0);
        rounds.push_back(header.round);
    };
};

/** A piece of a stream. */
struct Piece
{
    size_t begin;
    size_t end;
};

std::vector<Piece>
Cut(const Stream& stream, std::mt19937_64& engine)
{
    std::vector<Piece> pieces;
    for (size_t begin = 0; begin < stream.bytes.size();)
    {
        const size_t end = std::min<size_t>(stream.bytes.size(), begin + 1 + engine() % 300);
        pieces.push_back({begin, end});
        begin = end;
    }
    return pieces;
}

TEST(OverheardStream, PutsAnyOrderWithRepetitionsAndOverlapsRight)
{
    std::mt19937_64 engine(1);
    for (uint32_t trial = 0; trial < 200; ++trial)
    {
        const Stream stream = MakeStream(40, engine); // about 8,000 bytes: numbers wrap
        std::vector<Piece> pieces = Cut(stream, engine);
        for (size_t k = pieces.size() / 2; k > 0; --k)
        {
            Piece again = pieces[engine() % pieces.size()];
            again.begin -= std::min<size_t>(again.begin, engine() % 100);
            pieces.push_back(again);
        }
        std::shuffle(pieces.begin(), pieces.end(), engine);
        Observer observer(stream);
        observer.reader.Begin(Observer::FIRST);
        for (const Piece& piece : pieces)
        {
            observer.See(piece.begin, piece.end);
            observer.reader.Begin(Observer::FIRST); // seen again elsewhere: no matter
        }
        ASSERT_EQ(observer.rounds.size(), 40U);
        EXPECT_TRUE(std::is_sorted(observer.rounds.begin(), observer.rounds.end()));
        EXPECT_EQ(observer.reader.GetLost(), 0U);
    }
}

TEST(OverheardStream, FindsExactlyTheFragmentsOfWhichNothingIsMissing)
{
    std::mt19937_64 engine(2);
    uint64_t found = 0;
    for (uint32_t trial = 0; trial < 200; ++trial)
    {
        const Stream stream = MakeStream(40, engine);
        const bool fromBeginning = trial % 2 == 0;
        const bool acknowledged = trial % 4 < 2; // else a small limit makes it go on
        Observer observer(stream, acknowledged ? 1 << 20 : 1);
        if (fromBeginning)
        {
            observer.reader.Begin(Observer::FIRST);
        }
        std::vector<bool> seen(stream.bytes.size(), false);
        for (const Piece& piece : Cut(stream, engine))
        {
            if (engine() % 5 != 0)
            {
                observer.See(piece.begin, piece.end);
                std::fill(seen.begin() + piece.begin, seen.begin() + piece.end, true);
            }
            if (acknowledged && engine() % 3 == 0)
            {
                observer.Acknowledge(piece.end);
            }
        }
        std::vector<uint32_t> whole;
        for (uint32_t round = 0; round < stream.places.size(); ++round)
        {
            const auto [begin, end] = stream.places[round];
            if (std::all_of(seen.begin() + begin, seen.begin() + end, [](bool b) { return b; }))
            {
                whole.push_back(round);
            }
        }
        if (acknowledged)
        {
            observer.Acknowledge(stream.bytes.size());
        }
        EXPECT_EQ(observer.rounds, whole) << "trial " << trial;
        EXPECT_GT(observer.reader.GetLost(), 0U);
        found += whole.size();
    }
    EXPECT_GT(found, 1000U); // the test is about something
}

TEST(OverheardStream, WaitsForWhatTheReceiverMisses)
{
    std::mt19937_64 engine(3);
    const Stream stream = MakeStream(3, engine);
    const size_t middle = stream.places[1].first + 5;
    Observer observer(stream);
    observer.reader.Begin(Observer::FIRST);
    observer.See(middle, stream.bytes.size());
    observer.Acknowledge(0);
    EXPECT_TRUE(observer.rounds.empty());
    observer.See(0, middle); // sent again
    EXPECT_EQ(observer.rounds, (std::vector<uint32_t>{0, 1, 2}));
    // The end has a number of its own, which is no byte.
    observer.reader.End(static_cast<uint32_t>(Observer::FIRST + stream.bytes.size()));
    observer.Acknowledge(stream.bytes.size() + 1);
    EXPECT_EQ(observer.reader.GetLost(), 0U);
}

TEST(OverheardStream, NoiseIsOnlyCounted)
{
    std::mt19937_64 engine(4);
    Bytes noise(100000);
    for (uint8_t& byte : noise)
    {
        byte = engine();
    }
    OverheardStream reader(1 << 20);
    reader.Begin(0);
    reader.Add(0, noise.data(), noise.size(), [](const ModelHeader&, const uint8_t*) {
        ADD_FAILURE() << "there is no fragment"; // a checksum of 32 bits: 1 in 2^32 candidates
    });
    EXPECT_GT(reader.GetLost(), 90000U);
    ExpectRefused([] { OverheardStream(0); }, "OverheardStream: limit must be at least 1, got 0");
}

} // namespace
} // namespace ns3::dlearn
