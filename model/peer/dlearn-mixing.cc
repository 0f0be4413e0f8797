/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-mixing.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/double.h"

#include <limits>
#include <utility>

namespace ns3::dlearn
{

double
SumWeights(const Graph::Row& row)
{
    double sum = 0;
    for (const auto& [neighbor, weight] : row)
    {
        sum += weight;
    }
    return sum;
}

HeardWeight
MeasureHeard(const Graph::Row& row, const Inbox& inbox, ModelChannel channel)
{
    HeardWeight heard;
    for (const auto& [neighbor, weight] : row)
    {
        const Arrival* arrival = inbox.Find(neighbor, channel);
        heard.all += weight;
        heard.complete += arrival && arrival->IsComplete() ? weight : 0;
        heard.partial += arrival && !arrival->IsComplete() ? weight : 0;
    }
    return heard;
}

ModelVector
MixHeard(const ModelVector& own,
         const Graph::Row& row,
         const Inbox& inbox,
         ModelChannel channel,
         double coupling)
{
    ModelVector mixture = own;
    for (const auto& [neighbor, weight] : row)
    {
        const Arrival* arrival = inbox.Find(neighbor, channel);
        if (!arrival)
        {
            continue;
        }
        const double factor = coupling * weight;
        if (arrival->IsComplete())
        {
            mixture += factor * (arrival->values - own);
            continue;
        }
        for (Eigen::Index k = 0; k < own.size(); ++k)
        {
            if (arrival->present[static_cast<size_t>(k)])
            {
                mixture[k] += factor * (arrival->values[k] - own[k]);
            }
        }
    }
    return mixture;
}

RobustMixing::RobustMixing(Graph::Row neighbors,
                           Ptr<const Aggregator> aggregator,
                           uint32_t byzantine,
                           bool missingAreByzantine)
    : m_neighbors(std::move(neighbors)),
      m_aggregator(aggregator),
      m_byzantine(byzantine),
      m_missingAreByzantine(missingAreByzantine)
{
    if (!m_neighbors.empty())
    {
        m_aggregator->RequireMinority("RobustMixing: Byzantine",
                                      byzantine,
                                      1 + m_neighbors.size(),
                                      "vectors of a learner and its neighbours");
    }
}

ModelVector
RobustMixing::Mix(const ModelVector& own, double coupling, const Inbox& inbox)
{
    if (m_neighbors.empty())
    {
        return own;
    }
    // The row of a missing neighbour that counts as Byzantine stays NaN.
    RowMatrix<double> rows = RowMatrix<double>::Constant(1 + m_neighbors.size(),
                                                         own.size(),
                                                         std::numeric_limits<double>::quiet_NaN());
    rows.row(0).setZero();
    Eigen::Index count = 1;
    for (const auto& [neighbor, weight] : m_neighbors)
    {
        const Arrival* arrival = inbox.Find(neighbor, ModelChannel::STATE);
        const bool whole = arrival && arrival->IsComplete();
        if (whole)
        {
            rows.row(count) = (arrival->values - own).transpose();
        }
        count += whole || m_missingAreByzantine ? 1 : 0;
    }
    const auto result = m_aggregator->Aggregate(rows.topRows(count), m_byzantine);
    if (!result.IsUsable())
    {
        ++m_skipped;
        return own;
    }
    return own + coupling * SumWeights(m_neighbors) * result.vector;
}

DLEARN_TYPE_WITHOUT_ATTRIBUTES(Projection, Object);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(NoProjection, Projection);
NS_OBJECT_ENSURE_REGISTERED(BallProjection);
NS_OBJECT_ENSURE_REGISTERED(BoxProjection);

TypeId
BallProjection::GetTypeId()
{
    static TypeId tid = MakeTypeId<BallProjection, Projection>("ns3::dlearn::BallProjection")
                            .AddAttribute("Radius",
                                          "Largest Euclidean norm of a model, greater than 0.",
                                          DoubleValue(1e5),
                                          MakeDoubleAccessor(&BallProjection::m_radius),
                                          MakeDoubleChecker<double>(0.0));
    return tid;
}

void
BallProjection::Project(VectorRef model) const
{
    RequirePositive("BallProjection", "Radius", m_radius);
    // The stable norm does not overflow where a square would.
    const double norm = model.stableNorm();
    if (norm > m_radius)
    {
        model *= m_radius / norm;
    }
}

TypeId
BoxProjection::GetTypeId()
{
    static TypeId tid = MakeTypeId<BoxProjection, Projection>("ns3::dlearn::BoxProjection")
                            .AddAttribute("Lower",
                                          "Smallest value of an entry.",
                                          DoubleValue(-1.0),
                                          MakeDoubleAccessor(&BoxProjection::m_lower),
                                          MakeDoubleChecker<double>())
                            .AddAttribute("Upper",
                                          "Largest value of an entry.",
                                          DoubleValue(1.0),
                                          MakeDoubleAccessor(&BoxProjection::m_upper),
                                          MakeDoubleChecker<double>());
    return tid;
}

void
BoxProjection::Project(VectorRef model) const
{
    Require(m_lower <= m_upper,
            "BoxProjection: Lower must be at most Upper, got {} and {}",
            m_lower,
            m_upper);
    model = model.cwiseMax(m_lower).cwiseMin(m_upper);
}

} // namespace ns3::dlearn
