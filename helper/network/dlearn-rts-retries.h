/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RTS_RETRIES_H
#define DLEARN_RTS_RETRIES_H

#include "ns3/ptr.h"
#include "ns3/wifi-remote-station-manager.h"

#include <cstdint>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
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
 * @ingroup dlearn
 * @return whether stations count what they send again by two counters, MaxSsrc and MaxSlrc of the
 *         station manager; newer versions of ns-3 have one, FrameRetryLimit of the MAC, and end a
 *         program that looks for the others
 */
bool HasTwoRetryCounters();

} // namespace ns3::dlearn

#endif // DLEARN_RTS_RETRIES_H
