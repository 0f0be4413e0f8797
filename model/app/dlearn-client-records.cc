/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-client-records.h"

#include "ns3/dlearn-state-archive.h"

#include <algorithm>

namespace ns3::dlearn
{

void
ClientRecords::Add(const RoundRecord& record)
{
    m_records.push_back(record);
    m_open = true;
    m_exposure.Forget();
}

bool
ClientRecords::IsOpen() const
{
    return m_open;
}

RoundRecord*
ClientRecords::GetLast()
{
    return m_records.empty() ? nullptr : &m_records.back();
}

void
ClientRecords::Complete(const LearnerRule& rule)
{
    m_open = false;
    if (const auto ledger = rule.GetLedger())
    {
        // It is more where something else has cost privacy meanwhile.
        RoundRecord& record = m_records.back();
        record.epsilon = std::min(record.epsilon, ledger->GetEpsilon());
    }
}

void
ClientRecords::NoteExposure(uint32_t round)
{
    m_exposure.Note(round);
}

void
ClientRecords::RecordExposure(LearnerId client, const LearnerRule& rule)
{
    m_exposure.Record(client, rule, m_records);
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
