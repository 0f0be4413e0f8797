/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PRE_AGGREGATOR_H
#define DLEARN_PRE_AGGREGATOR_H

#include "dlearn-mixing-rules.h"
#include "dlearn-robust-aggregation.h"

#include "ns3/object.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * One stage before an Aggregator: configures a mixing rule.
 */
class PreAggregator : public Object
{
  public:
    static TypeId GetTypeId();

    /** @return the rule, with the attributes of now; valid as long as this object */
    virtual PreAggregationRule GetRule() = 0;

    /**
     * @param count number of vectors
     * @return how many it makes of them; as many unless overridden
     */
    virtual size_t CountVectors(size_t count) const { return count; }

    /**
     * Fix the streams of random numbers.
     *
     * @param stream first stream number
     * @return how many are used; none unless overridden
     */
    virtual int64_t AssignStreams(int64_t stream);
};

/** Nearest-neighbour mixing: GetNnmMixing(). @ingroup dlearn */
class NnmPreAggregator : public PreAggregator
{
  public:
    static TypeId GetTypeId();

    PreAggregationRule GetRule() override { return GetNnmMixing; }
};

/**
 * @ingroup dlearn
 * Bucketing: GetBucketingMixing(), in a new random order each time unless one is set.
 */
class BucketingPreAggregator : public PreAggregator
{
  public:
    static TypeId GetTypeId();

    BucketingPreAggregator();
    ~BucketingPreAggregator() override;

    PreAggregationRule GetRule() override;

    size_t CountVectors(size_t count) const override { return (count + m_size - 1) / m_size; }

    int64_t AssignStreams(int64_t stream) override;

  private:
    /** @return the order of so many points */
    std::vector<uint32_t> GetOrder(uint32_t count);

    uint32_t m_size{2};                  //!< S
    std::string m_permutation;           //!< as the user wrote it
    Ptr<UniformRandomVariable> m_random; //!< draws orders
};

/** Norm clipping: GetClippingMixing(). @ingroup dlearn */
class ClippingPreAggregator : public PreAggregator
{
  public:
    static TypeId GetTypeId();

    PreAggregationRule GetRule() override;

  private:
    double m_threshold{2}; //!< C
};

/** Adaptive robust clipping: GetArcMixing(). @ingroup dlearn */
class ArcPreAggregator : public PreAggregator
{
  public:
    static TypeId GetTypeId();

    PreAggregationRule GetRule() override { return GetArcMixing; }
};

} // namespace ns3::dlearn

#endif // DLEARN_PRE_AGGREGATOR_H
