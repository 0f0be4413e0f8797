/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-round-window.h"

#include <gtest/gtest.h>
#include <random>

namespace ns3::dlearn
{
namespace
{

using Source = RoundWindow::Source;
using Disposition = RoundWindow::Disposition;

const std::vector<Source> WINDOW_SOURCES = {{2, ModelChannel::STATE},
                                            {3, ModelChannel::STATE},
                                            {3, ModelChannel::TRACKER},
                                            {7, ModelChannel::STATE}};

Arrival
Tagged(double tag, uint32_t round)
{
    Arrival arrival;
    arrival.values = ModelVector::Constant(1, tag);
    arrival.round = round;
    return arrival;
}

/**
 * What RoundWindow should do, written as a table of all rounds: no sharing of memory, no
 * thought of speed.
 */
struct Table
{
    enum class Fate
    {
        COMING,
        OPEN,
        CLOSED,
        DROPPED //!< skipped or given up
    };

    struct Row
    {
        Fate fate{Fate::COMING};
        std::map<Source, std::optional<double>> onTime; //!< tag, where usable
        std::set<Source> late;
    };

    explicit Table(uint32_t waitingRoom)
        : ahead(waitingRoom),
          rows(1200)
    {
    }

    Disposition Classify(const Source& source, uint32_t round) const
    {
        if (std::find(WINDOW_SOURCES.begin(), WINDOW_SOURCES.end(), source) == WINDOW_SOURCES.end())
        {
            return Disposition::UNEXPECTED;
        }
        const int64_t first = int64_t{newest} + 1; // of the rounds still to come
        if (round >= first + ahead)
        {
            return Disposition::TOO_EARLY;
        }
        const Row& row = rows[round];
        const bool had = row.onTime.count(source) + row.late.count(source) > 0;
        switch (row.fate)
        {
        case Fate::COMING:
            return had ? Disposition::DUPLICATE : Disposition::EARLY;
        case Fate::OPEN:
            return had ? Disposition::DUPLICATE : Disposition::ON_TIME;
        case Fate::CLOSED:
            return had ? Disposition::DUPLICATE : Disposition::LATE;
        case Fate::DROPPED:
            break;
        }
        return Disposition::UNEXPECTED;
    }

    void Offer(const Source& source, uint32_t round, std::optional<double> tag)
    {
        const Disposition disposition = Classify(source, round);
        ++counts[disposition];
        if (disposition == Disposition::ON_TIME || disposition == Disposition::EARLY)
        {
            rows[round].onTime[source] = tag;
        }
        else if (disposition == Disposition::LATE)
        {
            rows[round].late.insert(source);
        }
    }

    void Open(uint32_t round)
    {
        for (int64_t skipped = newest + 1; skipped < round; ++skipped)
        {
            rows[skipped].fate = Fate::DROPPED;
        }
        newest = round;
        rows[round].fate = Fate::OPEN;
    }

