/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_P2P_LINK_H
#define DLEARN_P2P_LINK_H

#include "dlearn-link-queues.h"

#include "ns3/data-rate.h"
#include "ns3/net-device-container.h"
#include "ns3/node.h"
#include "ns3/nstime.h"

#include <cstdint>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Join two nodes by a full-duplex point-to-point link.
 *
 * @param a one end
 * @param b the other end
 * @param rate in each direction, more than 0
 * @param delay propagation delay, at least 0
 * @param mtu largest IP packet in bytes
 * @param queues of the devices; the queue discs come with the interfaces
 * @return the device at @p a and the device at @p b
 */
NetDeviceContainer MakeP2pLink(Ptr<Node> a,
                               Ptr<Node> b,
                               DataRate rate,
                               Time delay,
                               uint16_t mtu,
                               const LinkQueues& queues);

} // namespace ns3::dlearn

#endif // DLEARN_P2P_LINK_H
