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
        place.node = node;
        place.model = learners.Get(node)->GetObject<MobilityModel>();
        if (place.model)
        {
            place.Record();
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
    m_places[m_ids.at(PeekPointer(model))].Record();
}

void
PositionRecorder::Place::Record()
{
    const PositionRecord record{Simulator::Now(), node, model->GetPosition()};
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
    for (Place place : m_places)
    {
        const auto& records = place.records;
        const bool moved =
            !records.empty() && place.model->GetPosition() != records.front().position;
        if (records.size() > 1 || moved)
        {
            place.Record();
        }
        all.insert(all.end(), records.begin(), records.end());
    }
    return all;
}

} // namespace ns3::dlearn
