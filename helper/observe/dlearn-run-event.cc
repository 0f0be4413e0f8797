/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-run-event.h"

#include "ns3/dlearn-life-cycle.h"

namespace ns3::dlearn
{

bool
IsEnd(const RunEvent& event)
{
    using Kind = LearnerEvent::Kind;
    static const std::set<std::string> ends{ToString(Kind::CRASHED),
                                            ToString(Kind::LEFT),
                                            ToString(Kind::STOPPED),
                                            ToString(Kind::BUDGET_SPENT),
                                            ToString(Kind::BATTERY_EMPTY)};
    return event.node && ends.count(event.event) > 0;
}

std::set<LearnerId>
FindEnded(const std::vector<RunEvent>& timeline)
{
    std::set<LearnerId> ended;
    for (const RunEvent& event : timeline)
    {
        if (IsEnd(event))
        {
            ended.insert(*event.node);
        }
        else if (event.node && event.event == ToString(LearnerEvent::Kind::RESTARTED))
        {
            ended.erase(*event.node);
        }
    }
    return ended;
}

} // namespace ns3::dlearn
