/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-endpoint.h"

#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"

namespace ns3::dlearn
{

IpAddress::IpAddress()
    : m_address(Ipv4Address::GetAny())
{
}

IpAddress::IpAddress(Ipv4Address address)
    : m_address(address)
{
}

IpAddress::IpAddress(Ipv6Address address)
    : m_address(address)
{
}

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

} // namespace ns3::dlearn
