/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-failure-detector.h"

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

void
FailureDetector::Reset()
{
    m_waited.clear();
    m_suspected.clear();
}

} // namespace ns3::dlearn
