/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-transfer-estimate.h"

#include "ns3/channel.h"
#include "ns3/dlearn-endpoint.h"
#include "ns3/dlearn-interface-line.h"
#include "ns3/dlearn-udp-broadcast-transport.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6.h"
#include "ns3/point-to-point-channel.h"
#include "ns3/point-to-point-net-device.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace ns3::dlearn
{

namespace
{

constexpr double ASSUMED_RATE = 12e6; //!< bit/s of devices without a known rate: Wi-Fi, LTE
constexpr uint32_t NUMBER_SIZE = 8;   //!< bytes of the largest number in messages

/** Transmissions of a frame on a way of several radio hops, as radios two hops apart do not hear
 *  each other; measured on a line of ten nodes that all send. */
constexpr double HIDDEN_SENDINGS = 2;

constexpr double RARE = 0.01;           //!< probability of more losses in a row than are counted
constexpr double LONGEST_RECOVERY = 30; //!< seconds

double
GetSeconds(const NetDevice& device, size_t numbers)
{
    const double bytes = NUMBER_SIZE * static_cast<double>(numbers);
    const auto rate = FindLinkRate(device);
    if (!rate)
    {
        return 8 * bytes / ASSUMED_RATE;
    }
    const double held = std::ceil(bytes / device.GetMtu()) * GetHoldTime(device).GetSeconds();
    const auto speed = static_cast<double>(rate->GetBitRate());
    return held + (speed == 0 ? 0 : 8 * bytes / speed);
}

/** @return seconds of propagation; 0: not known */
double
GetDelay(const Ptr<Channel>& channel)
{
    TimeValue delay;
    const bool known = channel && channel->GetAttributeFailSafe("Delay", delay);
    return known ? delay.Get().GetSeconds() : 0;
}

bool
HasAddress(const Node& node, const IpAddress& address)
{
    if (address.IsIpv6())
    {
        const auto ipv6 = node.GetObject<Ipv6>();
        return ipv6 && ipv6->GetInterfaceForAddress(address.GetIpv6()) >= 0;
    }
    const auto ipv4 = node.GetObject<Ipv4>();
    return ipv4 && ipv4->GetInterfaceForAddress(address.GetIpv4()) >= 0;
}

/** @return the receiver: the other end of a link, or the node with the address; null: not known */
Ptr<Node>
FindNext(const Ptr<NetDevice>& device, const IpAddress& address)
{
    const auto channel = device->GetChannel();
    const size_t count = channel ? channel->GetNDevices() : 0;
    for (size_t k = 0; k < count; ++k)
    {
        const auto other = channel->GetDevice(k);
        if (other != device && (count == 2 || HasAddress(*other->GetNode(), address)))
        {
            return other->GetNode();
        }
    }
    return nullptr;
}

/** @return the device of a node that has, or is nearest to, an address */
Ptr<NetDevice>
FindInput(const Node& node, const IpAddress& address)
{
    const auto addresses = ListAddresses(node);
    const auto own = std::find_if(addresses.begin(), addresses.end(), [&](const NodeAddress& a) {
        return a.ip == address;
    });
    if (own != addresses.end())
    {
        return own->device;
    }
    const auto near = FindSubnetDevice(node, address);
    return near ? near : addresses.at(0).device;
}

} // namespace

TransferEstimate::TransferEstimate(const Network& network,
                                   std::vector<Ptr<LearnerApplication>> learners)
    : m_network(network),
      m_learners(std::move(learners)),
      m_ways(m_learners.size())
{
}

TransferEstimate::Carrier
TransferEstimate::GetCarrier(const NetDevice& device, bool sends)
{
    const Ptr<Channel> channel = device.GetChannel();
    if (DynamicCast<PointToPointChannel>(channel))
    {
        const bool first = channel->GetDevice(0) == &device;
        return {PeekPointer(channel), first == sends};
    }
    if (!channel && FindLinkRate(device))
    {
        return {&device, sends};
    }
    return {PeekPointer(channel), true};
}

TransferEstimate::Way
TransferEstimate::FindWay(LearnerId from, LearnerId to, size_t numbers) const
{
    const IpAddress address = *IpAddress::Find(m_network.FindIpAddress(from, to));
    const auto end = m_learners[to]->GetNode();
    auto node = m_learners[from]->GetNode();
    Way way;
    std::set<Ptr<const Node>> seen; // routes may have loops
    while (node && node != end && seen.insert(node).second)
    {
        auto device = FindOutputDevice(*node, address);
        if (!device && way.hops.empty())
        {
            device = FindInput(*node, address);
        }
        if (!device)
        {
            break;
        }
        way.hops.push_back({GetCarrier(*device, true), GetSeconds(*device, numbers)});
        way.delay += GetDelay(device->GetChannel());
        node = FindNext(device, address);
    }
    if (node != end) // the rest of the way is not known
    {
        const auto device = FindInput(*end, address);
        const Hop last{GetCarrier(*device, false), GetSeconds(*device, numbers)};
        if (way.hops.empty() || way.hops.back().carrier != last.carrier)
        {
            way.hops.push_back(last);
            way.delay += GetDelay(device->GetChannel());
        }
    }
    const uint32_t radioHops =
        m_network.CountRadioHops(m_network.GetHost(from), m_network.GetHost(to));
    for (Hop& hop : way.hops)
    {
        hop.seconds *= radioHops > 1 ? HIDDEN_SENDINGS * radioHops : 1;
    }
    return way;
}

void
TransferEstimate::Add(LearnerId from, const Graph::Row& to, size_t numbers)
{
    const auto transport = m_learners[from]->GetExchange()->GetTransport();
    const bool broadcast = DynamicCast<const UdpBroadcastTransport>(transport) != nullptr;
    std::set<Carrier> carriers;
    for (const auto& [receiver, weight] : to)
    {
        Way found = FindWay(from, receiver, numbers);
        found.delay *= 1 + 2 * transport->CountRoundTrips(NUMBER_SIZE * uint64_t{numbers});
        const auto way = std::make_shared<const Way>(std::move(found));
        for (const LearnerId learner : {from, receiver})
        {
            m_ways[learner].push_back(way);
        }
        for (const Hop& hop : way->hops)
        {
            const bool repeated = broadcast && !carriers.insert(hop.carrier).second;
            m_busy[hop.carrier] += repeated ? 0 : hop.seconds;
        }
    }
}

Time
TransferEstimate::GetTime(LearnerId learner) const
{
    double longest = 0;
    for (const auto& way : m_ways[learner])
    {
        double seconds = way->delay;
        for (const Hop& hop : way->hops)
        {
            seconds += m_busy.at(hop.carrier);
        }
        longest = std::max(longest, seconds);
    }
    return Seconds(longest);
}

Time
EstimateRound(const Network& network,
              const std::vector<Ptr<LearnerApplication>>& learners,
              LearnerId server,
              const std::vector<LearnerId>& clients,
              size_t numbers)
{
    TransferEstimate models(network, learners);
    TransferEstimate updates(network, learners);
    Graph::Row receivers;
    for (const LearnerId client : clients)
    {
        receivers[client] = 1;
        updates.Add(client, {{server, 1}}, numbers);
    }
    models.Add(server, receivers, numbers); // at once: a broadcast is sent once for all
    return models.GetTime(server) + updates.GetTime(server);
}

Time
EstimateRecovery(const LearnerApplication& learner,
                 const Network& network,
                 LearnerId number,
                 const std::vector<LearnerId>& others)
{
    double loss = 0;
    for (const LearnerId other : others)
    {
        const LearnerId self = network.GetHost(number);
        const double there = network.GetLoss(self, network.GetHost(other));
        const double back = network.GetLoss(network.GetHost(other), self);
        loss = std::max(loss, 1 - (1 - there) * (1 - back));
    }
    if (loss == 0 || !learner.GetExchange()->GetTransport()->IsReliable())
    {
        return Time(0);
    }
    const double losses = std::ceil(std::log(RARE) / std::log(loss));
    return Seconds(std::min(LONGEST_RECOVERY, std::exp2(losses) - 1));
}

} // namespace ns3::dlearn
