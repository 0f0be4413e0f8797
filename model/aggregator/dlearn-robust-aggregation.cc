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
class Chain
{
  public:
    Chain(GramGeometry points, uint32_t f, const std::vector<PreAggregationRule>& rules)
    {
        m_points.push_back(std::move(points));
        for (const PreAggregationRule& rule : rules)
        {
            const Eigen::MatrixXd mixing = rule(m_points.back(), f);
            const uint32_t count = m_points.back().GetCount();
            Require(mixing.rows() > 0 && mixing.cols() == count,
                    "aggregation: a pre-aggregation must return rows of {} weights, one for each "
                    "vector, got {} x {}",
                    count,
                    mixing.rows(),
                    mixing.cols());
            m_mixing = m_mixing.size() > 0 ? Eigen::MatrixXd(mixing * m_mixing) : mixing;
            m_points.push_back(m_points.back().Mix(mixing));
        }
    }

    const GramGeometry& GetPoints() const { return m_points.back(); }

    /** @return weights of the first points that make the last; empty for an empty chain */
    const Eigen::MatrixXd& GetMixing() const { return m_mixing; }

  private:
    std::deque<GramGeometry> m_points; //!< each refers to the one before, so none may move
    Eigen::MatrixXd m_mixing;          //!< product of all
};

} // namespace

template <typename Scalar>
AggregationResult<Scalar>
AggregateRows(RowMatrixRef<Scalar> rows,
              uint32_t f,
              const std::vector<PreAggregationRule>& mixing,
              const AggregationRule& rule,
              const Scalar* reference)
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
    const GramMatrix known = measured ? MeasureRowProducts<Scalar>(rows, reference)
                                      : GramMatrix{FindUsableRows<Scalar>(rows), {}};
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
    if (2 * *faults >= chain.GetPoints().GetCount() && !std::holds_alternative<MeanRule>(rule))
    {
        return result; // such as too few buckets, as messages are missing
    }
    if (const auto coordinateRule = std::get_if<std::shared_ptr<const CoordinateRule>>(&rule))
    {
        Require(!reference, "aggregation: coordinate-wise rules have no reference");
        result.vector = ReduceCoordinates<Scalar>(rows,
                                                  usable.indices,
                                                  chain.GetMixing(),
                                                  *faults,
                                                  **coordinateRule);
        return result;
    }
    const auto weightRule = std::get_if<WeightRule>(&rule);
    Eigen::VectorXd weights = weightRule ? (*weightRule)(chain.GetPoints(), *faults)
                                         : GetAverageWeights(chain.GetPoints());
    Require(weights.size() == chain.GetPoints().GetCount(),
            "aggregation: a rule must return {} weights, one for each vector, got {}",
            chain.GetPoints().GetCount(),
            weights.size());
    if (!mixing.empty())
    {
        weights = chain.GetMixing().transpose() * weights;
    }
    result.vector = GetWeightedSum<Scalar>(rows, usable.indices, weights);
    if (reference)
    {
        const auto rest = static_cast<Scalar>(1 - weights.sum());
        result.vector += rest * Eigen::Map<const ColumnVector<Scalar>>(reference, rows.cols());
    }
    result.weights = Eigen::VectorXd::Zero(rows.rows());
    result.weights(usable.indices) = weights;
    return result;
}

template AggregationResult<float> AggregateRows<float>(RowMatrixRef<float>,
                                                       uint32_t,
                                                       const std::vector<PreAggregationRule>&,
                                                       const AggregationRule&,
                                                       const float*);
template AggregationResult<double> AggregateRows<double>(RowMatrixRef<double>,
                                                         uint32_t,
                                                         const std::vector<PreAggregationRule>&,
                                                         const AggregationRule&,
                                                         const double*);

} // namespace ns3::dlearn
