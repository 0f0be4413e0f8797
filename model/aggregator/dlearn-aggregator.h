/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_AGGREGATOR_H
#define DLEARN_AGGREGATOR_H

#include "dlearn-pre-aggregator.h"
#include "dlearn-robust-aggregation.h"

#include "ns3/object.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Combines n vectors, up to f of them Byzantine, into one: the interface of all aggregation
 * rules. Each configures a rule and leaves the computation to AggregateRows(). Aggregators have
 * no state that outlasts a call. Every learner that aggregates has its own aggregator.
 */
class Aggregator : public Object
{
  public:
    static TypeId GetTypeId();

    /** @param stage what to do before the rule, after the stages that were added before */
    void AddPreAggregator(Ptr<PreAggregator> stage);

    /**
     * Check f before the first vector comes.
     *
     * @param name of f, such as "RobustServer: Byzantine"
     * @param f how many vectors may be Byzantine
     * @param count how many vectors there are when none is missing
     * @param what they are, such as "workers"
     * @throw std::invalid_argument when f is not less than half of them, or of the vectors that
     *        the stages make of them, or an attribute of the rule does not fit their number
     */
    void RequireMinority(const char* name, uint32_t f, size_t count, const char* what) const;

    /**
     * @param f how many vectors may be Byzantine
     * @param count how many vectors there are when none is missing
     * @return why the rule promises nothing against so many, as a warning; empty for nothing to say
     */
    std::string FindWeakness(uint32_t f, size_t count) const;

    /**
     * @param f how many vectors may be Byzantine
     * @param all number of vectors of which each that is missing is one of the f; 0: none is
     * @return how many vectors it needs at least for an aggregate
     */
    size_t CountNeeded(uint32_t f, size_t all = 0) const;

    /**
     * Aggregate the rows of a matrix.
     *
     * @param rows n x d
     * @param f how many rows may be Byzantine
     * @return as AggregateRows(); no aggregate when 2f >= n
     * @throw std::invalid_argument otherwise as AggregateRows()
     */
    AggregationResult<double> Aggregate(RowMatrixRef<double> rows, uint32_t f) const;
    AggregationResult<float> Aggregate(RowMatrixRef<float> rows, uint32_t f) const; //!< likewise

    /**
     * Fix the streams of random numbers of all stages.
     *
     * @param stream first stream number
     * @return how many are used
     */
    int64_t AssignStreams(int64_t stream);

    /** @return the rule, with the attributes of now */
    virtual AggregationRule GetRule() const = 0;

    /**
     * Whether each entry of the aggregate depends on that entry of the rows alone, does not
     * decrease when one of them grows, and moves no farther than it did. The privacy accounts of
     * learners that aggregate their own vector with others rely on it.
     *
     * @return whether that is known, pre-aggregations included
     */
    bool IsMonotone() const;

    /** @return whether the aggregate is the mean of the usable rows */
    bool IsMean() const;

  protected:
    void DoDispose() override;

  private:
    /**
     * @return as FindWeakness(), of the rule alone; empty unless overridden
     * @throw std::invalid_argument naming an attribute that does not fit the number
     */
    virtual std::string Examine(uint32_t f, size_t count) const;

    /** @return as IsMonotone(), of the rule alone; false unless overridden */
    virtual bool HasMonotoneRule() const { return false; }

    /** @return how many vectors the stages make of so many */
    size_t CountLeft(size_t count) const;

    /** @return whether that is enough for an aggregate where f vectors may be Byzantine */
    bool IsEnough(size_t left, uint32_t f) const;

    /** @return the rules of all stages */
    std::vector<PreAggregationRule> GetMixingRules() const;

    std::vector<Ptr<PreAggregator>> m_stages; //!< attribute PreAggregators
};

} // namespace ns3::dlearn

#endif // DLEARN_AGGREGATOR_H
