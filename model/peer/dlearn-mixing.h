/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_MIXING_H
#define DLEARN_MIXING_H

#include "ns3/dlearn-aggregator.h"
#include "ns3/dlearn-graph.h"
#include "ns3/dlearn-message.h"
#include "ns3/dlearn-types.h"
#include "ns3/object.h"

#include <cstdint>
#include <string>

/** @file
 *  Weighted sums of the vectors that arrived in a round. */

namespace ns3::dlearn
{

/** @ingroup dlearn
 *  The weights of the neighbours whose vectors arrived in a round. */
struct HeardWeight
{
    double all{0};      //!< sum over all neighbours
    double complete{0}; //!< sum over those whose vector arrived completely
    double partial{0};  //!< sum over those whose vector arrived in part
};

/** @return the sum of the weights of a row */
double SumWeights(const Graph::Row& row);

/** @return the weights of a row that arrived on a channel */
HeardWeight MeasureHeard(const Graph::Row& row, const Inbox& inbox, ModelChannel channel);

/**
 * @ingroup dlearn
 * own + coupling sum_j w_j (arrived_j - own) over the entries that arrived, in increasing order of
 * the neighbours. A missing entry leaves its weight to the learner's own vector.
 *
 * @param own the learner's own vector, d entries
 * @param row weights w_j of the neighbours
 * @param inbox messages of the round, of d entries
 * @param channel of the vectors
 * @param coupling factor on all weights
 * @return the mixture
 */
ModelVector MixHeard(const ModelVector& own,
                     const Graph::Row& row,
                     const Inbox& inbox,
                     ModelChannel channel,
                     double coupling);

/**
 * @ingroup dlearn
 * A step towards a robust aggregate in place of the weighted sum:
 *
 *   own + gamma_t (sum_j w_ij) (R(own, y_1, ..., y_k; f) - own),
 *
 * with R an Aggregator, k in-neighbours and at most f of them Byzantine. R works on the
 * differences y_j - own: for rules with an origin (centred clipping, norm clipping) it is the
 * learner's own vector, as in He, Karimireddy and Jaggi 2022, "Byzantine-robust decentralized
 * learning via ClippedGossip"; other rules do not depend on it.
 *
 * A neighbour whose vector is missing or incomplete is left out. With missingAreByzantine it counts
 * as one of the f: the others are aggregated with f less the number of those left out. That is safe
 * if only Byzantine neighbours withhold vectors; for every honest vector that the network loses, a
 * forged one may stay untrimmed. Otherwise f stays. With fewer than 2f + 1 vectors, own included,
 * nothing is mixed in this round, and GetSkipped() counts it.
 *
 * Privacy: when R is a coordinate-wise rule that does not decrease in its inputs and moves no
 * farther than they do (Aggregator::IsMonotone()), then with c = gamma_t sum_j w_ij and the
 * messages given, each entry of the mixture is a function of the same entry of own with a slope
 * in [1 - c, 1]. The same holds for a skipped round. The account therefore assumes a coupling
 * between 0 and c, which may differ from entry to entry. For other rules, and after a
 * pre-aggregation, no account is possible: a small change of the own vector may change the choice
 * of neighbours.
 */
class RobustMixing
{
  public:
    /**
     * @param neighbors the in-neighbours and their weights
     * @param aggregator R
     * @param byzantine f; 2f must be less than the number of vectors, own included
     * @param missingAreByzantine whether a neighbour without a complete vector is one of the f
     * @throw std::invalid_argument when there is no R, or f is too large
     */
    RobustMixing(Graph::Row neighbors,
                 Ptr<const Aggregator> aggregator,
                 uint32_t byzantine,
                 bool missingAreByzantine = true);

    /**
     * @param own the learner's own vector, d numbers
     * @param coupling gamma_t, factor on all weights
     * @param inbox messages of the round, of d numbers
     * @return the mixture, d numbers
     */
    ModelVector Mix(const ModelVector& own, double coupling, const Inbox& inbox);

    /** @return whether a privacy account is possible */
    bool IsAccountable() const { return m_aggregator->IsMonotone(); }

    /** @return rounds without enough vectors */
    uint64_t GetSkipped() const { return m_skipped; }

  private:
    Graph::Row m_neighbors;             //!< in-neighbours and their weights
    Ptr<const Aggregator> m_aggregator; //!< R
    uint32_t m_byzantine;               //!< f
    bool m_missingAreByzantine;         //!< whether missing neighbours are among the f
    uint64_t m_skipped{0};              //!< rounds without enough vectors
};

/**
 * @ingroup dlearn
 * Projection onto the nearest point of the convex set Theta of models. The privacy ledgers need
 * that no projection increases the distance of two points.
 */
class Projection : public Object
{
  public:
    static TypeId GetTypeId();

    /** Replace a model by the nearest point of the set. */
    virtual void Project(VectorRef model) const = 0;
};

/** @ingroup dlearn
 *  Theta is the whole space. */
class NoProjection : public Projection
{
  public:
    static TypeId GetTypeId();

    void Project(VectorRef) const override {}
};

/** @ingroup dlearn
 *  Theta is the ball ||theta|| <= Radius. */
class BallProjection : public Projection
{
  public:
    static TypeId GetTypeId();

    /**
     * @param model is scaled down to the radius when it is longer
     * @throw std::invalid_argument when Radius is not finite and positive
     */
    void Project(VectorRef model) const override;

  private:
    double m_radius{1e5}; //!< attribute Radius
};

/** @ingroup dlearn
 *  Theta is the box Lower <= theta_k <= Upper, the same for every entry. */
class BoxProjection : public Projection
{
  public:
    static TypeId GetTypeId();

    /**
     * @param model each entry is moved to the nearest end when it is outside
     * @throw std::invalid_argument when Lower exceeds Upper
     */
    void Project(VectorRef model) const override;

  private:
    double m_lower{-1}; //!< attribute Lower
    double m_upper{1};  //!< attribute Upper
};

} // namespace ns3::dlearn

#endif // DLEARN_MIXING_H
