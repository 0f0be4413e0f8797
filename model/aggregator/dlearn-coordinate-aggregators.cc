/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-coordinate-aggregators.h"

#include "ns3/dlearn-state-archive.h"

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(MedianAggregator);
DLEARN_STATE_ENSURE_REGISTERED(MedianAggregator);
NS_OBJECT_ENSURE_REGISTERED(TrimmedMeanAggregator);
DLEARN_STATE_ENSURE_REGISTERED(TrimmedMeanAggregator);
NS_OBJECT_ENSURE_REGISTERED(MeamedAggregator);
DLEARN_STATE_ENSURE_REGISTERED(MeamedAggregator);

TypeId
MedianAggregator::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::MedianAggregator")
                            .SetParent<Aggregator>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<MedianAggregator>();
    return tid;
}

AggregationRule
MedianAggregator::GetRule() const
{
    return std::make_shared<const CoordinateMedian>();
}

bool
MedianAggregator::HasMonotoneRule() const
{
    return true;
}

TypeId
TrimmedMeanAggregator::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::TrimmedMeanAggregator")
                            .SetParent<Aggregator>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<TrimmedMeanAggregator>();
    return tid;
}

AggregationRule
TrimmedMeanAggregator::GetRule() const
{
    return std::make_shared<const CoordinateTrimmedMean>();
}

bool
TrimmedMeanAggregator::HasMonotoneRule() const
{
    return true;
}

TypeId
MeamedAggregator::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::MeamedAggregator")
                            .SetParent<Aggregator>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<MeamedAggregator>();
    return tid;
}

AggregationRule
MeamedAggregator::GetRule() const
{
    return std::make_shared<const CoordinateMeamed>();
}

} // namespace ns3::dlearn
