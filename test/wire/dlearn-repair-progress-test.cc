/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-erasure-code.h"
#include "ns3/dlearn-repair-progress.h"

#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

using Learners = std::vector<LearnerId>;

std::vector<uint32_t>
TakeAll(RepairProgress& progress)
{
    std::vector<uint32_t> fragments;
    while (progress.HasPart())
    {
        fragments.push_back(progress.TakePart().number);
    }
    return fragments;
}

TEST(RepairProgress, SendsAllThenWhatIsAskedFor)
{
    RepairProgress progress(45, 10, {4, 2}, {}, {});
    EXPECT_EQ(TakeAll(progress), (std::vector<uint32_t>{0, 1, 2, 3, 4}));
    EXPECT_EQ(progress.BeginPoll(), (Learners{2, 4}));
    EXPECT_TRUE(progress.TakeReport(2, {{9, 11}, {44, 45}})); // in two fragments, and the last
    EXPECT_FALSE(progress.HasHeardAll());
    EXPECT_FALSE(progress.TakeReport(2, {{20, 30}})); // once a poll
    EXPECT_FALSE(progress.TakeReport(3, {{20, 30}})); // no recipient
    EXPECT_TRUE(progress.TakeReport(4, {}));
    EXPECT_TRUE(progress.HasHeardAll());
    progress.EndPoll();
    EXPECT_EQ(TakeAll(progress), (std::vector<uint32_t>{0, 1, 4}));
    EXPECT_EQ(progress.BeginPoll(), Learners{2});
    EXPECT_TRUE(progress.TakeReport(2, {}));
    EXPECT_FALSE(progress.IsOpen());
    EXPECT_FALSE(progress.HasPart());
}

// The last block has one fragment, but its rows are those of a whole block. When there is no other
// row, the fragment itself is sent again.
TEST(RepairProgress, SendsNoRowThatReceiversRefuse)
{
    RepairProgress::Limits limits;
    limits.polls = 400;
    RepairProgress::Code code;
    code.share = 0.1;
    code.blockFragments = 100;
    code.repairs = true;
    RepairProgress progress(1010, 10, {1}, limits, code);
    uint32_t rows = 0;
    uint32_t repeated = 0;
    for (uint32_t poll = 0; poll < 300; ++poll)
    {
        while (progress.HasPart())
        {
            const auto part = progress.TakePart();
            const bool ofLast = part.parity && part.number == 1;
            EXPECT_TRUE(!ofLast || code.blockFragments + part.row < ErasureCode::LARGEST_BLOCK);
            rows += ofLast ? 1 : 0;
            repeated += !part.parity && part.number == 100 ? 1 : 0;
        }
        progress.BeginPoll();
        EXPECT_TRUE(progress.TakeReport(1, {{1000, 1010}}));
        progress.EndPoll();
    }
    EXPECT_EQ(rows, ErasureCode::LARGEST_BLOCK - code.blockFragments);
    EXPECT_EQ(rows + repeated, 301U);
}

TEST(RepairProgress, GivesUpAfterSilenceInARow)
{
    RepairProgress::Limits limits;
    limits.silent = 2;
    RepairProgress progress(10, 10, {1}, limits, {});
    TakeAll(progress);
    for (const bool answers : {false, true, false, true, false})
    {
        EXPECT_EQ(progress.BeginPoll(), Learners{1});
        EXPECT_EQ(answers && progress.TakeReport(1, {{0, 10}}), answers);
        progress.EndPoll();
        EXPECT_TRUE(progress.IsOpen());
    }
    progress.BeginPoll();
    progress.EndPoll();
    EXPECT_FALSE(progress.IsOpen());
}

TEST(RepairProgress, EndsAfterTheLastPoll)
{
    RepairProgress::Limits limits;
    limits.polls = 3;
    limits.silent = 100;
    RepairProgress progress(10, 10, {1}, limits, {});
    for (uint32_t k = 0; k < 3; ++k)
    {
        EXPECT_EQ(progress.BeginPoll(), Learners{1});
        progress.EndPoll();
    }
    EXPECT_TRUE(progress.BeginPoll().empty());
    EXPECT_FALSE(progress.IsOpen());
}

// Ten fragments a report: the fifth is beyond 4 lengths and one fragment.
TEST(RepairProgress, NobodyAsksForMoreThanTheLimit)
{
    RepairProgress progress(100, 10, {1, 2}, {}, {});
    for (uint32_t k = 0; k < 4; ++k)
    {
        TakeAll(progress);
        progress.BeginPoll();
        EXPECT_TRUE(progress.TakeReport(1, {{0, 100}}));
        EXPECT_TRUE(progress.TakeReport(2, {{50, 60}}));
        EXPECT_EQ(TakeAll(progress).size(), 10U);
    }
    progress.BeginPoll();
    EXPECT_TRUE(progress.TakeReport(1, {{0, 100}}));
    EXPECT_TRUE(progress.TakeReport(2, {{50, 60}}));
    EXPECT_EQ(TakeAll(progress), std::vector<uint32_t>{5}); // that of learner 2
    EXPECT_EQ(progress.BeginPoll(), Learners{2});
}

} // namespace
} // namespace ns3::dlearn
