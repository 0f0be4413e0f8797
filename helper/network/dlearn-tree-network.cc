/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-tree-network.h"

#include "dlearn-network-factory.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-text-format.h"

#include <algorithm>

namespace ns3::dlearn
{

namespace
{

const NetworkRegistration g_tree("tree:FANOUT", [](const std::string& argument) {
    return std::make_unique<TreeNetwork>(argument);
});

/**
 * @param things to be spread
 * @param fanout how many a router takes
 * @return how many routers they need, at least one
 */
uint32_t
CountRouters(uint32_t things, uint32_t fanout)
{
    return things <= fanout ? 1 : (things - 1) / fanout + 1;
}

} // namespace

TreeNetwork::TreeNetwork(const std::string& fanout)
{
    m_fanout = ParseWholeNumber(fanout).value_or(0);
    Require(m_fanout >= 2,
            "tree: FANOUT must be a whole number from 2 to 4294967295, got '",
            fanout,
            "'");
}

std::string
TreeNetwork::GetName() const
{
    return "tree:" + std::to_string(m_fanout);
}

RouterPlan
TreeNetwork::MakePlan(uint32_t learners, const NetworkOptions& options) const
{
    const uint32_t clients = learners - (options.server ? 1 : 0);
    std::vector<uint32_t> levels{CountRouters(clients, m_fanout)}; // leaves first
    while (levels.back() > 1)
    {
        levels.push_back(CountRouters(levels.back(), m_fanout));
    }
    std::reverse(levels.begin(), levels.end());

    RouterPlan plan;
    plan.routers = 1;
    uint32_t above = 0; // first router of the level above; after the loop, the first leaf
    for (size_t level = 1; level < levels.size(); ++level)
    {
        const uint32_t first = plan.routers;
        for (uint32_t k = 0; k < levels[level]; ++k)
        {
            plan.trunks.push_back(
                {above + k / m_fanout, first + k, options.trunkRate, options.delay});
        }
        above = first;
        plan.routers += levels[level];
    }
    uint32_t placed = 0;
    for (LearnerId id = 0; id < learners; ++id)
    {
        plan.routerOf.push_back(id == options.server ? 0 : above + placed++ / m_fanout);
    }
    return plan;
}

} // namespace ns3::dlearn
