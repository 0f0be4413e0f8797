/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_NEIGHBOR_COMBINER_H
#define DLEARN_NEIGHBOR_COMBINER_H

#include "ns3/dlearn-aggregator.h"
#include "ns3/dlearn-graph.h"
#include "ns3/dlearn-message.h"
#include "ns3/dlearn-privacy-ledger.h"

#include <cstdint>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * How a peer's vector and those of its in-neighbours become one. A part of PeerRule, made for
 * one learner and its neighbours.
 */
class NeighborCombiner
{
  public:
    /** @param neighbors the in-neighbours and the weights w_ij that the learner gives them */
    explicit NeighborCombiner(Graph::Row neighbors);
    virtual ~NeighborCombiner();

    NeighborCombiner(const NeighborCombiner&) = delete;
    NeighborCombiner& operator=(const NeighborCombiner&) = delete;

    /**
     * @param own the learner's own vector, d numbers
     * @param coupling gamma_t, factor on all weights
     * @param inbox what arrived, vectors of d numbers
     * @return the mixture, d numbers
     */
    virtual ModelVector Mix(const ModelVector& own, double coupling, const Inbox& inbox) = 0;

    /**
     * Tell a privacy account how much of the learner's own vector is left in the mixture.
     *
     * @param coupling gamma_t
     * @param inbox what arrived
     * @param event gets its couplings
     */
    virtual void RecordCouplings(double coupling, const Inbox& inbox, UpdateEvent& event) const = 0;

    /** @return whether RecordCouplings() can tell; else no privacy account can be kept */
    virtual bool IsAccountable() const = 0;

    /** @return how often nothing was mixed because too little arrived */
    virtual uint64_t GetSkipped() const = 0;

  protected:
    const Graph::Row m_neighbors; //!< in-neighbours and their weights
};

/**
 * @ingroup dlearn
 * The weighted sum of the papers, own + sum_j gamma_t w_ij (y_j - own) over what arrived:
 * MixHeard(). Of a partial arrival the entries that came are used.
 */
class WeightedMixing : public NeighborCombiner
{
  public:
    using NeighborCombiner::NeighborCombiner;
    ModelVector Mix(const ModelVector& own, double coupling, const Inbox& inbox) override;
    void RecordCouplings(double coupling, const Inbox& inbox, UpdateEvent& event) const override;

    bool IsAccountable() const override { return true; }

    uint64_t GetSkipped() const override { return 0; }
};

/**
 * @ingroup dlearn
 * A step towards a robust aggregate in place of the weighted sum:
 *
 *   own + gamma_t (sum_j w_ij) (R(own, y_1, ..., y_k; f) - own),
 *
 * with R an Aggregator, k in-neighbours and at most f of them Byzantine. R works on the
 * differences y_j - own, so that rules that know an origin (centred clipping, norm clipping)
 * take the learner's own vector for it, as in He, Karimireddy and Jaggi 2022, "Byzantine-robust
 * decentralized learning via ClippedGossip"; for all others that makes no difference.
 *
 * A neighbour that is missing, or of which only a part arrived, is left out. Missing::BYZANTINE
 * takes it for one of the f, as a server does: the others are aggregated with f less the number
 * of those left out. That is safe when nothing is lost but what Byzantine neighbours withhold;
 * for every honest vector that the network loses, a forged one may stay untrimmed. Missing::ABSENT
 * keeps f: as many of the others may be Byzantine. With fewer than 2f + 1 vectors, own included,
 * nothing is mixed in this round, and GetSkipped() counts it.
 *
 * Privacy: when R is a coordinate-wise rule that does not decrease in its inputs and moves no
 * farther than they do (Aggregator::IsMonotone()), then with c = gamma_t sum_j w_ij and the
 * messages given, each entry of the mixture is a function of the same entry of own with a slope
 * in [1 - c, 1]. The same holds for a skipped round. The account therefore assumes a coupling
 * between 0 and c, which may differ from entry to entry. For other rules, and after a
 * pre-aggregation, no account can be kept: a small change of the own vector may change the choice
 * of neighbours.
 */
class RobustMixing : public NeighborCombiner
{
  public:
    /** What a neighbour is from which nothing came, or not all. */
    enum class Missing
    {
        BYZANTINE, //!< one of the f
        ABSENT     //!< anybody
    };

    /**
     * @param neighbors the in-neighbours and their weights
     * @param aggregator R
     * @param byzantine f; 2f must be less than the number of vectors, own included
     * @param missing what missing neighbours are
     * @throw std::invalid_argument when there is no R, or f is too large
     */
    RobustMixing(Graph::Row neighbors,
                 Ptr<const Aggregator> aggregator,
                 uint32_t byzantine,
                 Missing missing = Missing::BYZANTINE);

    ModelVector Mix(const ModelVector& own, double coupling, const Inbox& inbox) override;
    void RecordCouplings(double coupling, const Inbox& inbox, UpdateEvent& event) const override;
    bool IsAccountable() const override;

    uint64_t GetSkipped() const override { return m_skipped; }

  private:
    Ptr<const Aggregator> m_aggregator; //!< R
    uint32_t m_byzantine;               //!< f
    Missing m_missing;                  //!< what missing neighbours are
    uint64_t m_skipped{0};              //!< rounds without enough vectors
};

} // namespace ns3::dlearn

#endif // DLEARN_NEIGHBOR_COMBINER_H
