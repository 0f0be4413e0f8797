/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-link-record.h"

namespace ns3::dlearn
{

std::string
NameLinkEnd(Ptr<const Node> node, const NodeContainer& learners)
{
    for (uint32_t id = 0; id < learners.GetN(); ++id)
    {
        if (learners.Get(id) == node)
        {
            return std::to_string(id);
        }
    }
    return "node " + std::to_string(node->GetId());
}

} // namespace ns3::dlearn
