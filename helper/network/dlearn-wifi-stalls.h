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
 * Prevention of permanent stalls of Wi-Fi networks in ns-3.
 *
 * In ns-3.37 the sender of an ADDBA response establishes the block-ack agreement only when it
 * receives the Ack of that response. If this Ack is lost, the other side sends under an agreement
 * that the receiver does not know: either the receiver passes frames up, and later waits without
 * end for the frames that it has already passed up, or it receives an A-MPDU, and ns-3 accesses
 * invalid memory (HtFrameExchangeManager::EndReceiveAmpdu()). ns-3.38 has fixed this. With ns-3.37,
 * both sides get the agreement here without an exchange of frames.
 */

namespace ns3::dlearn
{

/** Whether ns-3 may set up block-ack agreements that only one of the two sides knows. */
#if __has_include("ns3/eht-operation.h") // new in ns-3.38
constexpr bool BLOCK_ACKS_MAY_DISAGREE = false;
#else
constexpr bool BLOCK_ACKS_MAY_DISAGREE = true;
#endif

/**
 * Largest A-MSDU in bytes that lasts less than 5.484 ms at every rate; ns-3 never sends longer
 * frames.
 */
constexpr uint32_t LONGEST_AMSDU = 4000;

/** The smaller limit of the standard, which all stations support. */
constexpr uint32_t SAFE_AMSDU = 3839;

/** Lifetime of a frame whose receiver may leave. */
const Time SHORT_FRAME_LIFE = Seconds(1);

/** @return the Wi-Fi devices of all existing nodes, including those of mesh points */
std::vector<Ptr<WifiNetDevice>> ListRadios();

/**
 * @return whether a radio uses block-ack agreements: 802.11ac and later always do, 802.11n with
 *         A-MPDU
 */
bool UsesBlockAcks(const Ptr<WifiNetDevice>& radio);

/**
 * Establish each block-ack agreement on both sides when the first packet for a receiver is queued,
 * before a frame is sent under it. Does nothing unless BLOCK_ACKS_MAY_DISAGREE.
 *
 * @param radio a configured device
 */
void KeepBlockAcks(const Ptr<WifiNetDevice>& radio);

/**
 * Establish the agreements between all associated stations and their access points, for best effort
 * (TID 0), in both directions. Call when learners start.
 *
 * @param name name of the network, for messages
 * @throw std::invalid_argument when only one side has an agreement
 */
void EnterBlockAcks(const std::string& name);

/**
 * Make a radio drop a frame when its RTS has failed as often as the retry limit allows (IEEE Std
 * 802.11-2020, 10.3.4.4). Before ns-3.44, the station manager counts failed RTS frames in the
 * counter of short frames, but compares the counter of long frames, which are all frames with RTS;
 * so it repeats the RTS to a station out of range or switched off without end, and all other frames
 * wait behind it.
 *
 * @param manager station manager of the radio
 * @param threshold its RtsCtsThreshold, which ns-3's managers do not return; must not change later
 */
void LimitRtsRetries(const Ptr<WifiRemoteStationManager>& manager, uint32_t threshold);

/**
 * @return whether stations have two retry limits, MaxSsrc and MaxSlrc of the station manager; newer
 *         versions of ns-3 have one, FrameRetryLimit of the MAC, and abort on access to the old
 *         ones
 */
bool HasTwoRetryCounters();

/** Empty the queues of a radio before it is off: ns-3.37 crashes if all of one are too old. */
void DropFrames(WifiMac& mac);

/**
 * Switch a radio off or on. It is deaf and mute when off, but not in ns-3's state OFF, in which the
 * program would be aborted when a station gives up its access point.
 */
void SwitchRadio(WifiNetDevice& radio, bool on);

/** @return whether SwitchRadio() has switched a radio off */
bool IsSwitchedOff(const WifiPhy& phy);

/**
 * Refuse settings of radios with which a network stalls permanently.
 *
 * @param name name of the network, for messages
 * @param radios configured radios
 * @param canLeave whether a radio may leave the range of others, be switched off or run out of
 *        energy
 * @param kept whether KeepBlockAcks() was called for all of them
 * @return warnings, each with a remedy
 * @throw std::invalid_argument naming the setting and a better one
 */
std::vector<std::string> CheckWifi(const std::string& name,
                                   const std::vector<Ptr<WifiNetDevice>>& radios,
                                   bool canLeave,
                                   bool kept);

/**
 * Correct settings of a script's radios with which a network stalls, and call KeepBlockAcks() for
 * them.
 */
void RepairWifi(const std::vector<Ptr<WifiNetDevice>>& radios);

} // namespace ns3::dlearn

#endif // DLEARN_WIFI_STALLS_H
