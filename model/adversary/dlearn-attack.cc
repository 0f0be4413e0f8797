/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-attack.h"

#include "ns3/dlearn-type-id.h"

namespace ns3::dlearn
{

DLEARN_TYPE_WITHOUT_ATTRIBUTES(Attack, Object);

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
