/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_NEIGHBOR_TABLE_H
#define DLEARN_NEIGHBOR_TABLE_H

#include "ns3/address.h"
#include "ns3/dlearn-endpoint.h"
#include "ns3/net-device.h"

#include <map>

namespace ns3::dlearn
{

/** Hardware addresses by IP address. */
using NeighborTable = std::map<IpAddress, Address>;

/**
 * @ingroup dlearn
 * Enter hardware addresses in the caches of ARP and of neighbour discovery (IPv6) of a device,
 * permanently: now and whenever its link comes up, when the caches of ns-3 forget even permanent
 * entries.
 *
 * @param device with interfaces of the versions of IP that are in the table
 * @param table the addresses of others
 */
void KeepNeighborTable(const Ptr<NetDevice>& device, const NeighborTable& table);

/**
 * @ingroup dlearn
 * KeepNeighborTable() for all devices on each channel that exists, with the addresses of the others
 * on it. Then no model is lost while ARP looks for an address, or when two nodes look for each
 * other at the same time by neighbour discovery; and no neighbour is given up for 100 s because
 * requests and answers, which are not repeated on the air, collide. Channels with more than
 * NEIGHBOR_TABLE_LIMIT devices are left to these protocols, and so is what is behind a bridge.
 */
void KeepNeighborTables();

/** Most devices on a channel that all know each other. */
constexpr uint32_t NEIGHBOR_TABLE_LIMIT = 256;

} // namespace ns3::dlearn

#endif // DLEARN_NEIGHBOR_TABLE_H
