/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PRE_AGGREGATOR_H
#define DLEARN_PRE_AGGREGATOR_H

/**
 * @file
 * Pre-aggregations replace n points by m points, each a weighted sum of the given ones. Each rule
 * returns these weights, m x n; no vector is computed: the next rule works on the geometry of the
 * mixed points, and the final result is a weighted sum of the given points. A row of weights that
 * sums to less than 1 pulls its point towards the origin. All refuse arguments out of range with
 * std::invalid_argument.
 */

#include "dlearn-gram-geometry.h"
#include "dlearn-robust-aggregation.h"

#include "ns3/object.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * Nearest-neighbour mixing: each point becomes the mean of the n - f nearest to it, itself
 * included; of equal distances, the first count.
 *
 * Allouah, Farhadkhani, Guerraoui, Gupta, Pinot and Stephan 2023, "Fixing by Mixing: A Recipe
 * for Optimal Byzantine ML under Heterogeneity", AISTATS.
 *
 * @param f number of Byzantine points, less than n
 * @return n x n weights
 */
Eigen::MatrixXd GetNnmMixing(const GramGeometry& points, uint32_t f);

/**
 * Bucketing: points in the given order, cut into buckets of s; each becomes its mean. The last
 * bucket has n mod s points, if that is not 0.
 *
 * Karimireddy, He and Jaggi 2022, "Byzantine-Robust Learning on Heterogeneous Datasets via
 * Bucketing", ICLR.
 *
 * @param count n
 * @param size s, at least 1
 * @param permutation all of 0 to n - 1; larger numbers are skipped
 * @return ceil(n / s) x n weights
 * @throw std::invalid_argument when numbers of the permutation are missing
 */
Eigen::MatrixXd GetBucketingMixing(Eigen::Index count,
                                   uint32_t size,
                                   const std::vector<uint32_t>& permutation);

/**
 * Norm clipping: points longer than c are scaled to c.
 *
 * @param threshold c, greater than 0
 * @return n x n weights, diagonal
 */
Eigen::MatrixXd GetClippingMixing(const GramGeometry& points, double threshold);

/**
 * Clipping to GetMedianNorm(), as FLAME does (Nguyen et al. 2022, "FLAME: Taming Backdoors in
 * Federated Learning", USENIX Security, section 4.3). Needs no f: fewer than half of the norms do
 * not move the median beyond the others.
 *
 * @return n x n weights, diagonal
 */
Eigen::MatrixXd GetMedianClippingMixing(const GramGeometry& points, uint32_t f);

/**
 * The selection of Bulyan: n - 2f times, Krum takes the point of lowest score of those that are not
 * taken, where a score counts the m - f - 2 nearest of m such points, at least one.
 *
 * El Mhamdi, Guerraoui and Rouault 2018, "The Hidden Vulnerability of Distributed Learning in
 * Byzantium", ICML, section 4.
 *
 * @param f number of Byzantine points, less than n / 2
 * @return (n - 2f) x n weights, each row that of one point
 */
Eigen::MatrixXd SelectByKrum(const GramGeometry& points, uint32_t f);

/**
 * Adaptive robust clipping: the floor(2 (f / n) (n - f)) longest points are scaled to the norm
 * of the longest of the others. The product is rounded as ByzFL does it, in double from the
 * left, which for n = 242, f = 33 is one less than the exact number.
 *
 * Allouah, Guerraoui, Gupta, Jellouli, Rizk and Stephan 2025, "Adaptive Gradient Clipping for
 * Robust Federated Learning", ICLR.
 *
 * @param f number of Byzantine points, at most n / 2
 * @return n x n weights, diagonal
 */
Eigen::MatrixXd GetArcMixing(const GramGeometry& points, uint32_t f);

/** One stage before an Aggregator: configures a mixing rule. @ingroup dlearn */
class PreAggregator : public Object
{
  public:
    static TypeId GetTypeId();

    /** @return the rule, with the present attributes; valid as long as this object */
    virtual PreAggregationRule GetRule() = 0;

    /** @return number of vectors that replace @p count; as many unless overridden */
    virtual size_t CountVectors(size_t count) const { return count; }

    /**
     * Fix the streams of random numbers.
     *
     * @param stream first stream number
     * @return how many are used; none unless overridden
     */
    virtual int64_t AssignStreams(int64_t /* stream */) { return 0; }
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

    PreAggregationRule GetRule() override;

    size_t CountVectors(size_t count) const override { return (count + m_size - 1) / m_size; }

    int64_t AssignStreams(int64_t stream) override
    {
        m_random->SetStream(stream);
        return 1;
    }

  private:
    std::vector<uint32_t> GetOrder(uint32_t count);

    uint32_t m_size{2};        //!< S
    std::string m_permutation; //!< as the user wrote it
    Ptr<UniformRandomVariable> m_random{CreateObject<UniformRandomVariable>()}; //!< draws orders
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

/** Clipping to the median norm: GetMedianClippingMixing(). @ingroup dlearn */
class MedianClippingPreAggregator : public PreAggregator
{
  public:
    static TypeId GetTypeId();

    PreAggregationRule GetRule() override { return GetMedianClippingMixing; }
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
