/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-routed-network.h"

#include <gtest/gtest.h>
#include <random>
#include <set>

namespace
{

using namespace ns3;
using namespace ns3::dlearn;

/** What a routing table says: the hop of the longest match, or ANY. */
uint32_t
LookUp(const std::vector<PrefixRoute>& table, Ipv4Address address)
{
    uint32_t hop = PrefixPlan::ANY;
    int longest = -1;
    for (const PrefixRoute& route : table)
    {
        const int length = route.mask.GetPrefixLength();
        if (route.mask.IsMatch(address, route.network) && length > longest)
        {
            longest = length;
            hop = route.hop;
        }
    }
    return hop;
}

} // namespace

TEST(PrefixPlan, AddressesAreDifferentAndInOrderOfRouters)
{
    const std::vector<uint32_t> routerOf{7, 2, 7, 7, 5, 2, 7};
    const PrefixPlan plan("here", routerOf);
    EXPECT_EQ(plan.GetRouters(), (std::vector<uint32_t>{2, 5, 7}));
    // Router 7 has four learners, so each prefix has eight addresses.
    const std::vector<std::string> expected{"10.0.0.17",
                                            "10.0.0.1",
                                            "10.0.0.18",
                                            "10.0.0.19",
                                            "10.0.0.9",
                                            "10.0.0.2",
                                            "10.0.0.20"};
    for (LearnerId id = 0; id < routerOf.size(); ++id)
    {
        EXPECT_EQ(plan.GetAddress(id), Ipv4Address(expected[id].c_str())) << id;
        EXPECT_TRUE(PrefixPlan::GetMask().IsMatch(plan.GetAddress(id), plan.GetAddress(0)));
    }
}

// Every table, looked up as routers do, sends every learner's address where it should go.
TEST(PrefixPlan, TablesSayWhatTheListOfNextHopsSays)
{
    std::mt19937 random(3);
    for (uint32_t prefixes = 1; prefixes <= 40; ++prefixes)
    {
        std::vector<uint32_t> routerOf;
        for (uint32_t k = 0; k < 3 * prefixes; ++k)
        {
            routerOf.push_back(k < prefixes ? k : random() % prefixes);
        }
        const PrefixPlan plan("here", routerOf);
        std::vector<uint32_t> hops(prefixes);
        for (uint32_t k = 0; k < prefixes; ++k)
        {
            // Runs of equal hops, as real tables have.
            const bool run = k > 0 && random() % 3 > 0;
            hops[k] = run ? hops[k - 1] : random() % 10 == 0 ? PrefixPlan::ANY : random() % 4;
        }
        const auto table = plan.Aggregate(hops);
        EXPECT_LE(table.size(), prefixes);
        for (LearnerId id = 0; id < routerOf.size(); ++id)
        {
            if (hops[routerOf[id]] != PrefixPlan::ANY)
            {
                EXPECT_EQ(LookUp(table, plan.GetAddress(id)), hops[routerOf[id]]);
            }
        }
    }
}

TEST(PrefixPlan, TablesAreShort)
{
    std::vector<uint32_t> routerOf(1024);
    for (uint32_t k = 0; k < 1024; ++k)
    {
        routerOf[k] = k;
    }
    const PrefixPlan plan("here", routerOf);
    std::vector<uint32_t> hops(1024, 1);
    EXPECT_EQ(plan.Aggregate(hops).size(), 1U) << "one way out";
    std::fill(hops.begin() + 512, hops.begin() + 768, 2);
    hops[600] = PrefixPlan::ANY;
    EXPECT_EQ(plan.Aggregate(hops).size(), 2U) << "an aligned block";
    std::fill(hops.begin(), hops.end(), PrefixPlan::ANY);
    EXPECT_TRUE(plan.Aggregate(hops).empty());
}

TEST(PrefixPlan, RefusesMoreThanThereAreAddressesFor)
{
    // 300,000 learners need 2^19 addresses, which 10.0.0.0/8 has 32 times.
    std::vector<uint32_t> routerOf(300000, 0);
    for (uint32_t k = 1; k < 32; ++k)
    {
        routerOf.push_back(k);
    }
    EXPECT_EQ(PrefixPlan("here", routerOf).GetRouters().size(), 32U);
    routerOf.push_back(32);
    ExpectRefused([&]() { PrefixPlan("here", routerOf); },
                  "here: there are no addresses for 33 routers with up to 300000 learners each");
    ExpectRefused(
        [&]() {
            PrefixPlan("here", {0, 1}).Aggregate({1});
        },
        "PrefixPlan: next hops must have 2 entries, got 1");
}
