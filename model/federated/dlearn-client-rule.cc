/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-client-rule.h"

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(ClientRule);

TypeId
ClientRule::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::ClientRule")
            .SetParent<LearnerRule>()
            .SetGroupName("Dlearn")
            .AddTraceSource("Exposure",
                            "What happened elsewhere, such as others that revealed noise, cost "
                            "the client privacy.",
                            MakeTraceSourceAccessor(&ClientRule::m_exposureTrace),
                            "ns3::dlearn::ClientRule::ExposureTracedCallback");
    return tid;
}

void
ClientRule::EndRound(bool /* transmitted */)
{
}

UpdateKind
ClientRule::GetUpdateKind() const
{
    return UpdateKind::DIFFERENCE;
}

ClientRelease*
ClientRule::GetRelease()
{
    return nullptr;
}

ModelVector
ClientRule::Answer(const ModelVector& /* request */)
{
    return {};
}

size_t
ClientRule::GetRequestLength(uint32_t clients) const
{
    return clients;
}

} // namespace ns3::dlearn
