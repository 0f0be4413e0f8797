/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-shared-network.h"

#include "ns3/arp-cache.h"
#include "ns3/channel.h"
#include "ns3/csma-helper.h"
#include "ns3/csma-net-device.h"
#include "ns3/dlearn-endpoint.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/ipv4-interface.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv6-interface.h"
#include "ns3/ipv6-l3-protocol.h"
#include "ns3/log.h"
#include "ns3/ndisc-cache.h"
#include "ns3/node-list.h"
#include "ns3/node.h"

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnSharedNetwork");

namespace
{

/** Hardware addresses by IP address. */
using NeighborTable = std::map<IpAddress, Address>;

/** The IPv4 and IPv6 interfaces of a device; null if there is none. */
struct Interfaces
{
    explicit Interfaces(const Ptr<NetDevice>& device)
    {
        const auto node = device->GetNode();
        const auto protocol4 = node->GetObject<Ipv4L3Protocol>();
        const int32_t number4 = protocol4 ? protocol4->GetInterfaceForDevice(device) : -1;
        v4 = number4 >= 0 ? protocol4->GetInterface(number4) : nullptr;
        const auto protocol6 = node->GetObject<Ipv6L3Protocol>();
        const int32_t number6 = protocol6 ? protocol6->GetInterfaceForDevice(device) : -1;
        v6 = number6 >= 0 ? protocol6->GetInterface(number6) : nullptr;
    }

    Ptr<Ipv4Interface> v4;
    Ptr<Ipv6Interface> v6;
};

/** Call a function with the cache for an address and with the address, if the cache exists. */
template <typename Function>
void
WithCache(const Interfaces& interfaces, const IpAddress& address, const Function& function)
{
    if (address.IsIpv6() && interfaces.v6 && interfaces.v6->GetNdiscCache())
    {
        function(interfaces.v6->GetNdiscCache(), address.GetIpv6());
    }
    else if (!address.IsIpv6() && interfaces.v4 && interfaces.v4->GetArpCache())
    {
        function(interfaces.v4->GetArpCache(), address.GetIpv4());
    }
}

void
FillCaches(const Ptr<NetDevice>& device, const NeighborTable& table)
{
    const Interfaces interfaces(device);
    for (const auto& [address, hardware] : table)
    {
        WithCache(interfaces, address, [to = hardware](const auto& cache, const auto& ip) {
            auto entry = cache->Lookup(ip);
            if (!entry)
            {
                entry = cache->Add(ip);
            }
            entry->SetMacAddress(to);
            entry->MarkPermanent();
        });
    }
}

/** Fill the caches of a device now and whenever its link comes up. */
void
KeepNeighborTable(const Ptr<NetDevice>& device, const NeighborTable& table)
{
    FillCaches(device, table);
    // The callback of the cache was added earlier, so it runs before this one. A Ptr would keep the
    // device alive.
    NetDevice* owner = PeekPointer(device);
    device->AddLinkChangeCallback(Callback<void>([owner, table]() { FillCaches(owner, table); }));
}

/** @return all addresses of a device, including link-local ones */
std::vector<IpAddress>
ListAllAddresses(const Ptr<NetDevice>& device)
{
    std::vector<IpAddress> addresses;
    const Interfaces interfaces(device);
    for (uint32_t a = 0; interfaces.v4 && a < interfaces.v4->GetNAddresses(); ++a)
    {
        addresses.emplace_back(interfaces.v4->GetAddress(a).GetLocal());
    }
    for (uint32_t a = 0; interfaces.v6 && a < interfaces.v6->GetNAddresses(); ++a)
    {
        addresses.emplace_back(interfaces.v6->GetAddress(a).GetAddress());
    }
    return addresses;
}

/** @return whether the script has added an entry for an address to a cache of a device */
bool
HasEntry(const Ptr<NetDevice>& device, const IpAddress& address)
{
    bool has = false;
    WithCache(Interfaces(device), address, [&has](const auto& cache, const auto& ip) {
        has = cache->Lookup(ip) != nullptr;
    });
    return has;
}

/** @return all devices whose hardware addresses IP has to resolve, by the id of the channel */
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
            const Interfaces interfaces(device);
            if (channel && device->NeedsArp() && (interfaces.v4 || interfaces.v6))
            {
                devices[channel->GetId()].push_back(device);
            }
        }
    }
    return devices;
}

