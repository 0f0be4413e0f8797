/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ENDPOINT_H
#define DLEARN_ENDPOINT_H

#include "ns3/address.h"
#include "ns3/ipv4-address.h"
#include "ns3/ipv6-address.h"
#include "ns3/net-device.h"
#include "ns3/node.h"

#include <cstdint>
#include <optional>
#include <ostream>
#include <tuple>
#include <variant>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * An address of IPv4 or of IPv6. Those of IPv4 come before those of IPv6; within a version they
 * are in the order of their numbers.
 */
class IpAddress
{
  public:
    /** No address: 0.0.0.0. */
    IpAddress() = default;

    IpAddress(Ipv4Address address)
        : m_address(address)
    {
    }

    IpAddress(Ipv6Address address)
        : m_address(address)
    {
    }

    /** @return the IP address; nothing when the address is not one */
    static std::optional<IpAddress> Find(const Address& address);

    bool IsIpv6() const { return std::holds_alternative<Ipv6Address>(m_address); }

    /** @return the address of IPv4; must be one */
    Ipv4Address GetIpv4() const { return std::get<Ipv4Address>(m_address); }

    /** @return the address of IPv6; must be one */
    Ipv6Address GetIpv6() const { return std::get<Ipv6Address>(m_address); }

    operator Address() const;

    friend bool operator==(const IpAddress& a, const IpAddress& b)
    {
        return a.m_address == b.m_address;
    }

    friend bool operator<(const IpAddress& a, const IpAddress& b)
    {
        return a.m_address < b.m_address;
    }

  private:
    std::variant<Ipv4Address, Ipv6Address> m_address{Ipv4Address::GetAny()};
};

/** Where a learner is reached: an IP address, and a port of UDP or TCP. */
struct Endpoint
{
    IpAddress ip;     //!< of a node
    uint16_t port{0}; //!< on which the learner listens

    /** @return the endpoint of a socket address, or of an IP address and a port; else nothing */
    static std::optional<Endpoint> Find(const Address& address, uint16_t port = 0);

    /** @return all addresses of a node, of one version of IP */
    static Endpoint AtAny(bool ipv6, uint16_t port);

    /** @return the address as sockets take it */
    Address ToSocketAddress() const;

    friend bool operator==(const Endpoint& a, const Endpoint& b)
    {
        return a.ip == b.ip && a.port == b.port;
    }

    friend bool operator<(const Endpoint& a, const Endpoint& b)
    {
        return std::tie(a.ip, a.port) < std::tie(b.ip, b.port);
    }
};

std::ostream& operator<<(std::ostream& out, const IpAddress& address);

/** @return bytes of the header of IP, without options */
constexpr uint32_t
GetIpHeaderSize(bool ipv6)
{
    return ipv6 ? 40 : 20;
}

/** An IP address under which others may reach a node. */
struct NodeAddress
{
    Ptr<NetDevice> device; //!< of the interface that has the address
    bool up;               //!< whether the interface is up
    IpAddress ip;          //!< the address
    uint8_t prefixLength;  //!< bits of the address that are the subnet

    /** @return whether an address is in the subnet */
    bool IsNear(const IpAddress& other) const;
};

/**
 * @return the addresses of the interfaces of a node, IPv4 first, without loopback, unset (DHCP) and
 *         link-local addresses
 */
std::vector<NodeAddress> ListAddresses(const Node& node);

} // namespace ns3::dlearn

#endif // DLEARN_ENDPOINT_H
