/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-run-phases.h"

#include "ns3/dlearn-round-readings.h"
#include "ns3/node.h"

namespace ns3::dlearn
{

RunPhases::RunPhases(const std::vector<Ptr<LearnerApplication>>& learners)
{
    for (const auto& learner : learners)
    {
        m_meters.push_back(std::make_unique<PhaseMeter>(learner));
        const auto [meter, isFirst] =
            m_byNode.emplace(learner->GetNode()->GetId(), m_meters.back().get());
        if (!isFirst)
        {
            meter->second = nullptr; // whose packets these are is not known
        }
    }
}

NodeActivity*
RunPhases::WatchDevice(const Node& node)
{
    const auto meter = m_byNode.find(node.GetId());
    const bool known = meter != m_byNode.end() && meter->second;
    return known ? &meter->second->WatchDevice() : nullptr;
}

void
RunPhases::Complete(RunResults& results) const
{
    MatchReadings(m_meters, results.rows, [](ResultRow& row, const PhaseMeter::Reading& reading) {
        row.phases = reading.phases;
    });
}

} // namespace ns3::dlearn
