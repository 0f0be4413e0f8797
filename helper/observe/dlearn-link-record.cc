/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-link-record.h"

#include "ns3/node.h"

namespace ns3::dlearn
{

LinkEnds::LinkEnds(const NodeContainer& learners)
{
    for (LearnerId id = 0; id < learners.GetN(); ++id)
    {
        m_learners.emplace(learners.Get(id)->GetId(), id);
    }
}

std::string
LinkEnds::Name(const Node& node) const
{
    const auto learner = m_learners.find(node.GetId());
    return learner == m_learners.end() ? "node " + std::to_string(node.GetId())
                                       : std::to_string(learner->second);
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
