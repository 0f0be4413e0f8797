/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-aggregator.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-part.h"
#include "ns3/object-vector.h"

#include <algorithm>
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
                                          "Steps before the rule, in order, added by "
                                          "AddPreAggregator().",
                                          TypeId::ATTR_GET,
                                          ObjectVectorValue(),
                                          MakeObjectVectorAccessor(&Aggregator::m_stages),
                                          MakeObjectVectorChecker<PreAggregator>());
    return tid;
}

void
Aggregator::AddPreAggregator(Ptr<PreAggregator> stage)
{
    Require(
        !IsClaimed(*this),
        GetInstanceTypeId().GetName(),
        ": pre-aggregators cannot be added after set-up, as a privacy account may rely on them");
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
    if (const auto selection = GetSelection())
    {
        rules.push_back(selection);
    }
    return rules;
}

void
Aggregator::RequireMinority(const char* name, uint32_t f, size_t count, const char* what) const
{
    Require(2 * size_t{f} < count,
            "{} must be less than half of the {} {}, got {}",
            name,
            count,
            what,
            f);
    const size_t left = CountLeft(count);
    Examine(f, left);
    Require(IsEnough(left, f),
            "{} must be less than half of the {} vectors that the pre-aggregators make of the {} "
            "{}, got {}",
            name,
            left,
            count,
            what,
            f);
}

std::string
Aggregator::FindWeakness(uint32_t f, size_t count) const
{
    return Examine(f, CountLeft(count));
}

size_t
Aggregator::CountLeft(size_t count) const
{
    for (const Ptr<PreAggregator>& stage : m_stages)
    {
        count = stage->CountVectors(count);
    }
    return count;
}

bool
Aggregator::IsEnough(size_t left, uint32_t f) const
{
    return left >= CountLeast(f) || std::holds_alternative<MeanRule>(GetRule());
}

size_t
Aggregator::CountNeeded(uint32_t f, size_t all) const
{
    const size_t least = 2 * size_t{f} + 1;
    const auto isEnough = [&](size_t count) {
        const size_t missing = all > count ? all - count : 0;
        return IsEnough(CountLeft(count), f - static_cast<uint32_t>(std::min<size_t>(f, missing)));
    };
    size_t count = least;
    while (!isEnough(count) && count < 1000 * least) // stages may leave few vectors
    {
        ++count;
    }
    return count;
}

namespace
{

/** See Aggregator::Aggregate(). */
template <typename Scalar>
AggregationResult<Scalar>
AggregateIfEnough(RowMatrixRef<Scalar> rows,
                  uint32_t f,
                  const std::vector<PreAggregationRule>& mixing,
                  const AggregationRule& rule)
{
    if (f > 0 && 2 * static_cast<Eigen::Index>(f) >= rows.rows())
    {
        return {};
    }
    return AggregateRows<Scalar>(rows, f, mixing, rule);
}

} // namespace

AggregationResult<double>
Aggregator::Aggregate(RowMatrixRef<double> rows, uint32_t f) const
{
    return AggregateIfEnough<double>(rows, f, GetMixingRules(), GetRule());
}

AggregationResult<float>
Aggregator::Aggregate(RowMatrixRef<float> rows, uint32_t f) const
{
    return AggregateIfEnough<float>(rows, f, GetMixingRules(), GetRule());
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

} // namespace ns3::dlearn
