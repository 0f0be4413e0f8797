/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-waiting-queues.h"

#include "ns3/arp-cache.h"
#include "ns3/ipv4-interface.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv4-list-routing.h"
#include "ns3/ipv6-interface.h"
#include "ns3/ipv6-l3-protocol.h"
#include "ns3/log.h"
#include "ns3/ndisc-cache.h"
#include "ns3/node-list.h"
#include "ns3/node.h"
#include "ns3/uinteger.h"

#include <limits>
#include <string>
#include <vector>

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnWaitingQueues");

namespace
{

/**
 * Make a queue unbounded, unless a user has set its size.
 * @param object that has the queue
 * @param name of the attribute with its size; objects without it are left alone
 */
void
OpenQueue(const Ptr<Object>& object, const std::string& name)
{
    const TypeId type = object->GetInstanceTypeId();
    TypeId::AttributeInformation info;
    if (!type.LookupAttributeByName(name, &info))
    {
        return;
    }
    UintegerValue size;
    object->GetAttribute(name, size);
    if (size.SerializeToString(info.checker) ==
        info.originalInitialValue->SerializeToString(info.checker))
    {
        NS_LOG_INFO(type.GetName() << ": " << name << " was " << size.Get());
        object->SetAttribute(name, UintegerValue(std::numeric_limits<uint32_t>::max()));
    }
}

/** @return the protocols that one protocol consists of, or itself */
std::vector<Ptr<Ipv4RoutingProtocol>>
ListProtocols(const Ptr<Ipv4RoutingProtocol>& routing)
{
    std::vector<Ptr<Ipv4RoutingProtocol>> protocols;
    const auto list = DynamicCast<Ipv4ListRouting>(routing);
    for (uint32_t k = 0; list && k < list->GetNRoutingProtocols(); ++k)
    {
        int16_t priority;
        protocols.push_back(list->GetRoutingProtocol(k, priority));
    }
    if (routing && !list)
    {
        protocols.push_back(routing);
    }
    return protocols;
}

} // namespace

void
OpenWaitingQueues()
{
    for (auto node = NodeList::Begin(); node != NodeList::End(); ++node)
    {
        const auto ipv4 = (*node)->GetObject<Ipv4L3Protocol>();
        for (uint32_t k = 0; ipv4 && k < ipv4->GetNInterfaces(); ++k)
        {
            if (const auto cache = ipv4->GetInterface(k)->GetArpCache())
            {
                OpenQueue(cache, "PendingQueueSize");
            }
        }
        const auto ipv6 = (*node)->GetObject<Ipv6L3Protocol>();
        for (uint32_t k = 0; ipv6 && k < ipv6->GetNInterfaces(); ++k)
        {
            if (const auto cache = ipv6->GetInterface(k)->GetNdiscCache())
            {
                OpenQueue(cache, "UnresolvedQueueSize");
            }
        }
        for (const auto& protocol : ListProtocols(ipv4 ? ipv4->GetRoutingProtocol() : nullptr))
        {
            OpenQueue(protocol, "MaxQueueLen");            // of AODV and DSDV
            OpenQueue(protocol, "MaxQueuedPacketsPerDst"); // of DSDV
        }
    }
}

} // namespace ns3::dlearn
