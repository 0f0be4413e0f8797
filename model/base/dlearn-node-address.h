/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_NODE_ADDRESS_H
#define DLEARN_NODE_ADDRESS_H

#include "dlearn-endpoint.h"

#include "ns3/net-device.h"
#include "ns3/node.h"

#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * An IP address under which others may reach a node.
 */
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
 * @ingroup dlearn
 * @param node any
 * @return the addresses of its interfaces, those of IPv4 first. Loopback, addresses that DHCP will
 *         give later, and link-local addresses of IPv6 are left out.
 */
std::vector<NodeAddress> ListAddresses(const Node& node);

} // namespace ns3::dlearn

#endif // DLEARN_NODE_ADDRESS_H