Ipv4Address
AddressOf(LearnerId id)
{
    return Ipv4Address(Ipv4Address("10.0.0.0").Get() + id + 1);
}

} // namespace

void
KeepNeighbors(const std::vector<Ptr<NetDevice>>& devices)
{
    for (const auto& own : devices)
    {
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

void
KeepNeighborTables()
{
    for (const auto& [channel, devices] : FindDevices())
    {
        if (devices.size() <= NEIGHBOR_TABLE_LIMIT)
        {
            KeepNeighbors(devices);
        }
    }
}

Ipv4Address
SharedNetwork::GetAddress(LearnerId from, LearnerId to) const
{
    CheckLearner(from);
    CheckLearner(to);
    return AddressOf(to);
}

void
SharedNetwork::CheckFits(const Graph& graph) const
{
    Check(graph.GetSize() <= MAX_LEARNERS,
          "there are addresses for " + std::to_string(MAX_LEARNERS) + " learners, the graph has " +
              std::to_string(graph.GetSize()));
    RequireLossOnly();
}

void
SharedNetwork::Connect(const Graph& graph)
{
    NS_LOG_FUNCTION(this << graph.GetSize());
    const NetDeviceContainer devices = MakeDevices();
    for (LearnerId id = 0; id < graph.GetSize(); ++id)
    {
        devices.Get(id)->SetMtu(GetMtu());
        AddInterface(devices.Get(id), AddressOf(id), Ipv4Mask("255.255.0.0"));
    }
    std::vector<NeighborTable> tables(graph.GetSize());
    for (const auto& [a, b] : graph.GetPairs())
    {
        tables[a][AddressOf(b)] = devices.Get(b)->GetAddress();
        tables[b][AddressOf(a)] = devices.Get(a)->GetAddress();
    }
    for (LearnerId id = 0; id < graph.GetSize(); ++id)
    {
        KeepNeighborTable(devices.Get(id), tables[id]);
    }
}

namespace
{

/**
 * A bus that all learners share, similar to early Ethernet.
 *
 * One node sends at a time, at the configured rate. The bus stays busy until the frame has reached
 * its end, so every frame takes its transmission time plus the configured delay: with the default
 * of one millisecond this costs about nine tenths of the capacity at 100 Mbit/s. Unlike in
 * Ethernet, a node never gives up: the bus delays frames, but drops none unless loss is configured.
 */
class CsmaNetwork : public SharedNetwork
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            AddAttributes(MakeTypeId<CsmaNetwork, Network>("ns3::dlearn::CsmaNetwork"),
                          {"Loss", "Delay", "Rate", "QueueDisc", "QueueSize", "Mtu"});
        return tid;
    }

    std::string GetName() const override { return "csma"; }

    double GetLoss(LearnerId /* from */, LearnerId to) const override { return GetLink(to).loss; }

    int64_t AssignStreams(int64_t stream) override
    {
        const int64_t used = Network::AssignStreams(stream);
        return used + CsmaHelper().AssignStreams(m_devices, stream + used);
    }

  protected:
    NetDeviceContainer MakeDevices() override
    {
        CsmaHelper helper;
        helper.SetChannelAttribute("DataRate", DataRateValue(m_rate));
        helper.SetChannelAttribute("Delay", TimeValue(m_delay));
        GetQueues().Prepare(helper);
        m_devices = helper.Install(m_nodes);

        // Ethernet's slot of 512 bits instead of a microsecond: waiting nodes sense the bus a few
        // times per frame at any rate. Unlimited retries instead of 1,000, which a node would
        // exhaust during a burst of another. The slot must not be rounded to 0, or a waiting node
        // would sense the bus without end at one time.
        const Time slot = Max(m_rate.CalculateBitsTxTime(512), NanoSeconds(1));
        for (uint32_t id = 0; id < m_devices.GetN(); ++id)
        {
            Ptr<CsmaNetDevice> device = DynamicCast<CsmaNetDevice>(m_devices.Get(id));
            device->SetBackoffParams(slot, 1, 1000, 10, UINT32_MAX); // the others are ns-3's
            AddLoss(device, GetLink(id).loss);
        }
        return m_devices;
    }

  private:
    NetDeviceContainer m_devices;
};

NS_OBJECT_ENSURE_REGISTERED(CsmaNetwork);

} // namespace

} // namespace ns3::dlearn
