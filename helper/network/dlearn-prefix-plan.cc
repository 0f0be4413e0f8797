/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-prefix-plan.h"

#include "ns3/dlearn-check.h"

#include <algorithm>
#include <map>

namespace ns3::dlearn
{

namespace
{

constexpr uint32_t FIRST_ADDRESS = 10U << 24; //!< 10.0.0.0
constexpr uint32_t ALL_BITS = 24;             //!< prefix and host bits of 10.0.0.0/8

/** Joins neighbouring prefixes with the same next hop. */
class Aggregation
{
  public:
    /**
     * @param hops the next hop of each prefix, or ANY
     * @param common the next hop of prefixes that need no route
     * @param hostBits of an address
     */
    Aggregation(const std::vector<uint32_t>& hops, uint32_t common, uint32_t hostBits)
        : m_hops(hops),
          m_common(common),
          m_hostBits(hostBits)
    {
    }

    /**
     * @param first first prefix of a block, a multiple of its size
     * @param bits the block holds 2^bits prefixes
     * @param routes gets the routes of the block
     */
    void Cover(uint32_t first, uint32_t bits, std::vector<PrefixRoute>& routes) const
    {
        const uint32_t last = std::min<uint64_t>(first + (uint64_t{1} << bits), m_hops.size());
        uint32_t hop = PrefixPlan::ANY;
        for (uint32_t prefix = first; prefix < last; ++prefix)
        {
            if (hop != PrefixPlan::ANY && m_hops[prefix] != PrefixPlan::ANY &&
                m_hops[prefix] != hop)
            {
                Cover(first, bits - 1, routes);
                Cover(first + (1U << (bits - 1)), bits - 1, routes);
                return;
            }
            hop = m_hops[prefix] == PrefixPlan::ANY ? hop : m_hops[prefix];
        }
        if (hop != PrefixPlan::ANY && hop != m_common)
        {
            const uint32_t size = bits + m_hostBits;
            routes.push_back({Ipv4Address(FIRST_ADDRESS + (first << m_hostBits)),
                              Ipv4Mask(~((1U << size) - 1)),
                              hop});
        }
    }

  private:
    const std::vector<uint32_t>& m_hops; //!< by prefix
    uint32_t m_common;                   //!< needs no route
    uint32_t m_hostBits;                 //!< of an address
};

} // namespace

PrefixPlan::PrefixPlan(const std::string& name, const std::vector<uint32_t>& routerOf)
{
    std::map<uint32_t, uint32_t> learners; // by router
    uint32_t most = 0;
    for (const uint32_t router : routerOf)
    {
        most = std::max(most, ++learners[router]);
    }
    while ((uint64_t{1} << m_hostBits) < uint64_t{most} + 2) // without the first and the last
    {
        ++m_hostBits;
    }
    Require(m_hostBits <= ALL_BITS && learners.size() <= uint64_t{1} << (ALL_BITS - m_hostBits),
            name,
            ": there are no addresses for ",
            learners.size(),
            " routers with up to ",
            most,
            " learners each");

    std::map<uint32_t, uint32_t> next; // address of the next learner, by router
    for (const auto& [router, count] : learners)
    {
        next[router] = FIRST_ADDRESS + (m_routers.size() << m_hostBits) + 1;
        m_routers.push_back(router);
    }
    m_addresses.reserve(routerOf.size());
    for (const uint32_t router : routerOf)
    {
        m_addresses.emplace_back(next[router]++);
    }
}

Ipv4Mask
PrefixPlan::GetMask()
{
    return Ipv4Mask("255.0.0.0");
}

std::vector<PrefixRoute>
PrefixPlan::Aggregate(const std::vector<uint32_t>& hops) const
{
    RequireSize("PrefixPlan", "next hops", hops.size(), m_routers.size());
    std::map<uint32_t, uint32_t> uses; // by hop
    for (const uint32_t hop : hops)
    {
        if (hop != ANY)
        {
            ++uses[hop];
        }
    }
    std::vector<PrefixRoute> routes;
    if (uses.empty())
    {
        return routes;
    }
    const uint32_t common =
        std::max_element(uses.begin(), uses.end(), [](const auto& a, const auto& b) {
            return a.second < b.second;
        })->first;
    uint32_t bits = 0;
    while ((uint64_t{1} << bits) < hops.size())
    {
        ++bits;
    }
    Aggregation(hops, common, m_hostBits).Cover(0, bits, routes);
    routes.push_back({Ipv4Address::GetZero(), Ipv4Mask::GetZero(), common});
    return routes;
}

} // namespace ns3::dlearn
