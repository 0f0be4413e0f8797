/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ARP_TABLE_H
#define DLEARN_ARP_TABLE_H

#include "ns3/address.h"
#include "ns3/ipv4-address.h"
#include "ns3/net-device.h"

#include <map>

namespace ns3::dlearn
{

/** Hardware addresses by IP address. */
using ArpTable = std::map<Ipv4Address, Address>;

/**
 * @ingroup dlearn
 * Enter hardware addresses in the ARP cache of a device, permanently: now and whenever its link
 * comes up, when the cache of ns-3 forgets even permanent entries.
 *
 * @param device with an IPv4 interface
 * @param table the addresses of others
 */
void KeepArpTable(const Ptr<NetDevice>& device, const ArpTable& table);

/**
 * @ingroup dlearn
 * KeepArpTable() for all interfaces on each channel that exists, with the addresses of the others
 * on it. Then no model is lost while ARP looks for an address, and no neighbour is given up for 100
 * s because requests and answers, which are not repeated on the air, collide. Channels with more
 * than ARP_TABLE_LIMIT interfaces are left to ARP, and so is what is behind a bridge.
 */
void KeepArpTables();

/** Most interfaces on a channel that all know each other. */
constexpr uint32_t ARP_TABLE_LIMIT = 256;

} // namespace ns3::dlearn

#endif // DLEARN_ARP_TABLE_H
