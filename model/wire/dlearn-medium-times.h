/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_MEDIUM_TIMES_H
#define DLEARN_MEDIUM_TIMES_H

#include "ns3/net-device.h"
#include "ns3/nstime.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * How learners share a medium that they broadcast on, in time.
 */
struct MediumTimes
{
    Time turnSpread;                     //!< random time before a turn, at most
    Time turnGap;                        //!< after a fragment, until the medium counts as quiet
    Time reportSlot;                     //!< between two reports
    Time reportMargin{MilliSeconds(20)}; //!< that reports may take besides their slots

    /**
     * @param device of the medium
     * @return these times, longer where a frame of the device takes long
     */
    MediumTimes StretchFor(const NetDevice& device) const;
};

} // namespace ns3::dlearn

#endif // DLEARN_MEDIUM_TIMES_H
