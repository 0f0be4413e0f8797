/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-neighbor-combiner.h"

#include "dlearn-inbox-sums.h"

#include "ns3/dlearn-check.h"

#include <limits>
#include <utility>

namespace ns3::dlearn
{

NeighborCombiner::NeighborCombiner(Graph::Row neighbors)
    : m_neighbors(std::move(neighbors))
{
}

NeighborCombiner::~NeighborCombiner() = default;

ModelVector
WeightedMixing::Mix(const ModelVector& own, double coupling, const Inbox& inbox)
{
    return MixHeard(own, m_neighbors, inbox, ModelChannel::STATE, coupling);
}

void
WeightedMixing::RecordCouplings(double coupling, const Inbox& inbox, UpdateEvent& event) const
{
    const HeardWeight heard = MeasureHeard(m_neighbors, inbox, ModelChannel::STATE);
    event.nominalCoupling = coupling * heard.all;
    event.realisedCoupling = coupling * heard.complete;
    event.partialCoupling = coupling * heard.partial;
}

RobustMixing::RobustMixing(Graph::Row neighbors,
                           Ptr<const Aggregator> aggregator,
                           uint32_t byzantine,
                           Missing missing)
    : NeighborCombiner(std::move(neighbors)),
      m_aggregator(aggregator),
      m_byzantine(byzantine),
      m_missing(missing)
{
    Require(m_aggregator != nullptr, "RobustMixing: there must be an aggregator");
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
    // The row of a missing neighbour that was Byzantine stays NaN, which costs one of the f.
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
        count += whole || m_missing == Missing::BYZANTINE ? 1 : 0;
    }
    const auto result = m_aggregator->Aggregate(rows.topRows(count), m_byzantine);
    if (!result.IsUsable())
    {
        ++m_skipped;
        return own;
    }
    return own + coupling * SumWeights(m_neighbors) * result.vector;
}

void
RobustMixing::RecordCouplings(double coupling, const Inbox& /* inbox */, UpdateEvent& event) const
{
    event.nominalCoupling = 0;
    event.realisedCoupling = 0;
    event.partialCoupling = 0;
    event.openCoupling = coupling * SumWeights(m_neighbors);
}

bool
RobustMixing::IsAccountable() const
{
    return m_aggregator->IsMonotone();
}

} // namespace ns3::dlearn
