/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-shared-network.h"

#include "ns3/arp-cache.h"
#include "ns3/dlearn-check.h"
#include "ns3/ipv4-interface.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/log.h"
#include "ns3/node.h"

#include <map>
#include <vector>

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnSharedNetwork");

namespace
{

/**
 * @param id a learner
 * @return its address
 */
Ipv4Address
AddressOf(LearnerId id)
{
    return Ipv4Address(Ipv4Address("10.0.0.0").Get() + id + 1);
}

/** Hardware addresses by IP address. */
using ArpTable = std::map<Ipv4Address, Address>;

/**
 * Enter the hardware addresses of other nodes in the ARP cache of one node, permanently.
 * @param device device of the node
 * @param table the addresses of the others
 */
void
FillArpCache(Ptr<NetDevice> device, const ArpTable& table)
{
    Ptr<Ipv4L3Protocol> ipv4 = device->GetNode()->GetObject<Ipv4L3Protocol>();
    Ptr<Ipv4Interface> interface = ipv4->GetInterface(ipv4->GetInterfaceForDevice(device));
    for (const auto& [address, hardware] : table)
    {
        ArpCache::Entry* entry = interface->GetArpCache()->Lookup(address);
        if (!entry)
        {
            entry = interface->GetArpCache()->Add(address);
        }
        entry->SetMacAddress(hardware);
        entry->MarkPermanent();
    }
}

} // namespace

Ipv4Address
SharedNetwork::GetAddress(LearnerId from, LearnerId to) const
{
    CheckLearner(from);
    CheckLearner(to);
    return AddressOf(to);
}

bool
SharedNetwork::HasBroadcast() const
{
    return true;
}

MtuRange
SharedNetwork::GetMtuRange() const
{
    return FRAME_MTU;
}

void
SharedNetwork::CheckFits(const Graph& graph, const NetworkOptions& options) const
{
    Require(graph.GetSize() <= MAX_LEARNERS,
            GetName(),
            ": there are addresses for ",
            MAX_LEARNERS,
            " learners, the graph has ",
            graph.GetSize());
    RequireLossOnly(options);
}

void
SharedNetwork::Connect(const Graph& graph, const NetworkOptions& options)
{
    NS_LOG_FUNCTION(this << graph.GetSize());
    const NetDeviceContainer devices = MakeDevices(options);
    for (LearnerId id = 0; id < graph.GetSize(); ++id)
    {
        devices.Get(id)->SetMtu(GetMtu());
        AddInterface(devices.Get(id), AddressOf(id), Ipv4Mask("255.255.0.0"));
    }
    std::vector<ArpTable> tables(graph.GetSize());
    for (const auto& [a, b] : graph.GetPairs())
    {
        tables[a][AddressOf(b)] = devices.Get(b)->GetAddress();
        tables[b][AddressOf(a)] = devices.Get(a)->GetAddress();
    }
    for (LearnerId id = 0; id < graph.GetSize(); ++id)
    {
        FillArpCache(devices.Get(id), tables[id]);
        // The cache forgets even permanent entries when the link goes up, which happens when a
        // station joins. Its callback was added before this one, so this one runs after it. The
        // pointer is a plain one, because a counted one would keep the device alive.
        NetDevice* device = PeekPointer(devices.Get(id));
        devices.Get(id)->AddLinkChangeCallback(
            Callback<void>([device, table = tables[id]]() { FillArpCache(device, table); }));
    }
}

} // namespace ns3::dlearn
