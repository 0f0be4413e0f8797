/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_WIFI_CHECK_H
#define DLEARN_WIFI_CHECK_H

#include "ns3/nstime.h"
#include "ns3/ptr.h"
#include "ns3/wifi-net-device.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/** Most bytes of joined packets (A-MSDU) that last less than 5.484 ms at every rate; ns-3 never
 * sends what lasts longer. */
constexpr uint32_t LONGEST_AMSDU = 4000;

/** The standard's smaller limit, which all stations keep. */
constexpr uint32_t SAFE_AMSDU = 3839;

/** How long a frame may wait where its receiver can go away. */
const Time SHORT_FRAME_LIFE = Seconds(1);

/**
 * @ingroup dlearn
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
 * @ingroup dlearn
 * Change the settings of radios of a script with which a network comes to a stand-still, and call
 * KeepBlockAcks() for them.
 *
 * @param radios of a script
 */
void RepairWifi(const std::vector<Ptr<WifiNetDevice>>& radios);

} // namespace ns3::dlearn

#endif // DLEARN_WIFI_CHECK_H
