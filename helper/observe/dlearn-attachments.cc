/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-attachments.h"

#include "ns3/simulator.h"
#include "ns3/sta-wifi-mac.h"

#include <utility>

namespace ns3::dlearn
{

Attachments::Attachments(const NodeContainer& learners, Listener listener)
    : m_listener(std::move(listener))
{
    for (LearnerId id = 0; id < learners.GetN(); ++id)
    {
        m_learners.emplace(learners.Get(id)->GetId(), id);
    }
}

void
Attachments::WatchWifi(const Ptr<WifiNetDevice>& device, const std::string& name)
{
    m_stations[device->GetMac()->GetAddress()] = name;
    if (const auto station = DynamicCast<StaWifiMac>(device->GetMac()))
    {
        const uint32_t node = device->GetNode()->GetId();
        m_traces.Add(station, "Assoc", MakeCallback(&Attachments::HandleAssociation, this, node));
        m_traces.Add(station, "DeAssoc", MakeCallback(&Attachments::HandleLoss, this, node));
    }
}

void
Attachments::Join(uint32_t node, const std::string& to)
{
    const std::string from = std::exchange(m_at[node], to);
    const bool moved = !from.empty() && from != to;
    Tell(node, moved ? "handed-over" : "associated", (moved ? from + " " : "") + "to " + to);
}

void
Attachments::HandleAssociation(uint32_t node, Mac48Address accessPoint)
{
    Join(node, m_stations[accessPoint]);
}

void
Attachments::HandleLoss(uint32_t node, Mac48Address accessPoint)
{
    Tell(node, "disassociated", "from " + m_stations[accessPoint]);
}

void
Attachments::Tell(uint32_t node, const std::string& event, const std::string& detail) const
{
    const auto learner = m_learners.find(node);
    if (m_listener && learner != m_learners.end())
    {
        m_listener({Simulator::Now(), learner->second, std::nullopt, event, detail});
    }
}

} // namespace ns3::dlearn
