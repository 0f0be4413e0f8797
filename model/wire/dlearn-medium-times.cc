/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-medium-times.h"

#include "dlearn-interface-link.h"

namespace ns3::dlearn
{

MediumTimes
MediumTimes::StretchFor(const NetDevice& device) const
{
    const Time frame = GetFrameTime(device, device.GetMtu());
    // In frames, at least about what the defaults are for Wi-Fi. Some learners may have begun at
    // the same time, each with a few full frames in its queue, which reports wait for.
    return {Max(turnSpread, frame * 24),
            Max(turnGap, frame * 4),
            Max(reportSlot, frame / 2),
            Max(reportMargin, frame * 32)};
}

} // namespace ns3::dlearn
