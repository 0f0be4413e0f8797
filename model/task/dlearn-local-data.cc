/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-local-data.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-type-id.h"

namespace ns3::dlearn
{

DLEARN_TYPE_WITHOUT_ATTRIBUTES(LocalData, Object);

size_t
LocalData::GetRoundSize() const
{
    return m_started ? GetSamples().size() : GetSampleCount();
}

void
LocalData::StartRound(uint32_t round)
{
    Require(!m_started || round > m_lastRound,
            GetInstanceTypeId(),
            ": round must be greater than ",
            m_lastRound,
            ", got ",
            round);
    m_started = true;
    m_lastRound = round;
}

void
LocalData::CheckStarted() const
{
    Require(m_started, GetInstanceTypeId(), ": BeginRound() must come before GetSamples()");
}

} // namespace ns3::dlearn
