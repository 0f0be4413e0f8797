/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-learner-event.h"

namespace ns3::dlearn
{

const char*
ToString(LearnerEvent::Kind kind)
{
    switch (kind)
    {
    case LearnerEvent::Kind::CRASHED:
        return "crashed";
    case LearnerEvent::Kind::LEFT:
        return "left";
    case LearnerEvent::Kind::STOPPED:
        return "stopped";
    case LearnerEvent::Kind::RESTARTED:
        return "restarted";
    case LearnerEvent::Kind::BUDGET_SPENT:
        return "budget-spent";
    case LearnerEvent::Kind::BATTERY_EMPTY:
        return "battery-empty";
    case LearnerEvent::Kind::NEIGHBOR_SUSPECTED:
        return "neighbor-suspected";
    case LearnerEvent::Kind::CLIENT_SUSPECTED:
        return "client-suspected";
    case LearnerEvent::Kind::TIMED_OUT:
        return "timed-out";
    }
    return "unknown";
}

} // namespace ns3::dlearn
