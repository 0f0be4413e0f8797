/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-endpoint.h"

#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6.h"
#include "ns3/loopback-net-device.h"

namespace ns3::dlearn
{

std::optional<IpAddress>
IpAddress::Find(const Address& address)
{
    if (Ipv4Address::IsMatchingType(address))
    {
        return Ipv4Address::ConvertFrom(address);
    }
    if (Ipv6Address::IsMatchingType(address))
    {
        return Ipv6Address::ConvertFrom(address);
    }
    return std::nullopt;
}

IpAddress::operator Address() const
{
    return IsIpv6() ? Address(GetIpv6()) : Address(GetIpv4());
}

std::optional<Endpoint>
Endpoint::Find(const Address& address, uint16_t port)
{
    if (InetSocketAddress::IsMatchingType(address))
    {
        const auto socket = InetSocketAddress::ConvertFrom(address);
        return Endpoint{socket.GetIpv4(), socket.GetPort()};
    }
    if (Inet6SocketAddress::IsMatchingType(address))
    {
        const auto socket = Inet6SocketAddress::ConvertFrom(address);
        return Endpoint{socket.GetIpv6(), socket.GetPort()};
    }
    const auto ip = IpAddress::Find(address);
    return ip ? std::make_optional(Endpoint{*ip, port}) : std::nullopt;
}

Endpoint
Endpoint::AtAny(bool ipv6, uint16_t port)
{
    return {ipv6 ? IpAddress(Ipv6Address::GetAny()) : IpAddress(Ipv4Address::GetAny()), port};
}

Address
Endpoint::ToSocketAddress() const
{
    return ip.IsIpv6() ? Address(Inet6SocketAddress(ip.GetIpv6(), port))
                       : Address(InetSocketAddress(ip.GetIpv4(), port));
}

std::ostream&
operator<<(std::ostream& out, const IpAddress& address)
{
    return address.IsIpv6() ? out << address.GetIpv6() : out << address.GetIpv4();
}

namespace
{

std::pair<Ipv4Address, uint8_t>
ReadEntry(const Ipv4InterfaceAddress& entry)
{
    return {entry.GetLocal(), static_cast<uint8_t>(entry.GetMask().GetPrefixLength())};
}

std::pair<Ipv6Address, uint8_t>
ReadEntry(const Ipv6InterfaceAddress& entry)
{
    return {entry.GetAddress(), entry.GetPrefix().GetPrefixLength()};
}

bool
IsUsable(Ipv4Address address)
{
    return address != Ipv4Address::GetAny();
}

bool
IsUsable(Ipv6Address address)
{
    return address != Ipv6Address::GetAny() && !address.IsLinkLocal();
}

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
