/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-link-network.h"

#include "ns3/dlearn-check.h"
#include "ns3/log.h"

#include <algorithm>

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnLinkNetwork");

Ipv4Address
LinkNetwork::GetSubnet(uint32_t link)
{
    Require(link < MAX_LINKS,
            "LinkNetwork: there are addresses for ",
            MAX_LINKS,
            " links, got link ",
            link);
    return Ipv4Address(Ipv4Address("10.0.0.0").Get() + 4 * link);
}

Ipv4Address
LinkNetwork::GetAddress(LearnerId from, LearnerId to) const
{
    CheckLearner(from);
    CheckLearner(to);
    const auto entry = m_addresses.find({from, to});
    Require(entry != m_addresses.end(),
            GetName(),
            ": learners ",
            from,
            " and ",
            to,
            " are not neighbours, so there is no link between them");
    return entry->second;
}

void
LinkNetwork::CheckSchedule(const Graph& graph, const LinkSchedule& schedule) const
{
    const auto pairs = graph.GetPairs();
    for (const LinkSchedule::Event& event : schedule.GetEvents())
    {
        const std::pair<LearnerId, LearnerId> link{std::min(event.from, event.to),
                                                   std::max(event.from, event.to)};
        Require(std::binary_search(pairs.begin(), pairs.end(), link),
                GetName(),
                ": the schedule of links has one of learners ",
                event.from,
                " and ",
                event.to,
                ", which are not neighbours");
    }
}

void
LinkNetwork::CheckFits(const Graph& graph, const NetworkOptions& options) const
{
    Require(!options.mobility.IsOn(), GetName(), ": mobility needs a radio network");
    const size_t links = graph.GetPairs().size();
    Require(links <= MAX_LINKS,
            GetName(),
            ": there are addresses for ",
            MAX_LINKS,
            " links, the graph has ",
            links);
    CheckSchedule(graph, options.schedule);
    if (options.links.empty())
    {
        return;
    }
    Require(options.server.has_value(),
            GetName(),
            ": links of a learner's own (client-rate, client-delay, client-loss, devices) need a "
            "server; without one each link belongs to two learners");
    const LinkOptions& server = options.links[*options.server];
    Require(!server.rate && !server.delay && !server.loss,
            GetName(),
            ": the links of server ",
            *options.server,
            " are those of its clients, it has none of its own");
}

void
LinkNetwork::Connect(const Graph& graph, const NetworkOptions& options)
{
    NS_LOG_FUNCTION(this << graph.GetSize());
    m_schedule = options.schedule;
    const Ipv4Mask mask("255.255.255.252");
    uint32_t link = 0;
    for (const auto& [a, b] : graph.GetPairs())
    {
        const LinkQuality quality = GetLink(options, a == options.server ? b : a);
        const NetDeviceContainer ends = MakeLink(m_nodes.Get(a), m_nodes.Get(b), quality);
        const uint32_t subnet = GetSubnet(link++).Get();
        const LearnerId learners[] = {a, b};
        for (uint32_t end = 0; end < 2; ++end)
        {
            const Ipv4Address address(subnet + 1 + end);
            AddInterface(ends.Get(end), address, mask);
            m_addresses[{learners[1 - end], learners[end]}] = address;
            AddLoss(ends.Get(end),
                    quality.loss,
                    options.schedule.GetLosses(learners[1 - end], learners[end], quality.loss));
        }
    }
}

double
LinkNetwork::GetLoss(LearnerId from, LearnerId to) const
{
    const double usual = m_losses[from == m_server ? to : from]; // the properties of clients
    return m_schedule.GetLargestLoss(from, to, usual);
}

} // namespace ns3::dlearn
