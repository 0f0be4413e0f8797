/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-coordinate-aggregators.h"

#include "ns3/dlearn-type-id.h"

namespace ns3::dlearn
{

DLEARN_TYPE_WITHOUT_ATTRIBUTES(MedianAggregator, Aggregator);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(TrimmedMeanAggregator, Aggregator);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(MeamedAggregator, Aggregator);

AggregationRule
MedianAggregator::GetRule() const
{
    return std::make_shared<const CoordinateMedian>();
}

AggregationRule
TrimmedMeanAggregator::GetRule() const
{
    return std::make_shared<const CoordinateTrimmedMean>();
}

AggregationRule
MeamedAggregator::GetRule() const
{
    return std::make_shared<const CoordinateMeamed>();
}

} // namespace ns3::dlearn
