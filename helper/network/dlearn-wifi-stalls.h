/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_WIFI_STALLS_H
#define DLEARN_WIFI_STALLS_H

#include "ns3/nstime.h"
#include "ns3/ptr.h"
#include "ns3/wifi-net-device.h"
#include "ns3/wifi-remote-station-manager.h"

#include <cstdint>
#include <string>
#include <vector>

/**
 * @file
 * What brings a network of Wi-Fi of ns-3 to a stand-still for ever, and how to prevent it.
 *
 * In ns-3.37 the sender of an ADDBA response has the block-ack agreement only after the Ack of that
 * response. Where this Ack is lost, the other side sends under an agreement that the receiver does
 * not know: either the receiver passes up what comes, and later waits for ever for what it has
 * passed up already, or an A-MPDU comes, and ns-3 reads foreign memory
 * (HtFrameExchangeManager::EndReceiveAmpdu()). ns-3.38 has mended this. So with ns-3.37 the two
 * sides get the agreement here without frames, as ARP caches get the addresses of neighbours.
 */

namespace ns3::dlearn
{

/** Whether ns-3 sets up block-ack agreements that only one of the two sides may know. */
#if __has_include("ns3/eht-operation.h") // new in ns-3.38
constexpr bool BLOCK_ACKS_MAY_DISAGREE = false;
#else
constexpr bool BLOCK_ACKS_MAY_DISAGREE = true;
#endif

/** Most bytes of joined packets (A-MSDU) that last less than 5.484 ms at every rate; ns-3 never
 * sends what lasts longer. */
constexpr uint32_t LONGEST_AMSDU = 4000;

/** The standard's smaller limit, which all stations keep. */
constexpr uint32_t SAFE_AMSDU = 3839;

/** How long a frame may wait where its receiver can go away. */
const Time SHORT_FRAME_LIFE = Seconds(1);

/** @return the Wi-Fi devices of all nodes that there are, those of mesh points included */
std::vector<Ptr<WifiNetDevice>> ListRadios();

/**
 * @return whether a radio sends under block-ack agreements: all of 802.11ac and later do, and
 *         802.11n with A-MPDU
 */
bool UsesBlockAcks(const Ptr<WifiNetDevice>& radio);

/**
 * Have both sides know of each agreement before the first frame is sent under it: when a packet for
 * a receiver is queued for the first time. Does nothing where ns-3 needs no help.
 *
 * @param radio a device, configured
 */
void KeepBlockAcks(const Ptr<WifiNetDevice>& radio);

/**
 * Enter the agreements of all stations that have joined an access point, for best effort (TID 0),
 * both ways. For the moment when learners begin.
 *
 * @param name of the network, for messages
 * @throw std::invalid_argument when the two sides of one do not both have it
 */
void EnterBlockAcks(const std::string& name);

/**
 * Have a radio give up a frame when its RTS has failed as often as the retry limit says (IEEE Std
 * 802.11-2020, 10.3.4.4). The station manager of ns-3 before 3.44 counts failed RTS in the counter
 * of short frames, but asks that of long frames, to which every frame belongs that has an RTS; so
 * it sends the RTS of a station that is out of range or switched off for ever, and all other
 * frames wait behind it.
 *
 * @param manager of the radio
 * @param threshold its RtsCtsThreshold, which managers of ns-3 do not tell; not to be changed later
 */
void LimitRtsRetries(const Ptr<WifiRemoteStationManager>& manager, uint32_t threshold);

/**
 * @return whether stations count what they send again by two counters, MaxSsrc and MaxSlrc of the
 *         station manager; newer versions of ns-3 have one, FrameRetryLimit of the MAC, and end a
 *         program that looks for the others
 */
bool HasTwoRetryCounters();

/**
 * Refuse settings of radios with which a network of ns-3 comes to a stand-still for ever.
 *
 * @param name of the network, for messages
 * @param radios configured
 * @param canLeave whether a radio may go out of range, be switched off or lose its power
 * @param kept whether KeepBlockAcks() was called for all of them
 * @return what may go wrong, each with what to do, for warnings
 * @throw std::invalid_argument naming the setting and another one
 */
std::vector<std::string> CheckWifi(const std::string& name,
                                   const std::vector<Ptr<WifiNetDevice>>& radios,
                                   bool canLeave,
                                   bool kept);

/**
 * Change the settings of radios of a script with which a network comes to a stand-still, and call
 * KeepBlockAcks() for them.
 */
void RepairWifi(const std::vector<Ptr<WifiNetDevice>>& radios);

} // namespace ns3::dlearn

#endif // DLEARN_WIFI_STALLS_H
