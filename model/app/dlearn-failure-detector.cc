/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-failure-detector.h"

#include "ns3/dlearn-state-archive.h"

namespace ns3::dlearn
{

void
FailureDetector::RecordActivity(LearnerId neighbor)
{
    m_waited.erase(neighbor);
    m_suspected.erase(neighbor);
}

bool
FailureDetector::RecordTimeout(LearnerId neighbor, Time waited, Time suspicionTimeout)
{
    m_waited[neighbor] += waited;
    return m_waited[neighbor] >= suspicionTimeout && m_suspected.insert(neighbor).second;
}

bool
FailureDetector::IsAlive(LearnerId neighbor) const
{
    return m_suspected.count(neighbor) == 0;
}

const std::set<LearnerId>&
FailureDetector::GetSuspected() const
{
    return m_suspected;
}

void
FailureDetector::Reset()
{
    m_waited.clear();
    m_suspected.clear();
}

void
FailureDetector::VisitState(StateArchive& archive)
{
    archive(m_waited, m_suspected);
}

} // namespace ns3::dlearn
