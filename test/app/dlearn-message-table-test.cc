/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-message-table.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace ns3::dlearn
{
namespace
{

using Disposition = MessageDisposition;

const MessageSource STATE_OF_1{1, ModelChannel::STATE};
const MessageSource STATE_OF_2{2, ModelChannel::STATE};

// A sender is suspected after 100 ms without success in all.
TEST(MessageTable, SuspectsAfterWaitingTooLong)
{
    RoundTable table({STATE_OF_1, STATE_OF_2}, 1);
    const auto wait = [&table](int64_t span, int64_t suspicion = 100) {
        return table.RecordTimeout(1, MilliSeconds(span), MilliSeconds(suspicion));
    };
    for (int round = 0; round < 9; ++round)
    {
        EXPECT_FALSE(wait(0)) << "a round that did not wait";
        EXPECT_FALSE(wait(10)) << round;
    }
    EXPECT_TRUE(wait(10));
    EXPECT_FALSE(wait(10)) << "it says so once";
    EXPECT_FALSE(table.IsAlive(1));
    EXPECT_TRUE(table.IsAlive(2));
    EXPECT_FALSE(wait(0, 1000));
    EXPECT_FALSE(table.IsAlive(1)) << "it stays suspected until it is heard";
    table.RecordActivity(1);
    EXPECT_TRUE(table.IsAlive(1));
    EXPECT_FALSE(wait(99)) << "starts from zero";
    EXPECT_TRUE(wait(1));
    table.Trust();
    EXPECT_TRUE(table.IsAlive(1));
    EXPECT_FALSE(wait(50));
    EXPECT_TRUE(wait(0, 50)) << "by the timeout of the moment";
}

const std::vector<MessageSource> TABLE_SOURCES = {{2, ModelChannel::STATE},
                                                  {3, ModelChannel::STATE},
                                                  {3, ModelChannel::TRACKER},
                                                  {7, ModelChannel::STATE}};

Arrival
MakeTagged(double tag, uint32_t round)
{
    Arrival arrival;
    arrival.values = ModelVector::Constant(1, tag);
    arrival.round = round;
    return arrival;
}

/**
 * RoundTable as a list of all rounds, without thought of speed.
 */
struct AllRounds
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
        std::map<MessageSource, std::optional<double>> onTime; //!< tag, where usable
        int64_t last{-1};                                      //!< sender of the last one
        std::set<MessageSource> late;
    };

    explicit AllRounds(uint32_t waitingRoom)
        : ahead(waitingRoom),
          rows(1200)
    {
    }

    Disposition Classify(const MessageSource& source, uint32_t round) const
    {
        if (std::find(TABLE_SOURCES.begin(), TABLE_SOURCES.end(), source) == TABLE_SOURCES.end())
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

    void Offer(const MessageSource& source, uint32_t round, std::optional<double> tag)
    {
        const Disposition disposition = Classify(source, round);
        ++counts[disposition];
        if (disposition == Disposition::ON_TIME || disposition == Disposition::EARLY)
        {
            rows[round].onTime[source] = tag;
            if (disposition == Disposition::ON_TIME)
            {
                rows[round].last = source.first;
            }
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
        if (!rows[round].onTime.empty()) // those that came early count when the round opens
        {
            rows[round].last = rows[round].onTime.rbegin()->first.first;
        }
    }

    uint32_t ahead;
    std::vector<Row> rows;
    int64_t newest{-1};
    std::map<Disposition, uint64_t> counts;
};

void
ExpectSameRecords(const RoundTable& window, const AllRounds& table)
{
    auto record = window.GetRecords().begin();
    for (uint32_t round = 0; round < table.rows.size(); ++round)
    {
        const AllRounds::Row& row = table.rows[round];
        if (row.fate != AllRounds::Fate::CLOSED)
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
        EXPECT_EQ(record->expected, TABLE_SOURCES.size());
        EXPECT_EQ(record->received, row.onTime.size());
        EXPECT_EQ(record->last, row.last);
        EXPECT_EQ(record->used, used);
        EXPECT_EQ(record->rejected, row.onTime.size() - used);
        EXPECT_EQ(record->late, row.late.size());
        EXPECT_EQ(record->lost, TABLE_SOURCES.size() - row.onTime.size() - row.late.size());
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

TEST(RoundTable, AgreesWithATableOfAllRounds)
{
    std::set<Disposition> seen;
    for (uint32_t seed = 0; seed < 8; ++seed)
    {
        std::mt19937_64 engine(seed);
        const uint32_t ahead = 1 + seed % 4;
        RoundTable window(TABLE_SOURCES, ahead);
        AllRounds table(ahead);
        double tag = 0;
        for (uint32_t step = 0; step < 3000 && table.newest < 1000; ++step)
        {
            const uint64_t dice = engine() % 20;
            const bool open = window.IsOpen();
            if (dice == 0 && open)
            {
                const auto usable = window.Close();
                AllRounds::Row& row = table.rows[table.newest];
                row.fate = AllRounds::Fate::CLOSED;
                std::map<MessageSource, double> got;
                std::map<MessageSource, double> wanted;
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
                table.rows[table.newest].fate = AllRounds::Fate::DROPPED;
                EXPECT_NO_THROW(window.CheckConservation());
            }
            else if (dice < 5 && !open)
            {
                const uint32_t round = table.newest + 1 + (engine() % 4 == 0 ? engine() % 6 : 0);
                window.Open(round);
                table.Open(round);
                EXPECT_EQ(window.GetRound(), round);
                EXPECT_EQ(window.GetStatus().received, table.rows[round].onTime.size());
                EXPECT_EQ(window.GetMissing().size() + window.GetStatus().received,
                          TABLE_SOURCES.size());
            }
            else
            {
                MessageSource source = TABLE_SOURCES[engine() % TABLE_SOURCES.size()];
                source.first += engine() % 20 == 0; // sometimes a stranger
                const uint64_t low = std::max<int64_t>(0, table.newest - 5);
                const uint32_t round = low + engine() % 12;
                const bool usable = engine() % 6 != 0;
                ++tag;
                const Disposition disposition = table.Classify(source, round);
                seen.insert(disposition);
                ASSERT_EQ(window.Classify(source, round), disposition) << "step " << step;
                ASSERT_EQ(window.Offer(source,
                                       round,
                                       usable ? std::make_optional(MakeTagged(tag, round))
                                              : std::nullopt),
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

TEST(RoundTable, NoticesBrokenRecords)
{
    RoundTable window({{1, ModelChannel::STATE}}, 1);
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
    window.Offer({1, ModelChannel::STATE}, 5, MakeTagged(0, 5));
    window.Close();
    window.GetRecords().clear();
    ExpectRefused<std::logic_error>([&] { window.CheckConservation(); }, "given up, but 1 != 0");
}

TEST(RoundTable, DoesNotWaitForSendersThatHaveFailedOrAreInALaterRound)
{
    RoundTable table({STATE_OF_1, STATE_OF_2}, 2);
    const auto waitable = [&table] { return table.GetStatus().waitable; };
    table.Open(4);
    EXPECT_EQ(table.GetStatus().expected, 2U);
    EXPECT_EQ(waitable(), 2U);
    table.Offer(STATE_OF_2, 99, std::nullopt); // too early to keep
    table.Offer(STATE_OF_2, 6, std::nullopt);  // not usable
    table.Offer(STATE_OF_1, 5, Arrival());
    EXPECT_EQ(waitable(), 1U) << "the message of 1 for this round is lost";
    EXPECT_EQ(table.GetStatus().received, 0U);
    table.RecordTimeout(2, Seconds(1), Seconds(1));
    EXPECT_EQ(waitable(), 0U);
    EXPECT_EQ(table.GetMissing().size(), 2U);
    table.Close();
    table.Open(5);
    EXPECT_EQ(table.GetStatus().received, 1U);
    EXPECT_EQ(table.GetUnused(), std::vector<MessageSource>{STATE_OF_2});
}

const std::vector<MessageSource> SOURCES{{1, ModelChannel::STATE},
                                         {1, ModelChannel::TRACKER},
                                         {4, ModelChannel::STATE}};

/** A vector that tells its source and round. */
Arrival
MakeTagged(const MessageSource& source, uint32_t round)
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
 * What LatestTable should do, worked out from the whole diary of a source, without any state:
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

TEST(LatestTable, AgreesWithADiaryOfAllMessages)
{
    std::mt19937 engine(3);
    for (int run = 0; run < 100; ++run)
    {
        LatestTable window(SOURCES);
        std::map<MessageSource, Diary> diaries;
        std::vector<size_t> givenAtClose;
        size_t given = 0;
        uint32_t round = 0;
        window.Open(round);
        for (int event = 0; event < 120; ++event)
        {
            const MessageSource& source = SOURCES[engine() % SOURCES.size()];
            Diary& diary = diaries[source];
            if (engine() % 5 > 0)
            {
                const uint32_t base = diary.GetNext(diary.came.size());
                const uint32_t sent = base + engine() % 7 - std::min(base, 4U);
                const bool usable = engine() % 6 > 0;
                const Disposition disposition = diary.Classify(sent);
                ASSERT_EQ(window.Classify(source, sent), disposition);
                const auto arrival =
                    usable ? std::optional(MakeTagged(source, sent)) : std::nullopt;
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
                    EXPECT_EQ(arrival.values, MakeTagged(from, newest).values);
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

/** Closes rounds. */
void
CloseRounds(LatestTable& window, uint32_t rounds)
{
    for (uint32_t k = 0; k < rounds; ++k)
    {
        window.Close();
        window.Open(window.GetRound() + 1);
    }
}

// A gap of 64 rounds is believed, and twice as much for each round that was closed meanwhile.
TEST(LatestTable, BelievesGapsThatAreLikely)
{
    const MessageSource& one = SOURCES[0];
    for (const uint32_t closed : {0, 1, 5, 13, 14, 15, 100})
    {
        const uint32_t gap = 64U << std::min(closed, 14U);
        LatestTable window(SOURCES);
        window.Open(0);
        EXPECT_EQ(window.Offer(one, 0, MakeTagged(one, 0)), Disposition::ON_TIME);
        CloseRounds(window, closed);
        EXPECT_EQ(window.Offer(one, gap + 2, MakeTagged(one, 1)), Disposition::TOO_EARLY) << closed;
        EXPECT_EQ(window.Offer(one, gap + 1, MakeTagged(one, 1)), Disposition::ON_TIME) << closed;
        EXPECT_EQ(window.Offer(one, gap + 67, MakeTagged(one, 1)), Disposition::TOO_EARLY)
            << "the next one follows at once";
        CloseRounds(window, 1);
        EXPECT_EQ(window.GetRecords().back().lost, gap);
        window.CheckConservation();
    }
}

// A sender whose round numbers jump as far as they are believed loses its own messages, and does no
// other harm.
TEST(LatestTable, FalseRoundsDoNoHarmToOthers)
{
    const MessageSource attacker = SOURCES[0];
    const MessageSource honest = SOURCES[2];
    LatestTable window(SOURCES);
    window.Open(0);
    const uint32_t end = std::numeric_limits<uint32_t>::max();
    EXPECT_EQ(window.Offer(attacker, end, MakeTagged(attacker, end)), Disposition::TOO_EARLY);
    uint64_t next = 0;
    for (uint32_t round = 0; round < 1000; ++round)
    {
        next += LatestTable::FIRST_GAP;
        ASSERT_EQ(window.Offer(attacker, next, MakeTagged(attacker, 1)), Disposition::ON_TIME);
        ++next;
        ASSERT_EQ(window.Offer(honest, round, MakeTagged(honest, 1)), Disposition::ON_TIME);
        CloseRounds(window, 1);
    }
    EXPECT_EQ(window.Offer(attacker, next - 1, MakeTagged(attacker, 1)), Disposition::DUPLICATE);
    EXPECT_EQ(window.Offer(attacker, 5, MakeTagged(attacker, 1)), Disposition::LATE);
    window.CheckConservation();
    for (const RoundRecord& record : window.GetRecords())
    {
        EXPECT_EQ(record.used, 2U);
    }
}

// 4097 sources that are 2^20 rounds further: more than 32 bits count.
TEST(LatestTable, CountsMoreRoundsThan32BitsHold)
{
    std::vector<MessageSource> many;
    for (LearnerId id = 0; id < 4097; ++id)
    {
        many.emplace_back(id, ModelChannel::STATE);
    }
    LatestTable window(many);
    window.Open(0);
    CloseRounds(window, 14);
    for (const MessageSource& source : many)
    {
        const auto disposition = window.Offer(source, LatestTable::LARGEST_GAP, std::nullopt);
        ASSERT_EQ(disposition, Disposition::ON_TIME);
    }
    CloseRounds(window, 1);
    EXPECT_EQ(window.GetRecords().back().lost, uint64_t{4097} << 20);
    EXPECT_EQ(window.GetRecords().back().received, 4097U);
    window.CheckConservation();
}

const MessageSource UPDATE_OF_1{1, ModelChannel::UPDATE};
const MessageSource UPDATE_OF_2{2, ModelChannel::UPDATE};

TEST(RequestTable, DistinguishesAnswers)
{
    RequestTable requests(ModelChannel::UPDATE);
    EXPECT_EQ(requests.Classify(UPDATE_OF_1, 0), Disposition::UNEXPECTED);
    requests.Expect(1, 3);
    requests.Expect(2, 3);
    EXPECT_TRUE(requests.IsOpen(1));
    EXPECT_EQ(requests.GetOpen().size(), 2U);
    EXPECT_EQ(requests.Classify({1, ModelChannel::ANSWER}, 3), Disposition::UNEXPECTED);
    EXPECT_EQ(requests.Classify(UPDATE_OF_1, 4), Disposition::UNEXPECTED);
    EXPECT_EQ(requests.Answer(1, 3, true), Disposition::ON_TIME);
    EXPECT_EQ(requests.Answer(1, 3, true), Disposition::DUPLICATE);
    requests.GiveUp(2);
    EXPECT_EQ(requests.Classify(UPDATE_OF_2, 3), Disposition::LATE);
    requests.Close(7);
    EXPECT_EQ(requests.GetRecords().at(0).lost, 1U);
    EXPECT_EQ(requests.Answer(2, 3, false), Disposition::LATE);
    EXPECT_EQ(requests.Answer(2, 3, true), Disposition::DUPLICATE);
    EXPECT_EQ(requests.Answer(3, 3, true), Disposition::UNEXPECTED);
    const RoundRecord& record = requests.GetRecords().at(0);
    EXPECT_EQ(record.round, 7U);
    EXPECT_EQ(record.expected, 2U);
    EXPECT_EQ(record.used, 1U);
    EXPECT_EQ(record.last, 1) << "a late answer is not waited for";
    EXPECT_EQ(record.rejected, 0U) << "late answers count as late, usable or not";
    EXPECT_EQ(record.late, 1U);
    EXPECT_EQ(record.lost, 0U);
    requests.CheckConservation();
    requests.Expect(1, 5);
    requests.GiveUp(1);
    requests.Forget(5);
    EXPECT_EQ(requests.Classify(UPDATE_OF_1, 3), Disposition::UNEXPECTED);
    EXPECT_EQ(requests.Classify(UPDATE_OF_1, 5), Disposition::LATE);
}

/** RequestTable as a list of all requests. */
struct AllRequests
{
    /** The state of a request. */
    enum class Fate
    {
        OPEN,
        ANSWERED,
        GIVEN_UP,
        LATE
    };

    /** A request. */
    struct Entry
    {
        LearnerId client;
        uint32_t requestId;
        Fate fate;
        bool usable;
        size_t round; //!< in which it ended
    };

    Entry* Find(LearnerId client, uint32_t requestId)
    {
        for (Entry& entry : entries)
        {
            if (entry.client == client && entry.requestId == requestId)
            {
                return &entry;
            }
        }
        return nullptr;
    }

    size_t Count(size_t round, std::set<Fate> fates, std::set<bool> usable = {false, true}) const
    {
        size_t count = 0;
        for (const Entry& entry : entries)
        {
            count += fates.count(entry.fate) > 0 && entry.round == round &&
                     usable.count(entry.usable) > 0;
        }
        return count;
    }

    std::vector<Entry> entries;
};

// Any order of events: each request is recorded once, in the round in which it ended.
TEST(RequestTable, AgreesWithAListOfAllRequests)
{
    using Fate = AllRequests::Fate;
    std::mt19937 random(1);
    const auto draw = [&](uint32_t below) { return static_cast<uint32_t>(random() % below); };
    for (uint32_t run = 0; run < 60; ++run)
    {
        RequestTable requests(ModelChannel::UPDATE);
        AllRequests naive;
        uint32_t requestId = 0;
        size_t round = 0;
        uint64_t unexpected = 0;
        uint64_t duplicate = 0;
        for (uint32_t step = 0; step < 200; ++step)
        {
            const LearnerId client = 1 + draw(5);
            switch (draw(4))
            {
            case 0: // one requestId may go to several clients, as in synchronous operation
                if (!requests.IsOpen(client))
                {
                    AllRequests::Entry* last = naive.Find(client, requestId);
                    requestId += last != nullptr || draw(2) == 0 ? 1 : 0;
                    requests.Expect(client, requestId);
                    naive.entries.push_back({client, requestId, Fate::OPEN, false, SIZE_MAX});
                }
                break;
            case 1: {
                const uint32_t answered = draw(requestId + 2);
                const bool usable = draw(3) > 0;
                AllRequests::Entry* entry = naive.Find(client, answered);
                Disposition disposition =
                    requests.Classify({client, ModelChannel::UPDATE}, answered);
                ASSERT_EQ(requests.Answer(client, answered, usable), disposition);
                const Disposition expected = !entry                      ? Disposition::UNEXPECTED
                                             : entry->fate == Fate::OPEN ? Disposition::ON_TIME
                                             : entry->fate == Fate::GIVEN_UP
                                                 ? Disposition::LATE
                                                 : Disposition::DUPLICATE;
                // A requestId that went to others only: neither kind does harm, both are counted.
                const bool others = !entry && disposition == Disposition::DUPLICATE;
                ASSERT_TRUE(disposition == expected || others);
                unexpected += disposition == Disposition::UNEXPECTED;
                duplicate += disposition == Disposition::DUPLICATE;
                if (entry && entry->fate == Fate::OPEN)
                {
                    *entry = {client, answered, Fate::ANSWERED, usable, round};
                }
                else if (entry && entry->fate == Fate::GIVEN_UP)
                {
                    entry->fate = Fate::LATE;
                }
                break;
            }
            case 2:
                if (requests.IsOpen(client))
                {
                    for (AllRequests::Entry& entry : naive.entries)
                    {
                        if (entry.client == client && entry.fate == Fate::OPEN)
                        {
                            entry.fate = Fate::GIVEN_UP;
                            entry.round = round;
                        }
                    }
                    requests.GiveUp(client);
                }
                break;
            default:
                if (draw(4) == 0)
                {
                    requests.Close(round++);
                }
            }
        }
        requests.Close(round);
        requests.CheckConservation();
        ASSERT_EQ(requests.GetRecords().size(), round + 1);
        for (size_t r = 0; r <= round; ++r)
        {
            const RoundRecord& record = requests.GetRecords()[r];
            EXPECT_EQ(record.round, r);
            EXPECT_EQ(record.expected,
                      naive.Count(r, {Fate::ANSWERED, Fate::GIVEN_UP, Fate::LATE}));
            EXPECT_EQ(record.received, naive.Count(r, {Fate::ANSWERED}));
            EXPECT_EQ(record.used, naive.Count(r, {Fate::ANSWERED}, {true}));
            EXPECT_EQ(record.rejected, naive.Count(r, {Fate::ANSWERED}, {false}));
            EXPECT_EQ(record.late, naive.Count(r, {Fate::LATE}));
            EXPECT_EQ(record.lost, naive.Count(r, {Fate::GIVEN_UP}));
        }
        EXPECT_EQ(requests.GetTally().unexpected, unexpected);
        EXPECT_EQ(requests.GetTally().duplicate, duplicate);
        EXPECT_EQ(requests.GetOpen().size(), naive.Count(SIZE_MAX, {Fate::OPEN}));
    }
}

} // namespace
} // namespace ns3::dlearn
