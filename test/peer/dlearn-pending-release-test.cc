/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-pending-release.h"
#include "ns3/simple-ref-count.h"

#include <gtest/gtest.h>
#include <utility>
#include <vector>

namespace ns3::dlearn
{
namespace
{

/** A ledger that can afford a sum of prices, and writes down what it is told. */
struct Purse : public SimpleRefCount<Purse>
{
    bool CanAfford(int price) const { return price <= money; }

    void Announce(int price) { announced.push_back(price); }

    void Release(int price, bool transmitted)
    {
        recorded.emplace_back(price, transmitted);
        money -= transmitted ? price : 0;
    }

    int money{10};                              //!< left
    std::vector<int> announced;                 //!< all calls of Announce()
    std::vector<std::pair<int, bool>> recorded; //!< all calls of Release()
};

TEST(PendingRelease, IsRecordedOnce)
{
    const auto purse = Create<Purse>();
    PendingRelease pending;
    EXPECT_FALSE(pending.IsPending());
    EXPECT_FALSE(pending.Settle(true));
    EXPECT_TRUE(pending.Request(purse, 7));
    EXPECT_TRUE(pending.IsPending());
    EXPECT_TRUE(purse->recorded.empty()) << "not before it is known whether it left the node";
    EXPECT_EQ(purse->announced, std::vector<int>{7});
    EXPECT_TRUE(pending.Settle(false));
    EXPECT_FALSE(pending.Settle(true));
    EXPECT_TRUE(pending.Request(purse, 8)) << "nothing was paid for what stayed";
    EXPECT_TRUE(pending.Settle(true));
    EXPECT_EQ(purse->recorded, (std::vector<std::pair<int, bool>>{{7, false}, {8, true}}));
}

TEST(PendingRelease, RefusesAllOnceOneCouldNotBePaid)
{
    const auto purse = Create<Purse>();
    PendingRelease pending;
    EXPECT_TRUE(pending.Request(purse, 4));
    pending.Settle(true);
    EXPECT_FALSE(pending.IsExhausted());
    EXPECT_FALSE(pending.Request(purse, 7));
    EXPECT_TRUE(pending.IsExhausted());
    EXPECT_FALSE(pending.IsPending());
    EXPECT_FALSE(pending.Request(purse, 1)) << "or what is sent would depend on the price";
    EXPECT_FALSE(pending.Settle(true));
    EXPECT_EQ(purse->recorded.size(), 1U);
    EXPECT_EQ(purse->announced.size(), 1U);
}

TEST(PendingRelease, CostsNothingWithoutALedger)
{
    PendingRelease pending;
    EXPECT_TRUE(pending.Request(Ptr<Purse>(), 1000));
    EXPECT_TRUE(pending.Settle(true));
    EXPECT_FALSE(pending.IsExhausted());
}

} // namespace
} // namespace ns3::dlearn
