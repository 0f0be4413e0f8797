/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-latest-window.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <random>
#include <vector>

namespace ns3::dlearn
{
namespace
{

using Source = MessageWindow::Source;
using Disposition = MessageWindow::Disposition;

const std::vector<Source> SOURCES{{1, ModelChannel::STATE},
                                  {1, ModelChannel::TRACKER},
                                  {4, ModelChannel::STATE}};

/** A vector that tells its source and round. */
Arrival
Tagged(const Source& source, uint32_t round)
{
    const double values[] = {1.0 * source.first, static_cast<double>(source.second), 1.0 * round};
    return {Eigen::Map<const Eigen::VectorXd>(values, 3), round, {}};
}

/** One message that came, for the diary. */
struct Came
{
    uint32_t round; //!< of the message
    size_t closed;  //!< rounds of the learner that had closed then
    size_t given;   //!< of those, the number given up included
    bool usable;    //!< whether it was a vector
};

/**
 * What LatestWindow should do, worked out from the whole diary of a source, without any state:
 * sets of rounds instead of gaps.
 */
struct Diary
{
    std::vector<Came> came; //!< in order

    /** @return round after the newest of the first so many messages */
    uint32_t GetNext(size_t count) const
    {
        uint32_t next = 0;
        for (size_t k = 0; k < count; ++k)
        {
            next = std::max(next, came[k].round + 1);
        }
        return next;
    }

    /** @return how many messages had come when so many rounds had closed, all of them taken */
    size_t CountBefore(size_t closed) const
    {
        return std::count_if(came.begin(), came.end(), [closed](const Came& c) {
            return c.closed < closed;
        });
    }

    Disposition Classify(uint32_t round) const
    {
        if (round >= GetNext(came.size()))
        {
            return Disposition::ON_TIME;
        }
        const bool known = std::any_of(came.begin(), came.end(), [round](const Came& c) {
            return c.round == round;
        });
        return known ? Disposition::DUPLICATE : Disposition::LATE;
    }

