/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-run-event.h"

#include "ns3/dlearn-learner-event.h"

namespace ns3::dlearn
{

std::set<LearnerId>
FindEnded(const std::vector<RunEvent>& timeline)
{
    using Kind = LearnerEvent::Kind;
    std::set<std::string> ends;
    for (const Kind kind :
         {Kind::CRASHED, Kind::LEFT, Kind::STOPPED, Kind::BUDGET_SPENT, Kind::BATTERY_EMPTY})
    {
        ends.insert(ToString(kind));
    }
    std::set<LearnerId> ended;
    for (const RunEvent& event : timeline)
    {
        if (event.node && ends.count(event.event) > 0)
        {
            ended.insert(*event.node);
        }
        else if (event.node && event.event == ToString(Kind::RESTARTED))
        {
            ended.erase(*event.node);
        }
    }
    return ended;
}

} // namespace ns3::dlearn
