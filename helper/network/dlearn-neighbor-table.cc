/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-neighbor-table.h"

#include "ns3/arp-cache.h"
#include "ns3/channel.h"
#include "ns3/ipv4-interface.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv6-interface.h"
#include "ns3/ipv6-l3-protocol.h"
#include "ns3/ndisc-cache.h"
#include "ns3/node-list.h"
#include "ns3/node.h"

#include <vector>

namespace ns3::dlearn
{

namespace
{

/** @return the interface of a device in a version of IP; null when it has none */
template <typename Interface, typename Protocol>
Ptr<Interface>
FindInterface(const Ptr<NetDevice>& device)
{
    const auto protocol = device->GetNode()->GetObject<Protocol>();
    const int32_t number = protocol ? protocol->GetInterfaceForDevice(device) : -1;
    return number >= 0 ? protocol->GetInterface(number) : nullptr;
}

/** @return the interface of a device in IPv4; null when it has none */
Ptr<Ipv4Interface>
FindInterface4(const Ptr<NetDevice>& device)
{
    return FindInterface<Ipv4Interface, Ipv4L3Protocol>(device);
}

/** @return the interface of a device in IPv6; null when it has none */
Ptr<Ipv6Interface>
FindInterface6(const Ptr<NetDevice>& device)
{
    return FindInterface<Ipv6Interface, Ipv6L3Protocol>(device);
}

/**
 * @tparam Cache of ARP or of neighbour discovery
 * @param cache may be null
 * @param address of its version of IP
 * @param hardware what the cache says from now on
 */
template <typename Cache, typename IpVersionAddress>
void
Enter(const Ptr<Cache>& cache, IpVersionAddress address, const Address& hardware)
{
    if (cache)
    {
        auto entry = cache->Lookup(address);
        if (!entry)
        {
            entry = cache->Add(address);
        }
        entry->SetMacAddress(hardware);
        entry->MarkPermanent();
    }
}

/**
 * @param device device of the node
 * @param table the addresses of the others
 */
void
FillCaches(const Ptr<NetDevice>& device, const NeighborTable& table)
{
    const auto interface4 = FindInterface4(device);
    const auto interface6 = FindInterface6(device);
    for (const auto& [address, hardware] : table)
    {
        if (address.IsIpv6() && interface6)
        {
            Enter(interface6->GetNdiscCache(), address.GetIpv6(), hardware);
        }
        else if (!address.IsIpv6() && interface4)
        {
            Enter(interface4->GetArpCache(), address.GetIpv4(), hardware);
        }
    }
}

/** @return all addresses of a device, those of the link, too */
std::vector<IpAddress>
ListAllAddresses(const Ptr<NetDevice>& device)
{
    std::vector<IpAddress> addresses;
    const auto interface4 = FindInterface4(device);
    for (uint32_t a = 0; interface4 && a < interface4->GetNAddresses(); ++a)
    {
        addresses.emplace_back(interface4->GetAddress(a).GetLocal());
    }
    const auto interface6 = FindInterface6(device);
    for (uint32_t a = 0; interface6 && a < interface6->GetNAddresses(); ++a)
    {
        addresses.emplace_back(interface6->GetAddress(a).GetAddress());
    }
    return addresses;
}

/** @return whether a cache of a device has an entry for an address, which the script has made */
bool
HasEntry(const Ptr<NetDevice>& device, const IpAddress& address)
{
    if (address.IsIpv6())
    {
        const auto interface = FindInterface6(device);
        const auto cache = interface ? interface->GetNdiscCache() : nullptr;
        return cache && cache->Lookup(address.GetIpv6());
    }
    const auto interface = FindInterface4(device);
    const auto cache = interface ? interface->GetArpCache() : nullptr;
    return cache && cache->Lookup(address.GetIpv4());
}

/** @return all devices whose hardware addresses IP has to look for, by the number of the channel */
std::map<uint32_t, std::vector<Ptr<NetDevice>>>
FindDevices()
{
    std::map<uint32_t, std::vector<Ptr<NetDevice>>> devices;
    for (auto node = NodeList::Begin(); node != NodeList::End(); ++node)
    {
        for (uint32_t k = 0; k < (*node)->GetNDevices(); ++k)
        {
            const auto device = (*node)->GetDevice(k);
            const auto channel = device->GetChannel();
            if (channel && device->NeedsArp() && (FindInterface4(device) || FindInterface6(device)))
            {
                devices[channel->GetId()].push_back(device);
            }
        }
    }
    return devices;
}

} // namespace

void
KeepNeighborTable(const Ptr<NetDevice>& device, const NeighborTable& table)
{
    FillCaches(device, table);
    // The callback of the cache was added before this one, so this one runs after it. The pointer
    // is a plain one, because a counted one would keep the device alive.
    NetDevice* owner = PeekPointer(device);
    device->AddLinkChangeCallback(Callback<void>([owner, table]() { FillCaches(owner, table); }));
}

void
KeepNeighborTables()
{
    for (const auto& [channel, devices] : FindDevices())
    {
        const bool few = devices.size() <= NEIGHBOR_TABLE_LIMIT;
        for (size_t k = 0; few && k < devices.size(); ++k)
        {
            const auto& own = devices[k];
            NeighborTable table;
            for (const auto& other : devices)
            {
                for (const IpAddress& address : ListAllAddresses(other))
                {
                    if (other != own && !HasEntry(own, address))
                    {
                        table[address] = other->GetAddress();
                    }
                }
            }
            KeepNeighborTable(own, table);
        }
    }
}

} // namespace ns3::dlearn
