/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-missing-policy.h"

#include "ns3/dlearn-state-archive.h"

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(MissingPolicy);
NS_OBJECT_ENSURE_REGISTERED(SkipMissing);
DLEARN_STATE_ENSURE_REGISTERED(SkipMissing);
NS_OBJECT_ENSURE_REGISTERED(LastReceived);
DLEARN_STATE_ENSURE_REGISTERED(LastReceived);
NS_OBJECT_ENSURE_REGISTERED(WaitForMissing);
DLEARN_STATE_ENSURE_REGISTERED(WaitForMissing);

TypeId
MissingPolicy::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::MissingPolicy").SetParent<Object>().SetGroupName("Dlearn");
    return tid;
}

bool
MissingPolicy::MayClose() const
{
    return true;
}

bool
MissingPolicy::HasStandIns() const
{
    return false;
}

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

TypeId
SkipMissing::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::SkipMissing")
                            .SetParent<MissingPolicy>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<SkipMissing>();
    return tid;
}

TypeId
LastReceived::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::LastReceived")
                            .SetParent<MissingPolicy>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<LastReceived>();
    return tid;
}

bool
LastReceived::HasStandIns() const
{
    return true;
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

TypeId
WaitForMissing::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::WaitForMissing")
                            .SetParent<MissingPolicy>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<WaitForMissing>();
    return tid;
}

bool
WaitForMissing::MayClose() const
{
    return false;
}

void
LastReceived::VisitState(StateArchive& archive)
{
    archive(m_last);
}

} // namespace ns3::dlearn
