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
 * Combines n vectors, up to f of them Byzantine, into one: the interface of all aggregation rules.
 * Subclasses configure a rule; AggregateRows() computes. Aggregators keep no state between calls.
 * Every learner that aggregates has its own aggregator.
 */
class Aggregator : public Object
{
  public:
    static TypeId GetTypeId();

    /** @param stage step before the rule, after the stages that were added before */
    void AddPreAggregator(Ptr<PreAggregator> stage);

    /**
     * Check f before the first vector comes.
     *
     * @param name of f, such as "RobustServer: Byzantine"
     * @param f how many vectors may be Byzantine
     * @param count number of vectors when none is missing
     * @param what owners of the vectors, such as "workers"
     * @throw std::invalid_argument when f is not less than half of the vectors, before or after the
     *        stages, or an attribute of the rule does not fit their number
     */
    void RequireMinority(const char* name, uint32_t f, size_t count, const char* what) const;

    /**
     * @param f number of vectors that may be Byzantine
     * @param count number of vectors when none is missing
     * @return a warning that the rule is not proven to withstand f vectors; empty: none
     */
    std::string FindWeakness(uint32_t f, size_t count) const;

    /**
     * @param f number of vectors that may be Byzantine
     * @param all number of vectors, if each missing one counts as Byzantine; 0: none counts
     * @return least number of vectors for an aggregate
     */
    size_t CountNeeded(uint32_t f, size_t all = 0) const;

    /**
     * Aggregate the rows of a matrix.
     *
     * @param rows n x d
     * @param f number of rows that may be Byzantine
     * @return as AggregateRows(), but no aggregate when 2f >= n
     */
    AggregationResult<double> Aggregate(RowMatrixRef<double> rows, uint32_t f) const;
    AggregationResult<float> Aggregate(RowMatrixRef<float> rows,
                                       uint32_t f) const; //!< the same for floats

    /**
     * Fix the streams of random numbers of all stages.
     *
     * @param stream first stream number
     * @return how many are used
     */
    int64_t AssignStreams(int64_t stream);

    /** @return the rule, with the present attributes */
    virtual AggregationRule GetRule() const = 0;

    /**
     * @return whether each entry of the aggregate is known to depend on that entry of the rows
     * alone, to not decrease when one of them grows, and to move no farther than it, with all
     *         stages. The privacy accounts of learners that aggregate their own vector rely on it.
     */
    bool IsMonotone() const { return m_stages.empty() && HasMonotoneRule(); }

    /** @return whether the aggregate is the mean of the usable rows */
    bool IsMean() const { return m_stages.empty() && std::holds_alternative<MeanRule>(GetRule()); }

  protected:
    void DoDispose() override;

  private:
    /**
     * @return as FindWeakness(), of the rule alone; empty unless overridden
     * @throw std::invalid_argument naming an attribute that does not fit the number
     */
    virtual std::string Examine(uint32_t /* f */, size_t /* count */) const { return ""; }

    /** @return a last step before the rule, which belongs to it; null unless overridden */
    virtual PreAggregationRule GetSelection() const { return nullptr; }

    /** @return fewest vectors for an aggregate by the rule alone; 2f + 1 unless overridden */
    virtual size_t CountLeast(uint32_t f) const { return 2 * size_t{f} + 1; }

    /** @return as IsMonotone(), of the rule alone; false unless overridden */
    virtual bool HasMonotoneRule() const { return false; }

    size_t CountLeft(size_t count) const;

    bool IsEnough(size_t left, uint32_t f) const;

    std::vector<PreAggregationRule> GetMixingRules() const;

    std::vector<Ptr<PreAggregator>> m_stages; //!< attribute PreAggregators
};

} // namespace ns3::dlearn

#endif // DLEARN_AGGREGATOR_H
