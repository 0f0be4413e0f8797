/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-update-rule.h"

#include "ns3/dlearn-check.h"

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(UpdateRule);

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
    for (const auto* row :
         {&context.inNeighbors, &context.outNeighbors, &context.trackerIn, &context.trackerOut})
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

bool
UpdateRule::NeedsCommonRounds() const
{
    return false;
}

} // namespace ns3::dlearn
