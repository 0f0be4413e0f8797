/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-repair-book.h"

#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

using Disposition = RepairBook::Disposition;

ClientUpdate
MakeUpdate(LearnerId client, double value)
{
    ClientUpdate update;
    update.client = client;
    update.values = ModelVector::Constant(2, value);
    return update;
}

TEST(RepairBook, SubtractsWhatCame)
{
    RepairBook book;
    EXPECT_FALSE(book.IsOpen());
    book.Open(3, {1, 2, 4});
    EXPECT_TRUE(book.IsOpen());
    const ModelVector correction = ModelVector::Constant(2, 0.5);
    EXPECT_EQ(book.Answer(1, 3, &correction), Disposition::ON_TIME);
    EXPECT_EQ(book.Answer(2, 3, nullptr), Disposition::ON_TIME);
    EXPECT_FALSE(book.IsComplete());
    std::vector<ClientUpdate> updates{MakeUpdate(1, 1), MakeUpdate(2, 2), MakeUpdate(4, 4)};
    book.Close(updates);
    EXPECT_FALSE(book.IsOpen());
    EXPECT_EQ(updates[0].values[0], 0.5);
    EXPECT_EQ(updates[1].values[0], 2);
    EXPECT_EQ(updates[2].values[0], 4);
    EXPECT_EQ(book.Answer(4, 3, &correction), Disposition::LATE);
    std::map<std::string, uint64_t> totals;
    book.Count(totals);
    EXPECT_EQ(totals["corrections_asked"], 3U);
    EXPECT_EQ(totals["corrections_used"], 1U);
    EXPECT_EQ(totals["corrections_unusable"], 1U);
    EXPECT_EQ(totals["corrections_late"], 1U);
    EXPECT_EQ(totals["corrections_lost"], 0U);
}

TEST(RepairBook, CountsEachAnswerOnce)
{
    RepairBook book;
    book.Open(7, {1, 2});
    const ModelVector correction = ModelVector::Constant(2, 1);
    EXPECT_EQ(book.Answer(3, 7, &correction), Disposition::UNEXPECTED); // was not asked
    EXPECT_EQ(book.Answer(1, 6, &correction), Disposition::UNEXPECTED); // never was
    EXPECT_EQ(book.Answer(1, 7, &correction), Disposition::ON_TIME);
    EXPECT_EQ(book.Answer(1, 7, &correction), Disposition::DUPLICATE);
    EXPECT_EQ(book.Answer(2, 7, &correction), Disposition::ON_TIME);
    EXPECT_TRUE(book.IsComplete());
    ClientUpdate old = MakeUpdate(1, 5); // made for an older model: its noise is another
    old.staleness = 1;
    std::vector<ClientUpdate> updates{MakeUpdate(1, 1), old};
    book.Close(updates);
    EXPECT_EQ(updates[0].values[0], 0);
    EXPECT_EQ(updates[1].values[0], 5);
}

TEST(RepairBook, RefusesMisuse)
{
    RepairBook book;
    ExpectRefused([&] { book.Open(1, {}); }, "nobody is asked");
    book.Open(1, {1});
    ExpectRefused([&] { book.Open(2, {1}); }, "exchange 1 is still open");
    book.Drop();
    book.Open(2, {1});
}

TEST(RepairBook, SaysNothingAboutARunWithoutRepairs)
{
    std::map<std::string, uint64_t> totals;
    RepairBook().Count(totals);
    EXPECT_TRUE(totals.empty());
}

} // namespace
} // namespace ns3::dlearn