    /** @param record gets this source's part of the record of the given round */
    void AddTo(RoundRecord& record, size_t closed, size_t givenAtClose) const
    {
        const size_t before = CountBefore(closed);
        const size_t after = CountBefore(closed + 1);
        std::map<uint32_t, bool> learned; // rounds first heard of in this round: came on time?
        uint32_t dropped = 0;             // came on time, but were given up
        bool used = false;
        for (size_t k = before; k < after; ++k)
        {
            for (uint32_t round = GetNext(k); round <= came[k].round; ++round)
            {
                learned[round] = round == came[k].round;
                const bool abandoned = learned[round] && came[k].given != givenAtClose;
                dropped += abandoned ? 1 : 0;
                used = used || (learned[round] && !abandoned && came[k].usable);
            }
        }
        record.expected += learned.size() - dropped;
        for (const auto& [round, onTime] : learned)
        {
            const auto wanted = round;
            const bool late =
                !onTime && std::any_of(came.begin(), came.end(), [wanted](const Came& c) {
                    return c.round == wanted;
                });
            record.received += onTime ? 1 : 0;
            record.late += late ? 1 : 0;
            record.lost += !onTime && !late ? 1 : 0;
        }
        record.received -= dropped;
        record.used += used ? 1 : 0;
    }
};

TEST(LatestWindow, AgreesWithADiaryOfAllMessages)
{
    std::mt19937 engine(3);
    for (int run = 0; run < 100; ++run)
    {
        LatestWindow window(SOURCES);
        std::map<Source, Diary> diaries;
        std::vector<size_t> givenAtClose;
        size_t given = 0;
        uint32_t round = 0;
        window.Open(round);
        for (int event = 0; event < 120; ++event)
        {
            const Source& source = SOURCES[engine() % SOURCES.size()];
            Diary& diary = diaries[source];
            if (engine() % 5 > 0)
            {
                const uint32_t base = diary.GetNext(diary.came.size());
                const uint32_t sent = base + engine() % 7 - std::min(base, 4U);
                const bool usable = engine() % 6 > 0;
                const Disposition disposition = diary.Classify(sent);
                ASSERT_EQ(window.Classify(source, sent), disposition);
                const auto arrival = usable ? std::optional(Tagged(source, sent)) : std::nullopt;
                ASSERT_EQ(window.Offer(source, sent, arrival), disposition);
                if (disposition != Disposition::DUPLICATE)
                {
                    diary.came.push_back({sent, givenAtClose.size(), given, usable});
                }
                continue;
            }
            if (engine() % 8 == 0)
            {
                window.Abandon();
                ++given;
            }
            else
            {
                for (const auto& [from, arrival] : window.Close())
                {
                    // The newest usable one that came since the last closing.
                    uint32_t newest = 0;
                    const Diary& own = diaries[from];
                    for (size_t k = 0; k < own.came.size(); ++k)
                    {
                        const Came& c = own.came[k];
                        const bool now = c.closed == givenAtClose.size() && c.given == given;
                        const bool first = c.round >= own.GetNext(k);
                        newest = now && first && c.usable ? c.round : newest;
                    }
                    EXPECT_EQ(arrival.round, newest);
                    EXPECT_EQ(arrival.values, Tagged(from, newest).values);
                }
                givenAtClose.push_back(given);
            }
            round += 1 + engine() % 2;
            window.Open(round);
        }
        ASSERT_EQ(window.GetRecords().size(), givenAtClose.size());
        for (size_t k = 0; k < givenAtClose.size(); ++k)
        {
            RoundRecord expected;
            for (const auto& [source, diary] : diaries)
            {
                diary.AddTo(expected, k, givenAtClose[k]);
            }
            const RoundRecord& record = window.GetRecords()[k];
            EXPECT_EQ(record.expected, expected.expected) << run << " " << k;
            EXPECT_EQ(record.received, expected.received) << run << " " << k;
            EXPECT_EQ(record.late, expected.late) << run << " " << k;
            EXPECT_EQ(record.lost, expected.lost) << run << " " << k;
            EXPECT_EQ(record.used, expected.used) << run << " " << k;
        }
        EXPECT_NO_THROW(window.CheckConservation());
    }
}

TEST(LatestWindow, UsesTheNewestAndDoesNotWait)
{
    const Source one = SOURCES[0];
    LatestWindow window(SOURCES);
    window.Open(7); // the learner's own rounds do not matter
    EXPECT_TRUE(window.GetMissing().empty());
    EXPECT_FALSE(window.HasPassed(one));
    EXPECT_EQ(window.Offer(one, 2, Tagged(one, 2)), Disposition::ON_TIME);
    EXPECT_EQ(window.Offer(one, 3, Tagged(one, 3)), Disposition::ON_TIME);
    EXPECT_EQ(window.Offer(one, 3, Tagged(one, 3)), Disposition::DUPLICATE);
    EXPECT_EQ(window.Offer(one, 4, std::nullopt), Disposition::ON_TIME); // not usable: 3 stays
    EXPECT_EQ(window.Offer(one, 1, Tagged(one, 1)), Disposition::LATE);
    EXPECT_EQ(window.Offer({9, ModelChannel::STATE}, 1, std::nullopt), Disposition::UNEXPECTED);
    EXPECT_EQ(window.GetReceived(), 1U);
    EXPECT_EQ(window.GetExpected(), 3U);
    const auto usable = window.Close();
    ASSERT_EQ(usable.size(), 1U);
    EXPECT_EQ(usable.at(one).round, 3U);
    const RoundRecord& record = window.GetRecords().back();
    EXPECT_EQ(record.round, 7U);
    EXPECT_EQ(record.expected, 5U); // rounds 0 to 4
    EXPECT_EQ(record.received, 3U);
    EXPECT_EQ(record.rejected, 2U); // 2 was superseded, 4 not usable
    EXPECT_EQ(record.late, 1U);     // 1
    EXPECT_EQ(record.lost, 1U);     // 0
    EXPECT_EQ(window.GetTally().superseded, 1U);
    window.Open(8);
    EXPECT_EQ(window.Offer(one, 0, Tagged(one, 0)), Disposition::LATE);
    EXPECT_TRUE(window.Close().empty()) << "nothing new has come";
    EXPECT_EQ(window.GetRecords().front().late, 2U);
    EXPECT_EQ(window.GetRecords().front().lost, 0U);
    EXPECT_EQ(window.GetRecords().back().expected, 0U);
    window.CheckConservation();
}

/** Closes rounds. */
void
CloseRounds(LatestWindow& window, uint32_t rounds)
{
    for (uint32_t k = 0; k < rounds; ++k)
    {
        window.Close();
        window.Open(window.GetRound() + 1);
    }
}

// A gap of 64 rounds is believed, and twice as much for each round that was closed meanwhile.
TEST(LatestWindow, BelievesGapsThatAreLikely)
{
    const Source& one = SOURCES[0];
    for (const uint32_t closed : {0, 1, 5, 13, 14, 15, 100})
    {
        const uint32_t gap = 64U << std::min(closed, 14U);
        LatestWindow window(SOURCES);
        window.Open(0);
        EXPECT_EQ(window.Offer(one, 0, Tagged(one, 0)), Disposition::ON_TIME);
        CloseRounds(window, closed);
        EXPECT_EQ(window.Offer(one, gap + 2, Tagged(one, 1)), Disposition::TOO_EARLY) << closed;
        EXPECT_EQ(window.Offer(one, gap + 1, Tagged(one, 1)), Disposition::ON_TIME) << closed;
        EXPECT_EQ(window.Offer(one, gap + 67, Tagged(one, 1)), Disposition::TOO_EARLY)
            << "the next one follows at once";
        CloseRounds(window, 1);
        EXPECT_EQ(window.GetRecords().back().lost, gap);
        window.CheckConservation();
    }
}

// A sender whose round numbers jump as far as they are believed loses its own messages, and does no
// other harm.
TEST(LatestWindow, FalseRoundsDoNoHarmToOthers)
{
    const Source attacker = SOURCES[0];
    const Source honest = SOURCES[2];
    LatestWindow window(SOURCES);
    window.Open(0);
    const uint32_t end = std::numeric_limits<uint32_t>::max();
    EXPECT_EQ(window.Offer(attacker, end, Tagged(attacker, end)), Disposition::TOO_EARLY);
    uint64_t next = 0;
    for (uint32_t round = 0; round < 1000; ++round)
    {
        next += LatestWindow::FIRST_GAP;
        ASSERT_EQ(window.Offer(attacker, next, Tagged(attacker, 1)), Disposition::ON_TIME);
        ++next;
        ASSERT_EQ(window.Offer(honest, round, Tagged(honest, 1)), Disposition::ON_TIME);
        CloseRounds(window, 1);
    }
    EXPECT_EQ(window.Offer(attacker, next - 1, Tagged(attacker, 1)), Disposition::DUPLICATE);
    EXPECT_EQ(window.Offer(attacker, 5, Tagged(attacker, 1)), Disposition::LATE);
    window.CheckConservation();
    for (const RoundRecord& record : window.GetRecords())
    {
        EXPECT_EQ(record.used, 2U);
    }
}

// 4097 sources that are 2^20 rounds further: more than 32 bits count.
TEST(LatestWindow, CountsMoreRoundsThan32BitsHold)
{
    std::vector<Source> many;
    for (LearnerId id = 0; id < 4097; ++id)
    {
        many.emplace_back(id, ModelChannel::STATE);
    }
    LatestWindow window(many);
    window.Open(0);
    CloseRounds(window, 14);
    for (const Source& source : many)
    {
        const auto disposition = window.Offer(source, LatestWindow::LARGEST_GAP, std::nullopt);
        ASSERT_EQ(disposition, Disposition::ON_TIME);
    }
    CloseRounds(window, 1);
    EXPECT_EQ(window.GetRecords().back().lost, uint64_t{4097} << 20);
    EXPECT_EQ(window.GetRecords().back().received, 4097U);
    window.CheckConservation();
}

TEST(LatestWindow, RefusesMisuse)
{
    ExpectRefused(
        [] {
            LatestWindow({SOURCES[0], SOURCES[0]});
        },
        "LatestWindow: a source is listed twice");
    LatestWindow window(SOURCES);
    ExpectRefused([&] { window.Close(); }, "LatestWindow: no round is open");
    window.Open(3);
    ExpectRefused([&] { window.Open(4); }, "LatestWindow: round 3 is still open");
}

} // namespace
} // namespace ns3::dlearn
