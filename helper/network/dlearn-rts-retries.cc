/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-rts-retries.h"

#include "ns3/callback.h"
#include "ns3/mac48-address.h"
#include "ns3/simulator.h"
#include "ns3/type-id.h"
#include "ns3/wifi-mac.h"

#include <cstdint>
#include <limits>

namespace ns3::dlearn
{

namespace
{

/**
 * Sink of the trace MacTxRtsFailed, after which the manager is asked whether to try again: for this
 * moment all frames are short.
 *
 * @param manager to which the trace belongs, so a plain pointer
 * @param threshold that it has
 */
void
HandleRtsFailed(WifiRemoteStationManager* manager, uint32_t threshold, Mac48Address /* receiver */)
{
    manager->SetRtsCtsThreshold(std::numeric_limits<uint32_t>::max());
    Simulator::ScheduleNow(&WifiRemoteStationManager::SetRtsCtsThreshold,
                           Ptr<WifiRemoteStationManager>(manager),
                           threshold);
}

} // namespace

void
LimitRtsRetries(const Ptr<WifiRemoteStationManager>& manager, uint32_t threshold)
{
    if (HasTwoRetryCounters())
    {
        manager->TraceConnectWithoutContext(
            "MacTxRtsFailed",
            MakeBoundCallback(&HandleRtsFailed, PeekPointer(manager), threshold));
    }
}

bool
HasTwoRetryCounters()
{
    TypeId::AttributeInformation limit;
    return !WifiMac::GetTypeId().LookupAttributeByName("FrameRetryLimit", &limit);
}

} // namespace ns3::dlearn
