/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_WEIGHT_AGGREGATORS_H
#define DLEARN_WEIGHT_AGGREGATORS_H

#include "dlearn-aggregator.h"

namespace ns3::dlearn
{

/** @ingroup dlearn The mean, which one Byzantine vector can move anywhere: GetAverageWeights(). */
class AverageAggregator : public Aggregator
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    AggregationRule GetRule() const override;

  private:
    bool HasMonotoneRule() const override;
};

/** @ingroup dlearn Krum: GetMultiKrumWeights() of one vector. */
class KrumAggregator : public Aggregator
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    AggregationRule GetRule() const override;

  private:
    uint32_t m_margin{1}; //!< neighbours less than n - f
};

/** @ingroup dlearn Multi-Krum: GetMultiKrumWeights(). */
class MultiKrumAggregator : public Aggregator
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    AggregationRule GetRule() const override;

  private:
    uint32_t m_margin{1};   //!< neighbours less than n - f
    uint32_t m_selected{0}; //!< M
};

/** @ingroup dlearn Geometric median: GetGeometricMedianWeights(). */
class GeometricMedianAggregator : public Aggregator
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    AggregationRule GetRule() const override;

  private:
    double m_tolerance{1e-13};    //!< of a step
    uint32_t m_iterations{10000}; //!< at most
};

/** @ingroup dlearn A few steps towards the geometric median: GetSmoothedWeiszfeldWeights(). */
class SmoothedWeiszfeldAggregator : public Aggregator
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    AggregationRule GetRule() const override;

  private:
    double m_nu{0.1};    //!< nu
    uint32_t m_steps{3}; //!< T
};

/** @ingroup dlearn Centred clipping from the origin: GetCenteredClippingWeights(). */
class CenteredClippingAggregator : public Aggregator
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    AggregationRule GetRule() const override;

  private:
    double m_tau{100};   //!< tau
    uint32_t m_steps{1}; //!< L
};

/** @ingroup dlearn Minimum diameter averaging: GetMdaWeights(). */
class MdaAggregator : public Aggregator
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    AggregationRule GetRule() const override;
};

/** @ingroup dlearn Smallest maximum eigenvalue averaging: GetSmeaWeights(). */
class SmeaAggregator : public Aggregator
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    AggregationRule GetRule() const override;
};

/** @ingroup dlearn Covariance-bound agnostic filter: FilterByCovariance(). */
class CafAggregator : public Aggregator
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    AggregationRule GetRule() const override;
};

} // namespace ns3::dlearn

#endif // DLEARN_WEIGHT_AGGREGATORS_H
