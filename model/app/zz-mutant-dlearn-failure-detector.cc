/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-failure-detector.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-state-archive.h"

namespace ns3::dlearn
{

FailureDetector::FailureDetector(Time suspicionTimeout)
    : m_suspicionTimeout(suspicionTimeout)
{
    Require(suspicionTimeout.IsStrictlyPositive(),
            "FailureDetector: suspicionTimeout must be greater than 0, got ",
            suspicionTimeout.GetSeconds(),
            " s");
}

void
FailureDetector::RecordActivity(LearnerId neighbor)
{
    m_waited.erase(neighbor);
}

bool
FailureDetector::RecordTimeout(LearnerId neighbor, Time waited)
{
    const bool alive = IsAlive(neighbor);
    m_waited[neighbor] += waited;
    return alive && !IsAlive(neighbor);
}

bool
FailureDetector::IsAlive(LearnerId neighbor) const
{
    const auto waited = m_waited.find(neighbor);
    return waited == m_waited.end() || waited->second < m_suspicionTimeout;
}

void
FailureDetector::Reset()
{
    m_waited.clear();
}

void
FailureDetector::VisitState(StateArchive& archive)
{
    (void)archive;
}

} // namespace ns3::dlearn
