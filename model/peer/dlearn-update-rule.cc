/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-update-rule.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-type-id.h"

#include <algorithm>

namespace ns3::dlearn
{

DLEARN_TYPE_WITHOUT_ATTRIBUTES(UpdateRule, LearnerRule);

void
CheckContext(const std::string& name, const LearnerContext& context)
{
    Require(context.task != nullptr, name, ": a learner needs a task, got none");
    Require(context.stream != nullptr, name, ": a learner needs a sample stream, got none");
    if (context.initialModel.size() > 0)
    {
        RequireSize(name,
                    "initialModel",
                    context.initialModel.size(),
                    context.task->GetDimension());
        Require(context.initialModel.allFinite(), name, ": initialModel must be finite");
    }
    for (const auto& [channel, neighbors] : context.neighbors)
    {
        for (const Graph::Row* row : {&neighbors.in, &neighbors.out})
        {
            for (const auto& [neighbor, weight] : *row)
            {
                Require(neighbor != context.id,
                        name,
                        ": learner ",
                        context.id,
                        " must not be its own neighbour");
                RequirePositive(name, "weight of neighbour " + std::to_string(neighbor), weight);
            }
        }
    }
}

const Neighbors&
LearnerContext::GetNeighbors(ModelChannel channel) const
{
    static const Neighbors none;
    const auto found = neighbors.find(channel);
    return found == neighbors.end() ? none : found->second;
}

void
UpdateRule::Abandon(bool /* transmitted */)
{
}

std::vector<std::pair<LearnerId, ModelChannel>>
UpdateRule::GetExpected() const
{
    std::vector<std::pair<LearnerId, ModelChannel>> expected;
    for (const RuleChannel& channel : GetChannels())
    {
        for (const auto& [neighbor, weight] : channel.neighbors.in)
        {
            expected.emplace_back(neighbor, channel.channel);
        }
    }
    std::sort(expected.begin(), expected.end());
    return expected;
}

uint32_t
UpdateRule::GetLength(ModelChannel channel) const
{
    const auto channels = GetChannels();
    const auto found = std::find_if(channels.begin(), channels.end(), [&](const RuleChannel& c) {
        return c.channel == channel;
    });
    Require(found != channels.end(),
            GetInstanceTypeId().GetName(),
            ": has no channel ",
            ToString(channel));
    return found->length;
}

bool
UpdateRule::IsUsable(ModelChannel /* channel */, const ModelVector& /* values */) const
{
    return true;
}

} // namespace ns3::dlearn
