/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-byzantine-behavior.h"

#include "ns3/dlearn-type-id.h"

namespace ns3::dlearn
{

DLEARN_TYPE_WITHOUT_ATTRIBUTES(ByzantineBehavior, Object);

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
