/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_BLOCK_ACK_H
#define DLEARN_BLOCK_ACK_H

#include "ns3/ptr.h"
#include "ns3/wifi-net-device.h"

#include <string>
#include <vector>

/**
 * @file
 * Block-ack agreements that both sides have.
 *
 * In ns-3.37 the sender of an ADDBA response has the agreement only after the Ack of that response.
 * Where this Ack is lost, the other side sends under an agreement of which the receiver does not
 * know: either the receiver passes up what comes, and later waits for ever for what it has passed
 * up already, or an A-MPDU comes, and ns-3 reads memory that is not its own
 * (HtFrameExchangeManager::EndReceiveAmpdu()). ns-3.38 has mended this. So with ns-3.37 the two
 * sides get the agreement here without frames, as ARP caches get the addresses of neighbours.
 */

namespace ns3::dlearn
{

/** Whether ns-3 sets up block-ack agreements of which the two sides may disagree. */
#if __has_include("ns3/eht-operation.h") // new in ns-3.38
constexpr bool BLOCK_ACKS_MAY_DISAGREE = false;
#else
constexpr bool BLOCK_ACKS_MAY_DISAGREE = true;
#endif

/** @return the Wi-Fi devices of all nodes that there are, those of mesh points included */
std::vector<Ptr<WifiNetDevice>> ListRadios();

/**
 * @ingroup dlearn
 * @param radio a device
 * @return whether it sends under block-ack agreements: all of 802.11ac and later do, and 802.11n
 *         with A-MPDU
 */
bool UsesBlockAcks(const Ptr<WifiNetDevice>& radio);

/**
 * @ingroup dlearn
 * Have both sides know of each agreement before the first frame is sent under it: when a packet for
 * a receiver is queued for the first time. Does nothing where ns-3 needs no help.
 *
 * @param radio a device, configured
 */
void KeepBlockAcks(const Ptr<WifiNetDevice>& radio);

/**
 * @ingroup dlearn
 * Enter the agreements of all stations that have joined an access point, for best effort (TID 0),
 * both ways. For the moment when learners begin.
 *
 * @param name of the network, for messages
 * @throw std::invalid_argument when the two sides of one do not both have it
 */
void EnterBlockAcks(const std::string& name);

} // namespace ns3::dlearn

#endif // DLEARN_BLOCK_ACK_H
