/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-position-recorder.h"

#include "ns3/simulator.h"

namespace ns3::dlearn
{

PositionRecorder::PositionRecorder(const NodeContainer& learners)
    : m_places(learners.GetN())
{
    for (LearnerId node = 0; node < m_places.size(); ++node)
    {
        Place& place = m_places[node];
        place.model = learners.Get(node)->GetObject<MobilityModel>();
        if (place.model)
        {
            Record(place, place.records, node);
            m_ids[PeekPointer(place.model)] = node;
            place.model->TraceConnectWithoutContext(
                "CourseChange",
                MakeCallback(&PositionRecorder::HandleCourse, this));
        }
    }
}

PositionRecorder::~PositionRecorder()
{
    for (const Place& place : m_places)
    {
        if (place.model)
        {
            place.model->TraceDisconnectWithoutContext(
                "CourseChange",
                MakeCallback(&PositionRecorder::HandleCourse, this));
        }
    }
}

void
PositionRecorder::HandleCourse(Ptr<const MobilityModel> model)
{
    const LearnerId node = m_ids.at(PeekPointer(model));
    Record(m_places[node], m_places[node].records, node);
}

void
PositionRecorder::Record(const Place& place, std::vector<PositionRecord>& records, LearnerId node)
{
    const PositionRecord record{Simulator::Now(), node, place.model->GetPosition()};
    if (!records.empty() && records.back().time == record.time)
    {
        records.back() = record;
    }
    else
    {
        records.push_back(record);
    }
}

std::vector<PositionRecord>
PositionRecorder::GetRecords() const
{
    std::vector<PositionRecord> all;
    for (LearnerId node = 0; node < m_places.size(); ++node)
    {
        std::vector<PositionRecord> records = m_places[node].records;
        const bool moved =
            !records.empty() && m_places[node].model->GetPosition() != records.front().position;
        if (records.size() > 1 || moved)
        {
            Record(m_places[node], records, node);
        }
        all.insert(all.end(), records.begin(), records.end());
    }
    return all;
}

} // namespace ns3::dlearn
