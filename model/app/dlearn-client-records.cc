/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-client-records.h"

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
ClientRecords::CheckConservation() const
{
    for (const RoundRecord& record : m_records)
    {
        record.CheckConservation();
    }
}

} // namespace ns3::dlearn
