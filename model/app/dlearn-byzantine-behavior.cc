/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-byzantine-behavior.h"

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(ByzantineBehavior);

TypeId
ByzantineBehavior::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::ByzantineBehavior").SetParent<Object>().SetGroupName("Dlearn");
    return tid;
}

void
ByzantineBehavior::Cancel()
{
}

void
ByzantineBehavior::Receive(const std::pair<LearnerId, ModelChannel>& /* source */,
                           uint32_t /* round */,
                           const Arrival& /* arrival */)
{
}

int64_t
ByzantineBehavior::AssignStreams(int64_t /* stream */)
{
    return 0;
}

void
ByzantineBehavior::SetPort(const SendPort& /* port */)
{
}

} // namespace ns3::dlearn
