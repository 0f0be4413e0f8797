/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-request-log.h"

#include <gtest/gtest.h>
#include <random>
#include <set>
#include <vector>

namespace ns3::dlearn
{
namespace
{

using Disposition = RoundWindow::Disposition;

/** @return a dispatch of a requestId */
Dispatch
Give(uint32_t requestId, uint32_t version = 0)
{
    return {requestId, version, Seconds(requestId)};
}

TEST(RequestLog, TellsAnswersApart)
{
    RequestLog requests;
    EXPECT_EQ(requests.Classify(1, 0), Disposition::UNEXPECTED);
    requests.Add(1, Give(3, 2));
    requests.Add(2, Give(3, 2));
    EXPECT_TRUE(requests.IsOpen(1));
    EXPECT_EQ(requests.GetOpen().size(), 2U);
    EXPECT_EQ(requests.Find(1, 3)->version, 2U);
    EXPECT_EQ(requests.Find(1, 3)->sent, Seconds(3));
    EXPECT_EQ(requests.Find(1, 2), nullptr);
    EXPECT_EQ(requests.Classify(1, 4), Disposition::UNEXPECTED);
    EXPECT_EQ(requests.Answer(1, 3, true), Disposition::ON_TIME);
    EXPECT_EQ(requests.Answer(1, 3, true), Disposition::DUPLICATE);
    EXPECT_EQ(requests.Find(1, 3), nullptr);
    requests.GiveUp(2);
    ASSERT_NE(requests.Find(2, 3), nullptr);
    EXPECT_EQ(requests.Find(2, 3)->version, 2U);
    requests.Close(7);
    EXPECT_EQ(requests.GetRecords().at(0).lost, 1U);
    EXPECT_EQ(requests.Answer(2, 3, false), Disposition::LATE);
    EXPECT_EQ(requests.Answer(2, 3, true), Disposition::DUPLICATE);
    EXPECT_EQ(requests.Answer(3, 3, true), Disposition::UNEXPECTED);
    const RoundRecord& record = requests.GetRecords().at(0);
    EXPECT_EQ(record.round, 7U);
    EXPECT_EQ(record.expected, 2U);
    EXPECT_EQ(record.used, 1U);
    EXPECT_EQ(record.rejected, 0U) << "what is late counts as late, usable or not";
    EXPECT_EQ(record.late, 1U);
    EXPECT_EQ(record.lost, 0U);
    requests.CheckConservation();
}

TEST(RequestLog, RefusesWhatCanNotBe)
{
    RequestLog requests;
    requests.Add(1, Give(3));
    ExpectRefused([&] { requests.Add(1, Give(4)); }, "RequestLog: client 1 has an open dispatch");
    ExpectRefused([&] { requests.GiveUp(2); }, "RequestLog: client 2 has no open dispatch");
    requests.GiveUp(1);
    ExpectRefused([&] { requests.GiveUp(1); }, "RequestLog: client 1 has no open dispatch");
    ExpectRefused([&] { requests.Add(1, Give(3)); },
                  "RequestLog: requestIds must increase, got 3 for client 1");
    requests.Close(0);
    requests.GetLastRecord().lost = 0;
    ExpectRefused<std::logic_error>([&] { requests.CheckConservation(); },
                                    "expected = received + late + lost");
}

/** A naive RequestLog: every dispatch stays in one list. */
class NaiveLog
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

// Any order of events: each dispatch is recorded once, in the round in which it ended.
TEST(RequestLog, AgreesWithANaiveListOfAllDispatches)
{
    using Fate = NaiveLog::Fate;
    std::mt19937 random(1);
    const auto draw = [&](uint32_t below) { return static_cast<uint32_t>(random() % below); };
    for (uint32_t run = 0; run < 60; ++run)
    {
        RequestLog requests;
        NaiveLog naive;
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
                    NaiveLog::Entry* last = naive.Find(client, requestId);
                    requestId += last != nullptr || draw(2) == 0 ? 1 : 0;
                    requests.Add(client, Give(requestId));
                    naive.entries.push_back({client, requestId, Fate::OPEN, false, SIZE_MAX});
                }
                break;
            case 1: {
                const uint32_t answered = draw(requestId + 2);
                const bool usable = draw(3) > 0;
                NaiveLog::Entry* entry = naive.Find(client, answered);
                Disposition disposition = requests.Classify(client, answered);
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
                    for (NaiveLog::Entry& entry : naive.entries)
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
