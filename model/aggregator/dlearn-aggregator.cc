/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-aggregator.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-part.h"
#include "ns3/dlearn-state-archive.h"
#include "ns3/object-vector.h"

#include <variant>

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(Aggregator);

TypeId
Aggregator::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::Aggregator")
                            .SetParent<Object>()
                            .SetGroupName("Dlearn")
                            .AddAttribute("PreAggregators",
                                          "What is done to the vectors before, in order, as "
                                          "AddPreAggregator() says.",
                                          TypeId::ATTR_GET,
                                          ObjectVectorValue(),
                                          MakeObjectVectorAccessor(&Aggregator::m_stages),
                                          MakeObjectVectorChecker<PreAggregator>());
    return tid;
}

void
Aggregator::AddPreAggregator(Ptr<PreAggregator> stage)
{
    Require(stage != nullptr, "Aggregator: a pre-aggregator must be there, got none");
    Require(!IsClaimed(*this),
            GetInstanceTypeId().GetName(),
            ": pre-aggregators cannot be added after set-up, as a privacy account may count on "
            "what there is");
    m_stages.push_back(stage);
}

std::vector<PreAggregationRule>
Aggregator::GetMixingRules() const
{
    std::vector<PreAggregationRule> rules;
    for (const Ptr<PreAggregator>& stage : m_stages)
    {
        rules.push_back(stage->GetRule());
    }
    return rules;
}

AggregationResult<double>
Aggregator::Aggregate(RowMatrixRef<double> rows, uint32_t f) const
{
    return AggregateRows<double>(rows, f, GetMixingRules(), GetRule());
}

AggregationResult<float>
Aggregator::Aggregate(RowMatrixRef<float> rows, uint32_t f) const
{
    return AggregateRows<float>(rows, f, GetMixingRules(), GetRule());
}

bool
Aggregator::IsMonotone() const
{
    return m_stages.empty() && HasMonotoneRule();
}

bool
Aggregator::IsMean() const
{
    return m_stages.empty() && std::holds_alternative<MeanRule>(GetRule());
}

bool
Aggregator::HasMonotoneRule() const
{
    return false;
}

int64_t
Aggregator::AssignStreams(int64_t stream)
{
    int64_t used = 0;
    for (const Ptr<PreAggregator>& stage : m_stages)
    {
        used += stage->AssignStreams(stream + used);
    }
    return used;
}

void
Aggregator::DoDispose()
{
    m_stages.clear();
    Object::DoDispose();
}

void
Aggregator::VisitState(StateArchive& archive)
{
    for (auto& stage : m_stages)
    {
        archive(stage);
    }
}

} // namespace ns3::dlearn
