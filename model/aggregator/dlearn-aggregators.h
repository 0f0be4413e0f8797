/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_AGGREGATORS_H
#define DLEARN_AGGREGATORS_H

#include "dlearn-aggregator.h"
#include "dlearn-weight-rules.h"

namespace ns3::dlearn
{

/** Coordinate-wise median: CoordinateMedian. @ingroup dlearn */
class MedianAggregator : public Aggregator
{
  public:
    static TypeId GetTypeId();

    AggregationRule GetRule() const override { return std::make_shared<CoordinateMedian>(); }

  private:
    bool HasMonotoneRule() const override { return true; }
};

/** Coordinate-wise trimmed mean: CoordinateTrimmedMean. @ingroup dlearn */
class TrimmedMeanAggregator : public Aggregator
{
  public:
    static TypeId GetTypeId();

    AggregationRule GetRule() const override { return std::make_shared<CoordinateTrimmedMean>(); }

  private:
    bool HasMonotoneRule() const override { return true; }
};

/** Coordinate-wise mean around the median: CoordinateMeamed. @ingroup dlearn */
class MeamedAggregator : public Aggregator
{
  public:
    static TypeId GetTypeId();

    AggregationRule GetRule() const override { return std::make_shared<CoordinateMeamed>(); }
};

/** The mean, which one Byzantine vector can move anywhere: GetAverageWeights(). @ingroup dlearn */
class AverageAggregator : public Aggregator
{
  public:
    static TypeId GetTypeId();

    AggregationRule GetRule() const override { return MeanRule(); }

  private:
    bool HasMonotoneRule() const override { return true; }
};

/** Krum: GetMultiKrumWeights() of one vector. @ingroup dlearn */
class KrumAggregator : public Aggregator
{
  public:
    static TypeId GetTypeId();

    AggregationRule GetRule() const override;

  private:
    std::string Examine(uint32_t f, size_t count) const override;

    uint32_t m_margin{1}; //!< neighbours less than n - f
};

/** Multi-Krum: GetMultiKrumWeights(). @ingroup dlearn */
class MultiKrumAggregator : public Aggregator
{
  public:
    static TypeId GetTypeId();

    AggregationRule GetRule() const override;

  private:
    std::string Examine(uint32_t f, size_t count) const override;

    uint32_t m_margin{1};   //!< neighbours less than n - f
    uint32_t m_selected{0}; //!< M
};

/**
 * @ingroup dlearn
 * Bulyan: SelectByKrum(), then CoordinateMeamed with c = 2. It needs more than 4f vectors, and is
 * proven for at least 4f + 3.
 */
class BulyanAggregator : public Aggregator
{
  public:
    static TypeId GetTypeId();

    AggregationRule GetRule() const override { return std::make_shared<CoordinateMeamed>(2); }

  private:
    std::string Examine(uint32_t f, size_t count) const override;

    PreAggregationRule GetSelection() const override { return SelectByKrum; }

    size_t CountLeast(uint32_t f) const override { return 4 * size_t{f} + 1; }
};

/** FLAME without its noise: GetFlameWeights(). @ingroup dlearn */
class FlameAggregator : public Aggregator
{
  public:
    static TypeId GetTypeId();

    AggregationRule GetRule() const override { return GetFlameWeights; }
};

/** Geometric median: GetGeometricMedianWeights(). @ingroup dlearn */
class GeometricMedianAggregator : public Aggregator
{
  public:
    static TypeId GetTypeId();

    AggregationRule GetRule() const override;

  private:
    double m_tolerance{1e-13};    //!< of a step
    uint32_t m_iterations{10000}; //!< at most
};

/** A few steps towards the geometric median: GetSmoothedWeiszfeldWeights(). @ingroup dlearn */
class SmoothedWeiszfeldAggregator : public Aggregator
{
  public:
    static TypeId GetTypeId();

    AggregationRule GetRule() const override;

  private:
    double m_nu{0.1};    //!< nu
    uint32_t m_steps{3}; //!< T
};

/** Centred clipping from the origin: GetCenteredClippingWeights(). @ingroup dlearn */
class CenteredClippingAggregator : public Aggregator
{
  public:
    static TypeId GetTypeId();

    AggregationRule GetRule() const override;

  private:
    double m_tau{100};   //!< tau
    uint32_t m_steps{1}; //!< L
};

/** Minimum diameter averaging: GetMdaWeights(). @ingroup dlearn */
class MdaAggregator : public Aggregator
{
  public:
    static TypeId GetTypeId();

    AggregationRule GetRule() const override { return GetMdaWeights; }
};

/** Smallest maximum eigenvalue averaging: GetSmeaWeights(). @ingroup dlearn */
class SmeaAggregator : public Aggregator
{
  public:
    static TypeId GetTypeId();

    AggregationRule GetRule() const override { return GetSmeaWeights; }
};

/** Covariance-bound agnostic filter: FilterByCovariance(). @ingroup dlearn */
class CafAggregator : public Aggregator
{
  public:
    static TypeId GetTypeId();

    AggregationRule GetRule() const override;
};

} // namespace ns3::dlearn

#endif // DLEARN_AGGREGATORS_H
