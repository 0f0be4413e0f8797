/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-arp-table.h"

#include "ns3/arp-cache.h"
#include "ns3/channel.h"
#include "ns3/ipv4-interface.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/node-list.h"
#include "ns3/node.h"

#include <vector>

namespace ns3::dlearn
{

namespace
{

/**
 * @param device device of the node
 * @param table the addresses of the others
 */
void
FillArpCache(const Ptr<NetDevice>& device, const ArpTable& table)
{
    const auto ipv4 = device->GetNode()->GetObject<Ipv4L3Protocol>();
    const auto cache = ipv4->GetInterface(ipv4->GetInterfaceForDevice(device))->GetArpCache();
    for (const auto& [address, hardware] : table)
    {
        ArpCache::Entry* entry = cache->Lookup(address);
        if (!entry)
        {
            entry = cache->Add(address);
        }
        entry->SetMacAddress(hardware);
        entry->MarkPermanent();
    }
}

/** @return all interfaces that use ARP, by the number of their channel */
std::map<uint32_t, std::vector<Ptr<Ipv4Interface>>>
FindInterfaces()
{
    std::map<uint32_t, std::vector<Ptr<Ipv4Interface>>> interfaces;
    for (auto node = NodeList::Begin(); node != NodeList::End(); ++node)
    {
        const auto ipv4 = (*node)->GetObject<Ipv4L3Protocol>();
        for (uint32_t k = 0; ipv4 && k < ipv4->GetNInterfaces(); ++k)
        {
            const auto interface = ipv4->GetInterface(k);
            const auto channel = interface->GetDevice()->GetChannel();
            if (interface->GetArpCache() && interface->GetDevice()->NeedsArp() && channel)
            {
                interfaces[channel->GetId()].push_back(interface);
            }
        }
    }
    return interfaces;
}

} // namespace

void
KeepArpTable(const Ptr<NetDevice>& device, const ArpTable& table)
{
    FillArpCache(device, table);
    // The callback of the cache was added before this one, so this one runs after it. The pointer
    // is a plain one, because a counted one would keep the device alive.
    NetDevice* owner = PeekPointer(device);
    device->AddLinkChangeCallback(Callback<void>([owner, table]() { FillArpCache(owner, table); }));
}

void
KeepArpTables()
{
    for (const auto& [channel, interfaces] : FindInterfaces())
    {
        const bool few = interfaces.size() <= ARP_TABLE_LIMIT;
        for (size_t k = 0; few && k < interfaces.size(); ++k)
        {
            const auto& own = interfaces[k];
            ArpTable table;
            for (const auto& other : interfaces)
            {
                for (uint32_t a = 0; other != own && a < other->GetNAddresses(); ++a)
                {
                    const Ipv4Address address = other->GetAddress(a).GetLocal();
                    if (!own->GetArpCache()->Lookup(address)) // else the script's own entry
                    {
                        table[address] = other->GetDevice()->GetAddress();
                    }
                }
            }
            KeepArpTable(own->GetDevice(), table);
        }
    }
}

} // namespace ns3::dlearn
