/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-radio-routing.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-shortest-paths.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/ipv4.h"
#include "ns3/node.h"

#include <numeric>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Routes that are there from the beginning and never change: the ways with the fewest radio hops,
 * over radios that receive each other. No packet is spent on them.
 */
class StaticRouting : public RadioRouting
{
  public:
    /** @return the type, for the attribute system */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::dlearn::StaticRouting")
                                .SetParent<RadioRouting>()
                                .SetGroupName("Dlearn")
                                .AddConstructor<StaticRouting>();
        return tid;
    }

    void InstallStack(const NodeContainer& nodes) const override
    {
        InternetStackHelper stack;
        stack.SetIpv6StackInstall(false);
        stack.SetRoutingHelper(Ipv4StaticRoutingHelper());
        stack.Install(nodes);
    }

    bool FollowsMotion() const override { return false; }

    void SetUp(const NodeContainer& nodes, const Graph& reach) const override
    {
        std::vector<CostedLink> links;
        Graph both(reach.GetSize());
        for (const auto& [a, b] : reach.GetPairs())
        {
            if (reach.GetWeight(a, b) > 0 && reach.GetWeight(b, a) > 0)
            {
                links.push_back({a, b, 1});
                both.AddEdge(a, b);
            }
        }
        RequireConnected(both, "the graph of radios that receive each other");
        std::vector<uint32_t> targets(nodes.GetN());
        std::iota(targets.begin(), targets.end(), 0);
        const ShortestPaths paths = FindShortestPaths(nodes.GetN(), links, targets);
        for (uint32_t to = 0; to < nodes.GetN(); ++to)
        {
            for (uint32_t from = 0; from < nodes.GetN(); ++from)
            {
                const uint32_t next = paths.next[to][from];
                if (next != to)
                {
                    const auto ipv4 = nodes.Get(from)->GetObject<Ipv4>();
                    Ipv4StaticRoutingHelper().GetStaticRouting(ipv4)->AddHostRouteTo(
                        GetAddress(nodes, to),
                        GetAddress(nodes, next),
                        INTERFACE);
                }
            }
        }
    }

  private:
    static constexpr uint32_t INTERFACE = 1; //!< of the radio; 0 is the loopback interface

    /** @return the address of a node */
    static Ipv4Address GetAddress(const NodeContainer& nodes, uint32_t node)
    {
        return nodes.Get(node)->GetObject<Ipv4>()->GetAddress(INTERFACE, 0).GetLocal();
    }
};

NS_OBJECT_ENSURE_REGISTERED(StaticRouting);

} // namespace ns3::dlearn
