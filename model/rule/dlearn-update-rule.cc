/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-update-rule.h"

namespace ns3
{
namespace dlearn
{

NS_OBJECT_ENSURE_REGISTERED(UpdateRule);

TypeId
UpdateRule::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::UpdateRule").SetParent<LearnerRule>().SetGroupName("Dlearn");
    return tid;
}

void
UpdateRule::Abandon(bool /* transmitted */)
{
}

uint32_t
UpdateRule::GetLength(ModelChannel) const
{
    return static_cast<uint32_t>(GetModel().size());
}

} // namespace dlearn
} // namespace ns3
