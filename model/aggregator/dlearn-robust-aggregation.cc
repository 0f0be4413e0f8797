/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-robust-aggregation.h"

#include "dlearn-weight-rules.h"

#include "ns3/dlearn-check.h"

#include <deque>

namespace ns3::dlearn
{

namespace
{

/** A chain of pre-aggregations, applied. */
struct Chain
{
    Chain(GramGeometry first, uint32_t f, const std::vector<PreAggregationRule>& rules)
    {
        points.push_back(std::move(first));
        for (const PreAggregationRule& rule : rules)
        {
            const Eigen::MatrixXd step = rule(points.back(), f);
            const uint32_t count = points.back().GetCount();
            Require(step.rows() > 0 && step.cols() == count,
                    "aggregation: a pre-aggregation must return rows of {} weights, one for each "
                    "vector, got {} x {}",
                    count,
                    step.rows(),
                    step.cols());
            mixing = mixing.size() > 0 ? Eigen::MatrixXd(step * mixing) : step;
            points.push_back(points.back().Mix(step));
        }
    }

    std::deque<GramGeometry> points; //!< each refers to the one before, so none may move
    Eigen::MatrixXd mixing;          //!< weights of the first points that make the last; or empty
};

} // namespace

template <typename Scalar>
AggregationResult<Scalar>
AggregateRows(RowMatrixRef<Scalar> rows,
              uint32_t f,
              const std::vector<PreAggregationRule>& mixing,
              const AggregationRule& rule)
{
    Require(rows.rows() > 0 && rows.cols() > 0,
            "aggregation: there must be at least 1 vector of at least 1 number, got {} of {}",
            rows.rows(),
            rows.cols());
    Require(2 * static_cast<Eigen::Index>(f) < rows.rows(),
            "aggregation: f must be less than half of the n={} vectors, got {}",
            rows.rows(),
            f);
    const bool measured = !mixing.empty() || std::holds_alternative<WeightRule>(rule);
    const GramMatrix known =
        measured ? MeasureRowProducts<Scalar>(rows) : GramMatrix{FindUsableRows<Scalar>(rows), {}};
    const UsableRows& usable = known.usable;
    AggregationResult<Scalar> result;
    result.used = usable.indices.size();
    result.excluded = usable.excluded;
    const auto faults = GetRemainingFaults(f, usable);
    if (!faults)
    {
        return result;
    }
    const Chain chain(GramGeometry(result.used, [&] { return known.products; }), *faults, mixing);
    if (2 * *faults >= chain.points.back().GetCount() && !std::holds_alternative<MeanRule>(rule))
    {
        return result; // such as too few buckets, as messages are missing
    }
    if (const auto coordinateRule = std::get_if<std::shared_ptr<const CoordinateRule>>(&rule))
    {
        result.vector = ReduceCoordinates<Scalar>(rows,
                                                  usable.indices,
                                                  chain.mixing,
                                                  *faults,
                                                  **coordinateRule);
        return result;
    }
    const auto weightRule = std::get_if<WeightRule>(&rule);
    Eigen::VectorXd weights = weightRule ? (*weightRule)(chain.points.back(), *faults)
                                         : GetAverageWeights(chain.points.back());
    Require(weights.size() == chain.points.back().GetCount(),
            "aggregation: a rule must return {} weights, one for each vector, got {}",
            chain.points.back().GetCount(),
            weights.size());
    if (!mixing.empty())
    {
        weights = chain.mixing.transpose() * weights;
    }
    result.vector = GetWeightedSum<Scalar>(rows, usable.indices, weights);
    result.weights = Eigen::VectorXd::Zero(rows.rows());
    result.weights(usable.indices) = weights;
    return result;
}

template AggregationResult<float> AggregateRows<float>(RowMatrixRef<float>,
                                                       uint32_t,
                                                       const std::vector<PreAggregationRule>&,
                                                       const AggregationRule&);
template AggregationResult<double> AggregateRows<double>(RowMatrixRef<double>,
                                                         uint32_t,
                                                         const std::vector<PreAggregationRule>&,
                                                         const AggregationRule&);

} // namespace ns3::dlearn
