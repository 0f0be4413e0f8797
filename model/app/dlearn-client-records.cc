/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-client-records.h"

#include "ns3/dlearn-state-archive.h"
#include "ns3/simulator.h"

namespace ns3::dlearn
{

void
ClientRecords::Add(const RoundRecord& record)
{
    m_records.push_back(record);
    m_open = true;
}

bool
ClientRecords::IsOpen() const
{
    return m_open;
}

void
ClientRecords::Complete(uint64_t txBytes, const LearnerRule& rule)
{
    m_open = false;
    m_records.back().txBytes = txBytes;
    m_records.back().SetPrivacy(rule);
    m_exposure.reset();
}

void
ClientRecords::NoteExposure(uint32_t round)
{
    m_exposure = {Simulator::Now(), round};
}

void
ClientRecords::RecordExposure(LearnerId client, const LearnerRule& rule)
{
    if (!m_exposure || !rule.GetLedger())
    {
        return;
    }
    RoundRecord record;
    record.node = client;
    record.closed = m_exposure->first;
    record.round = m_exposure->second;
    record.SetPrivacy(rule);
    m_records.push_back(record);
    m_exposure.reset();
}

const std::vector<RoundRecord>&
ClientRecords::Get() const
{
    return m_records;
}

void
ClientRecords::CheckConservation() const
{
    for (const RoundRecord& record : m_records)
    {
        record.CheckConservation();
    }
}

void
ClientRecords::VisitState(StateArchive& archive)
{
    archive(m_records, m_open, m_exposure);
}

} // namespace ns3::dlearn