    uint32_t ahead;
    std::vector<Row> rows;
    int64_t newest{-1};
    std::map<Disposition, uint64_t> counts;
};

void
ExpectSameRecords(const RoundWindow& window, const Table& table)
{
    auto record = window.GetRecords().begin();
    for (uint32_t round = 0; round < table.rows.size(); ++round)
    {
        const Table::Row& row = table.rows[round];
        if (row.fate != Table::Fate::CLOSED)
        {
            continue;
        }
        ASSERT_NE(record, window.GetRecords().end());
        uint32_t used = 0;
        for (const auto& [source, tag] : row.onTime)
        {
            used += tag.has_value();
        }
        EXPECT_EQ(record->round, round);
        EXPECT_EQ(record->expected, WINDOW_SOURCES.size());
        EXPECT_EQ(record->received, row.onTime.size());
        EXPECT_EQ(record->used, used);
        EXPECT_EQ(record->rejected, row.onTime.size() - used);
        EXPECT_EQ(record->late, row.late.size());
        EXPECT_EQ(record->lost, WINDOW_SOURCES.size() - row.onTime.size() - row.late.size());
        ++record;
    }
    EXPECT_EQ(record, window.GetRecords().end());
    const auto count = [&table](Disposition disposition) {
        const auto found = table.counts.find(disposition);
        return found == table.counts.end() ? 0 : found->second;
    };
    EXPECT_EQ(window.GetTally().onTime, count(Disposition::ON_TIME));
    EXPECT_EQ(window.GetTally().early, count(Disposition::EARLY));
    EXPECT_EQ(window.GetTally().late, count(Disposition::LATE));
    EXPECT_EQ(window.GetTally().duplicate, count(Disposition::DUPLICATE));
    EXPECT_EQ(window.GetTally().tooEarly, count(Disposition::TOO_EARLY));
    EXPECT_EQ(window.GetTally().unexpected, count(Disposition::UNEXPECTED));
}

TEST(RoundWindow, AgreesWithATableOfAllRounds)
{
    std::set<Disposition> seen;
    for (uint32_t seed = 0; seed < 8; ++seed)
    {
        std::mt19937_64 engine(seed);
        const uint32_t ahead = 1 + seed % 4;
        RoundWindow window(WINDOW_SOURCES, ahead);
        Table table(ahead);
        double tag = 0;
        for (uint32_t step = 0; step < 3000 && table.newest < 1000; ++step)
        {
            const uint64_t dice = engine() % 20;
            const bool open = window.IsOpen();
            if (dice == 0 && open)
            {
                const auto usable = window.Close();
                Table::Row& row = table.rows[table.newest];
                row.fate = Table::Fate::CLOSED;
                std::map<Source, double> got;
                std::map<Source, double> wanted;
                for (const auto& [source, arrival] : usable)
                {
                    got[source] = arrival.values[0];
                }
                for (const auto& [source, value] : row.onTime)
                {
                    if (value)
                    {
                        wanted[source] = *value;
                    }
                }
                EXPECT_EQ(got, wanted);
                EXPECT_NO_THROW(window.CheckConservation());
            }
            else if (dice == 1 && open)
            {
                window.Abandon();
                table.rows[table.newest].fate = Table::Fate::DROPPED;
                EXPECT_NO_THROW(window.CheckConservation());
            }
            else if (dice < 5 && !open)
            {
                const uint32_t round = table.newest + 1 + (engine() % 4 == 0 ? engine() % 6 : 0);
                window.Open(round);
                table.Open(round);
                EXPECT_EQ(window.GetRound(), round);
                EXPECT_EQ(window.GetReceived(), table.rows[round].onTime.size());
                EXPECT_EQ(window.GetMissing().size() + window.GetReceived(), WINDOW_SOURCES.size());
            }
            else
            {
                Source source = WINDOW_SOURCES[engine() % WINDOW_SOURCES.size()];
                source.first += engine() % 20 == 0; // sometimes a stranger
                const uint64_t low = std::max<int64_t>(0, table.newest - 5);
                const uint32_t round = low + engine() % 12;
                const bool usable = engine() % 6 != 0;
                ++tag;
                const Disposition disposition = table.Classify(source, round);
                seen.insert(disposition);
                ASSERT_EQ(window.Classify(source, round), disposition) << "step " << step;
                ASSERT_EQ(
                    window.Offer(source,
                                 round,
                                 usable ? std::make_optional(Tagged(tag, round)) : std::nullopt),
                    disposition);
                table.Offer(source, round, usable ? std::make_optional(tag) : std::nullopt);
            }
        }
        EXPECT_GT(window.GetRecords().size(), 50U);
        EXPECT_NO_THROW(window.CheckConservation());
        ExpectSameRecords(window, table);
    }
    EXPECT_EQ(seen.size(), 6U); // every disposition was met
}

TEST(RoundWindow, TellsEachVerdictByName)
{
    RoundWindow window({{1, ModelChannel::STATE}, {2, ModelChannel::STATE}}, 2);
    const Source one{1, ModelChannel::STATE};
    const Source two{2, ModelChannel::STATE};
    EXPECT_STREQ(ToString(window.Offer(one, 0, Tagged(1, 0))), "early");
    window.Open(0);
    EXPECT_STREQ(ToString(window.Offer(one, 0, Tagged(2, 0))), "duplicate");
    EXPECT_STREQ(ToString(window.Offer({1, ModelChannel::TRACKER}, 0, Tagged(3, 0))), "unexpected");
    EXPECT_STREQ(ToString(window.Offer(one, 2, Tagged(4, 2))), "early");
    EXPECT_STREQ(ToString(window.Offer(one, 3, Tagged(5, 3))), "too early");
    EXPECT_STREQ(ToString(window.Offer(one, ~0U, Tagged(5, ~0U))), "too early");
    EXPECT_EQ(window.GetMissing(), std::vector<Source>{two});
    EXPECT_EQ(window.Close().at(one).values[0], 1);
    EXPECT_STREQ(ToString(window.Offer(two, 0, Tagged(6, 0))), "late");
    EXPECT_STREQ(ToString(window.Offer(two, 0, Tagged(7, 0))), "duplicate");
    window.Open(2);
    EXPECT_STREQ(ToString(window.Offer(two, 2, std::nullopt)), "on time");
    const auto usable = window.Close();
    EXPECT_EQ(usable.size(), 1U);
    EXPECT_EQ(usable.at(one).values[0], 4);
    EXPECT_EQ(window.GetRecords().back().rejected, 1U);
    EXPECT_EQ(window.GetRecords().front().late, 1U);
    EXPECT_STREQ(ToString(window.Classify(two, 1)), "unexpected"); // a round that never was
    EXPECT_STREQ(ToString(static_cast<Disposition>(99)), "unknown");
}

TEST(RoundWindow, BrokenRecordsAreNoticed)
{
    RoundWindow window({{1, ModelChannel::STATE}}, 1);
    window.Open(4);
    window.Close();
    window.GetRecords().back().node = 3;
    window.GetRecords().back().lost = 0;
    ExpectRefused<std::logic_error>(
        [&] { window.CheckConservation(); },
        "at node 3 in round 4: expected = received + late + lost, but 1 != 0");
    window.GetRecords().back().lost = 1;
    window.GetRecords().back().used = 1;
    ExpectRefused<std::logic_error>([&] { window.CheckConservation(); },
                                    "received = used + rejected, but 0 != 1");
    window.GetRecords().clear();
    window.Open(5);
    window.Offer({1, ModelChannel::STATE}, 5, Tagged(0, 5));
    window.Close();
    window.GetRecords().clear();
    ExpectRefused<std::logic_error>([&] { window.CheckConservation(); }, "given up, but 1 != 0");
}

TEST(RoundWindow, RefusesMisuse)
{
    const Source source{1, ModelChannel::STATE};
    ExpectRefused([&] { RoundWindow({source, source}, 1); }, "a source is listed twice");
    ExpectRefused([&] { RoundWindow({source}, 0); }, "ahead must be at least 1, got 0");
    RoundWindow window({source}, 1);
    ExpectRefused([&] { window.Close(); }, "no round is open");
    window.Open(3);
    ExpectRefused([&] { window.Open(4); }, "round 3 is still open");
    window.Abandon();
    ExpectRefused([&] { window.Open(3); }, "rounds must increase, got 3 after 3");
}

TEST(RoundWindow, KnowsWhoIsInALaterRound)
{
    const RoundWindow::Source source{1, ModelChannel::STATE};
    const RoundWindow::Source other{2, ModelChannel::STATE};
    RoundWindow window({source, other}, 2);
    window.Open(4);
    EXPECT_FALSE(window.HasPassed(source));
    window.Offer(source, 4, Arrival());
    EXPECT_FALSE(window.HasPassed(source));
    window.Offer(source, 5, Arrival());
    EXPECT_TRUE(window.HasPassed(source));
    window.Offer(other, 99, std::nullopt); // too early to keep
    window.Offer(other, 6, std::nullopt);  // not usable
    EXPECT_FALSE(window.HasPassed(other));
    window.Close();
    window.Open(5);
    EXPECT_FALSE(window.HasPassed(source));
}

} // namespace
} // namespace ns3::dlearn
