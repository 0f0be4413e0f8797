/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-local-data.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-state-archive.h"

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(LocalData);

TypeId
LocalData::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::LocalData").SetParent<Object>().SetGroupName("Dlearn");
    return tid;
}

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

double
LocalData::GetSamplingShare() const
{
    return 1;
}

void
LocalData::CheckStarted() const
{
    Require(m_started, GetInstanceTypeId(), ": BeginRound() must come before GetSamples()");
}

void
LocalData::VisitState(StateArchive& archive)
{
    archive(m_started, m_lastRound);
}

} // namespace ns3::dlearn
