/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-dispatch-book.h"

#include <gtest/gtest.h>
#include <random>
#include <set>
#include <vector>

namespace ns3::dlearn
{
namespace
{

using Verdict = RoundWindow::Verdict;

/** @return a dispatch of a ticket */
Dispatch
Give(uint32_t ticket, uint32_t version = 0)
{
    return {ticket, version, Seconds(ticket)};
}

TEST(DispatchBook, TellsAnswersApart)
{
    DispatchBook book;
    EXPECT_EQ(book.Judge(1, 0), Verdict::UNEXPECTED);
    book.Add(1, Give(3, 2));
    book.Add(2, Give(3, 2));
    EXPECT_TRUE(book.IsOpen(1));
    EXPECT_EQ(book.GetOpen().size(), 2U);
    EXPECT_EQ(book.Find(1, 3)->version, 2U);
    EXPECT_EQ(book.Find(1, 3)->sent, Seconds(3));
    EXPECT_EQ(book.Find(1, 2), nullptr);
    EXPECT_EQ(book.Judge(1, 4), Verdict::UNEXPECTED);
    EXPECT_EQ(book.Answer(1, 3, true), Verdict::ON_TIME);
    EXPECT_EQ(book.Answer(1, 3, true), Verdict::DUPLICATE);
    EXPECT_EQ(book.Find(1, 3), nullptr);
    book.GiveUp(2);
    ASSERT_NE(book.Find(2, 3), nullptr);
    EXPECT_EQ(book.Find(2, 3)->version, 2U);
    book.Close(7);
    EXPECT_EQ(book.GetRecords().at(0).lost, 1U);
    EXPECT_EQ(book.Answer(2, 3, false), Verdict::LATE);
    EXPECT_EQ(book.Answer(2, 3, true), Verdict::DUPLICATE);
    EXPECT_EQ(book.Answer(3, 3, true), Verdict::UNEXPECTED);
    const RoundRecord& record = book.GetRecords().at(0);
    EXPECT_EQ(record.round, 7U);
    EXPECT_EQ(record.expected, 2U);
    EXPECT_EQ(record.used, 1U);
    EXPECT_EQ(record.rejected, 0U) << "what is late counts as late, usable or not";
    EXPECT_EQ(record.late, 1U);
    EXPECT_EQ(record.lost, 0U);
    book.CheckConservation();
}

TEST(DispatchBook, RefusesWhatCanNotBe)
{
    DispatchBook book;
    book.Add(1, Give(3));
    ExpectRefused([&] { book.Add(1, Give(4)); }, "DispatchBook: client 1 has an open dispatch");
    ExpectRefused([&] { book.GiveUp(2); }, "DispatchBook: client 2 has no open dispatch");
    book.GiveUp(1);
    ExpectRefused([&] { book.GiveUp(1); }, "DispatchBook: client 1 has no open dispatch");
    ExpectRefused([&] { book.Add(1, Give(3)); },
                  "DispatchBook: tickets must increase, got 3 for client 1");
    book.Close(0);
    book.GetLastRecord().lost = 0;
    ExpectRefused<std::logic_error>([&] { book.CheckConservation(); },
                                    "expected = received + late + lost");
}

/** The same, with nothing forgotten and nothing clever: every dispatch is in one list. */
class NaiveBook
{
  public:
    /** How a dispatch stands. */
    enum class Fate
    {
        OPEN,
        ANSWERED,
        GIVEN_UP,
        LATE
    };

    /** A dispatch. */
    struct Entry
    {
        LearnerId client;
        uint32_t ticket;
        Fate fate;
        bool usable;
        size_t round; //!< in which it ended
    };

    Entry* Find(LearnerId client, uint32_t ticket)
    {
        for (Entry& entry : entries)
        {
            if (entry.client == client && entry.ticket == ticket)
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

// Any order of events: each dispatch is booked once, in the round in which it ended.
TEST(DispatchBook, AgreesWithANaiveListOfAllDispatches)
{
    using Fate = NaiveBook::Fate;
    std::mt19937 random(1);
    const auto draw = [&](uint32_t below) { return static_cast<uint32_t>(random() % below); };
    for (uint32_t run = 0; run < 60; ++run)
    {
        DispatchBook book;
        NaiveBook naive;
        uint32_t ticket = 0;
        size_t round = 0;
        uint64_t unexpected = 0;
        uint64_t duplicate = 0;
        for (uint32_t step = 0; step < 200; ++step)
        {
            const LearnerId client = 1 + draw(5);
            switch (draw(4))
            {
            case 0: // one ticket may go to several clients, as in synchronous operation
                if (!book.IsOpen(client))
                {
                    NaiveBook::Entry* last = naive.Find(client, ticket);
                    ticket += last != nullptr || draw(2) == 0 ? 1 : 0;
                    book.Add(client, Give(ticket));
                    naive.entries.push_back({client, ticket, Fate::OPEN, false, SIZE_MAX});
                }
                break;
            case 1: {
                const uint32_t answered = draw(ticket + 2);
                const bool usable = draw(3) > 0;
                NaiveBook::Entry* entry = naive.Find(client, answered);
                Verdict verdict = book.Judge(client, answered);
                ASSERT_EQ(book.Answer(client, answered, usable), verdict);
                const Verdict expected = !entry                          ? Verdict::UNEXPECTED
                                         : entry->fate == Fate::OPEN     ? Verdict::ON_TIME
                                         : entry->fate == Fate::GIVEN_UP ? Verdict::LATE
                                                                         : Verdict::DUPLICATE;
                // A ticket that went to others only: neither kind does harm, both are counted.
                const bool others = !entry && verdict == Verdict::DUPLICATE;
                ASSERT_TRUE(verdict == expected || others);
                unexpected += verdict == Verdict::UNEXPECTED;
                duplicate += verdict == Verdict::DUPLICATE;
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
                if (book.IsOpen(client))
                {
                    for (NaiveBook::Entry& entry : naive.entries)
                    {
                        if (entry.client == client && entry.fate == Fate::OPEN)
                        {
                            entry.fate = Fate::GIVEN_UP;
                            entry.round = round;
                        }
                    }
                    book.GiveUp(client);
                }
                break;
            default:
                if (draw(4) == 0)
                {
                    book.Close(round++);
                }
            }
        }
        book.Close(round);
        book.CheckConservation();
        ASSERT_EQ(book.GetRecords().size(), round + 1);
        for (size_t r = 0; r <= round; ++r)
        {
            const RoundRecord& record = book.GetRecords()[r];
            EXPECT_EQ(record.round, r);
            EXPECT_EQ(record.expected,
                      naive.Count(r, {Fate::ANSWERED, Fate::GIVEN_UP, Fate::LATE}));
            EXPECT_EQ(record.received, naive.Count(r, {Fate::ANSWERED}));
            EXPECT_EQ(record.used, naive.Count(r, {Fate::ANSWERED}, {true}));
            EXPECT_EQ(record.rejected, naive.Count(r, {Fate::ANSWERED}, {false}));
            EXPECT_EQ(record.late, naive.Count(r, {Fate::LATE}));
            EXPECT_EQ(record.lost, naive.Count(r, {Fate::GIVEN_UP}));
        }
        EXPECT_EQ(book.GetTally().unexpected, unexpected);
        EXPECT_EQ(book.GetTally().duplicate, duplicate);
        EXPECT_EQ(book.GetOpen().size(), naive.Count(SIZE_MAX, {Fate::OPEN}));
    }
}

} // namespace
} // namespace ns3::dlearn
