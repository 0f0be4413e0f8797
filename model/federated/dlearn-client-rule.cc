/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-client-rule.h"

#include "ns3/dlearn-part.h"
#include "ns3/pointer.h"

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
            .AddAttribute("Release",
                          "How updates are clipped, get noise and are accounted for; none where "
                          "the rule can do none of these.",
                          TypeId::ATTR_GET,
                          PointerValue(),
                          MakePointerAccessor(&ClientRule::GetRelease),
                          MakePartChecker<ClientRelease>())
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

ModelVector
ClientRule::Answer(const ModelVector& /* request */)
{
    return {};
}

} // namespace ns3::dlearn
