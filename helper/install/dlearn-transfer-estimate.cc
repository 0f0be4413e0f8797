/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-transfer-estimate.h"

#include "ns3/channel.h"
#include "ns3/dlearn-interface-link.h"
#include "ns3/dlearn-udp-broadcast-transport.h"
#include "ns3/point-to-point-channel.h"
#include "ns3/point-to-point-net-device.h"

#include <algorithm>
#include <set>

namespace ns3::dlearn
{

namespace
{

/** Assumed of devices whose rate is not known, such as those of Wi-Fi and LTE, in bit/s. */
constexpr double ASSUMED_RATE = 12e6;

/** @return the time that a device takes to send a vector */
double
GetSeconds(const NetDevice& device, size_t numbers)
{
    const double bits = 64.0 * static_cast<double>(numbers);
    const auto rate = FindLinkRate(device);
    if (!rate)
    {
        return bits / ASSUMED_RATE;
    }
    return rate->GetBitRate() == 0 ? 0 : bits / static_cast<double>(rate->GetBitRate());
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

Ptr<NetDevice>
TransferEstimate::FindDevice(LearnerId learner, Ipv4Address address) const
{
    const auto ipv4 = m_learners[learner]->GetNode()->GetObject<Ipv4>();
    const int32_t own = ipv4->GetInterfaceForAddress(address);
    const uint32_t interface = own >= 0 ? own : FindSubnetInterface(*ipv4, address);
    return ipv4->GetNetDevice(std::min(std::max(interface, 1U), ipv4->GetNInterfaces() - 1));
}

void
TransferEstimate::Add(LearnerId from, const Graph::Row& to, size_t numbers)
{
    const auto transport = m_learners[from]->GetExchange()->GetTransport();
    const bool broadcast = DynamicCast<const UdpBroadcastTransport>(transport) != nullptr;
    std::set<Carrier> carriers;
    for (const auto& [receiver, weight] : to)
    {
        const Ipv4Address address = m_network.GetAddress(from, receiver);
        const auto first = FindDevice(from, address);
        const auto last = FindDevice(receiver, address);
        const Carrier sends = GetCarrier(*first, true);
        const Carrier receives = GetCarrier(*last, false);
        for (const LearnerId learner : {from, receiver})
        {
            m_ways[learner].emplace_back(sends, receives);
        }
        if (!broadcast || carriers.insert(sends).second)
        {
            m_busy[sends] += GetSeconds(*first, numbers);
        }
        if (receives != sends)
        {
            m_busy[receives] += GetSeconds(*last, numbers);
        }
    }
}

Time
TransferEstimate::GetTime(LearnerId learner) const
{
    double longest = 0;
    for (const auto& [sends, receives] : m_ways[learner])
    {
        const double rest = receives == sends ? 0 : m_busy.at(receives);
        longest = std::max(longest, m_busy.at(sends) + rest);
    }
    return Seconds(longest);
}

Time
EstimateRound(const Network& network,
              const std::vector<Ptr<LearnerApplication>>& learners,
              size_t numbers)
{
    TransferEstimate models(network, learners);
    TransferEstimate updates(network, learners);
    for (LearnerId client = 1; client < learners.size(); ++client)
    {
        models.Add(0, {{client, 1}}, numbers);
        updates.Add(client, {{0, 1}}, numbers);
    }
    return models.GetTime(0) + updates.GetTime(0);
}

} // namespace ns3::dlearn
