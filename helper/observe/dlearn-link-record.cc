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

void
AddRecord(LinkRecord& record, const LinkRecord& other)
{
    const auto add = [](std::optional<uint64_t>& total, const std::optional<uint64_t>& more) {
        total = total || more ? std::optional(total.value_or(0) + more.value_or(0)) : total;
    };
    record.txBytes += other.txBytes;
    record.queueDrops += other.queueDrops;
    add(record.loss, other.loss);
    add(record.again, other.again);
    record.queueMean += other.queueMean;
    record.queueWorst += other.queueWorst;
    record.busy += other.busy;
}

} // namespace ns3::dlearn
