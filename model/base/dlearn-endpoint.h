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

    /**
     * @param address of any kind
     * @return the IP address that it is; nothing when it is none
     */
    static std::optional<IpAddress> Find(const Address& address);

    /** @return whether it is of IPv6 */
    bool IsIpv6() const { return std::holds_alternative<Ipv6Address>(m_address); }

    /** @return the address of IPv4; must be one */
    Ipv4Address GetIpv4() const { return std::get<Ipv4Address>(m_address); }

    /** @return the address of IPv6; must be one */
    Ipv6Address GetIpv6() const { return std::get<Ipv6Address>(m_address); }

    /** @return the address as ns-3's type for any */
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

    /**
     * @param address InetSocketAddress, Inet6SocketAddress, or an IP address
     * @param port of an IP address, which has none
     * @return what it says; nothing for other kinds of addresses
     */
    static std::optional<Endpoint> Find(const Address& address, uint16_t port = 0);

    /**
     * @param ipv6 version of IP
     * @param port to listen on
     * @return all addresses of a node
     */
    static Endpoint AtAny(bool ipv6, uint16_t port);

    /** @return the address as sockets take it */
    Address ToSocketAddress() const;

    friend bool operator==(const Endpoint& a, const Endpoint& b)
    {
        return a.ip == b.ip && a.port == b.port;
    }

    /** By address, then by port. */
    friend bool operator<(const Endpoint& a, const Endpoint& b)
    {
        return std::tie(a.ip, a.port) < std::tie(b.ip, b.port);
    }
};

std::ostream& operator<<(std::ostream& out, const IpAddress& address);

/**
 * @param ipv6 version of IP
 * @return bytes of its header, without options
 */
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
    uint8_t prefixLength;  //!< bits of the address that tell the subnet

    /**
     * @param other an address
     * @return whether it is in the subnet
     */
    bool IsNear(const IpAddress& other) const;
};

/**
 * @param node any
 * @return the addresses of its interfaces, those of IPv4 first. Loopback, addresses that DHCP will
 *         give later, and link-local addresses of IPv6 are left out.
 */
std::vector<NodeAddress> ListAddresses(const Node& node);

} // namespace ns3::dlearn

#endif // DLEARN_ENDPOINT_H
