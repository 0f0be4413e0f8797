/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-missing-policy.h"

#include "ns3/dlearn-type-id.h"

namespace ns3::dlearn
{

DLEARN_TYPE_WITHOUT_ATTRIBUTES(MissingPolicy, Object);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(SkipMissing, MissingPolicy);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(LastReceived, MissingPolicy);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(WaitForMissing, MissingPolicy);

void
MissingPolicy::Remember(const std::pair<LearnerId, ModelChannel>& /* source */,
                        const Arrival& /* arrival */)
{
}

const Arrival*
MissingPolicy::GetStandIn(const std::pair<LearnerId, ModelChannel>& /* source */) const
{
    return nullptr;
}

void
LastReceived::Remember(const std::pair<LearnerId, ModelChannel>& source, const Arrival& arrival)
{
    const auto known = m_last.find(source);
    if (known == m_last.end() || known->second.round <= arrival.round)
    {
        m_last.insert_or_assign(source, arrival);
    }
}

const Arrival*
LastReceived::GetStandIn(const std::pair<LearnerId, ModelChannel>& source) const
{
    const auto known = m_last.find(source);
    return known == m_last.end() ? nullptr : &known->second;
}

} // namespace ns3::dlearn
