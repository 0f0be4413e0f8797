/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-node-address.h"

#include "ns3/ipv4.h"
#include "ns3/ipv6.h"
#include "ns3/loopback-net-device.h"

namespace ns3::dlearn
{

namespace
{

/** @return address and length of the prefix of an entry of IPv4 */
std::pair<Ipv4Address, uint8_t>
ReadEntry(const Ipv4InterfaceAddress& entry)
{
    return {entry.GetLocal(), static_cast<uint8_t>(entry.GetMask().GetPrefixLength())};
}

/** @return address and length of the prefix of an entry of IPv6 */
std::pair<Ipv6Address, uint8_t>
ReadEntry(const Ipv6InterfaceAddress& entry)
{
    return {entry.GetAddress(), entry.GetPrefix().GetPrefixLength()};
}

/** @return whether others may use an address */
bool
IsUsable(Ipv4Address address)
{
    return address != Ipv4Address::GetAny();
}

/** @return whether others may use an address */
bool
IsUsable(Ipv6Address address)
{
    return address != Ipv6Address::GetAny() && !address.IsLinkLocal();
}

/**
 * @param protocol Ipv4 or Ipv6 of a node; null for none
 * @param addresses those of its interfaces are added
 */
template <typename Ip>
void
AddAddresses(const Ptr<Ip>& protocol, std::vector<NodeAddress>& addresses)
{
    for (uint32_t k = 0; protocol && k < protocol->GetNInterfaces(); ++k)
    {
        const Ptr<NetDevice> device = protocol->GetNetDevice(k);
        const bool loopback = DynamicCast<LoopbackNetDevice>(device) != nullptr;
        for (uint32_t a = 0; !loopback && a < protocol->GetNAddresses(k); ++a)
        {
            const auto [address, prefixLength] = ReadEntry(protocol->GetAddress(k, a));
            if (IsUsable(address))
            {
                addresses.push_back({device, protocol->IsUp(k), address, prefixLength});
            }
        }
    }
}

} // namespace

bool
NodeAddress::IsNear(const IpAddress& other) const
{
    if (ip.IsIpv6() != other.IsIpv6())
    {
        return false;
    }
    if (ip.IsIpv6())
    {
        return Ipv6Prefix(prefixLength).IsMatch(ip.GetIpv6(), other.GetIpv6());
    }
    const uint32_t mask = prefixLength == 0 ? 0 : ~uint32_t{0} << (32 - prefixLength);
    return Ipv4Mask(mask).IsMatch(ip.GetIpv4(), other.GetIpv4());
}

std::vector<NodeAddress>
ListAddresses(const Node& node)
{
    std::vector<NodeAddress> addresses;
    AddAddresses(node.GetObject<Ipv4>(), addresses);
    AddAddresses(node.GetObject<Ipv6>(), addresses);
    return addresses;
}

} // namespace ns3::dlearn
