/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-repair-exchange.h"

#include <gtest/gtest.h>
#include <vector>

namespace ns3
{
namespace dlearn
{
namespace
{

// How the exchange runs between applications: dlearn-cafcor-repair-test.

TEST(RepairExchange, ARosterTellsPlacesNotNumbers)
{
    const ModelVector roster = RepairExchange::MakeRoster({2, 3, 5, 8}, {3, 8});
    ModelVector expected(4);
    expected << 0, 1, 0, 1;
    EXPECT_EQ(roster, expected);
    EXPECT_EQ(RepairExchange::ReadRoster(roster), (std::vector<uint32_t>{1, 3}));
    EXPECT_TRUE(RepairExchange::ReadRoster(ModelVector::Zero(4)).empty());
    EXPECT_TRUE(RepairExchange::ReadRoster(ModelVector()).empty());
}

TEST(RepairExchange, AsksOnceWhoeverAnsweredTheNewestModel)
{
    std::vector<ClientUpdate> updates(5);
    const LearnerId clients[] = {1, 1, 2, 4, 6};
    const uint32_t staleness[] = {1, 0, 0, 2, 0};
    for (size_t k = 0; k < updates.size(); ++k)
    {
        updates[k].client = clients[k];
        updates[k].staleness = staleness[k];
    }
    updates.push_back(updates.back());
    EXPECT_EQ(RepairExchange::FindAnswered(updates), (std::vector<LearnerId>{1, 2, 6}));
    EXPECT_TRUE(RepairExchange::FindAnswered({}).empty());
}

} // namespace
} // namespace dlearn
} // namespace ns3
