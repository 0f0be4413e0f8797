/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-position-trace.h"

#include "ns3/dlearn-check.h"
#include "ns3/waypoint-mobility-model.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace ns3::dlearn
{

PositionTrace::PositionTrace(const std::string& path,
                             std::map<uint32_t, std::vector<Waypoint>> ways)
    : m_path(path),
      m_ways(std::move(ways))
{
}

void
PositionTrace::Shift(uint32_t offset)
{
    std::map<uint32_t, std::vector<Waypoint>> shifted;
    for (auto& [node, way] : m_ways)
    {
        if (node <= std::numeric_limits<uint32_t>::max() - offset)
        {
            shifted[node + offset] = std::move(way);
        }
    }
    m_ways = std::move(shifted);
}

void
PositionTrace::CheckFits(const std::string& network,
                         uint32_t learners,
                         double side,
                         std::optional<LearnerId> fixed) const
{
    for (LearnerId id = 0; id < learners; ++id)
    {
        Require(Has(id) || id == fixed,
                network,
                ": ",
                m_path,
                " has no position of learner ",
                id,
                fixed ? "; learner " + std::to_string(*fixed) +
                            " is the server, and ',offset=1' behind the name of the file makes "
                            "learner k + 1 of node k"
                      : "");
        if (!Has(id))
        {
            continue;
        }
        for (const Waypoint& at : m_ways.at(id))
        {
            Require(at.position.x >= 0 && at.position.x <= side && at.position.y >= 0 &&
                        at.position.y <= side,
                    network,
                    ": ",
                    m_path,
                    ": position (",
                    at.position.x,
                    ", ",
                    at.position.y,
                    ") of learner ",
                    id,
                    " lies outside the square of side ",
                    side);
        }
    }
}

bool
PositionTrace::IsMoving() const
{
    return std::any_of(m_ways.begin(), m_ways.end(), [](const auto& way) {
        return way.second.size() > 1;
    });
}

std::pair<double, double>
PositionTrace::GetStart(LearnerId id) const
{
    const Vector& start = m_ways.at(id).front().position;
    return {start.x, start.y};
}

Ptr<MobilityModel>
PositionTrace::CreateModel(LearnerId id, Time origin) const
{
    const auto model = CreateObject<WaypointMobilityModel>();
    for (const Waypoint& at : m_ways.at(id))
    {
        model->AddWaypoint({origin + at.time, at.position});
    }
    return model;
}

} // namespace ns3::dlearn
