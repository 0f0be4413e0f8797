/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_COORDINATE_AGGREGATORS_H
#define DLEARN_COORDINATE_AGGREGATORS_H

#include "dlearn-aggregator.h"

namespace ns3::dlearn
{

/** Coordinate-wise median: CoordinateMedian. @ingroup dlearn */
class MedianAggregator : public Aggregator
{
  public:
    static TypeId GetTypeId();

    AggregationRule GetRule() const override;

  private:
    bool HasMonotoneRule() const override { return true; }
};

/** Coordinate-wise trimmed mean: CoordinateTrimmedMean. @ingroup dlearn */
class TrimmedMeanAggregator : public Aggregator
{
  public:
    static TypeId GetTypeId();

    AggregationRule GetRule() const override;

  private:
    bool HasMonotoneRule() const override { return true; }
};

/** Coordinate-wise mean around the median: CoordinateMeamed. @ingroup dlearn */
class MeamedAggregator : public Aggregator
{
  public:
    static TypeId GetTypeId();

    AggregationRule GetRule() const override;
};

} // namespace ns3::dlearn

#endif // DLEARN_COORDINATE_AGGREGATORS_H
