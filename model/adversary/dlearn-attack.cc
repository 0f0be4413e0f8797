/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-attack.h"

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(Attack);

TypeId
Attack::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::Attack").SetParent<Object>().SetGroupName("Dlearn");
    return tid;
}

void
Attack::Check(uint32_t /* sources */, uint32_t /* honest */, uint32_t /* byzantine */) const
{
}

int64_t
Attack::AssignStreams(int64_t /* stream */)
{
    return 0;
}

} // namespace ns3::dlearn
