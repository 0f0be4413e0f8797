/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ATTACK_H
#define DLEARN_ATTACK_H

#include "ns3/dlearn-types.h"
#include "ns3/object.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace ns3::dlearn
{

/** What a coalition knows in a round. */
struct HonestView
{
    /** The aggregate of all n vectors; empty when it would be skipped. */
    using Defence = std::function<ModelVector(RowMatrixRef<double>)>;

    Eigen::Ref<const RowMatrix<double>> vectors; //!< k x d: those that it knows
    uint32_t byzantine{1};                       //!< f, its own size
    Defence defence{};  //!< the aggregation that it knows it is up against, or none
    uint32_t honest{0}; //!< h, honest learners, also those of which it knows nothing; 0 for k
    std::vector<uint32_t> places{}; //!< of each row, the learner's place among all whose vectors it
                                    //!< may know; empty for 0, 1, ..., k-1
};

/**
 * @ingroup dlearn
 * What Byzantine learners send in place of the vector that they should: the interface of all
 * attacks on vectors. An attack keeps nothing from one round to the next. The same object
 * serves a whole coalition, whose members all send what it forges.
 */
class Attack : public Object
{
  public:
    static TypeId GetTypeId();

    /**
     * Refuse a coalition that the attack does not suit, before the run.
     *
     * @param sources learners whose vectors it may know
     * @param honest h, honest learners
     * @param byzantine f, its size
     * @throw std::invalid_argument naming what is wrong; everything suits unless overridden
     */
    virtual void Check(uint32_t sources, uint32_t honest, uint32_t byzantine) const;

    /**
     * @param view what the coalition knows; any part of what Check() got
     * @return d numbers, finite or not; empty when the coalition does not know what it needs, and
     *         should behave like honest learners
     * @throw std::invalid_argument when the view does not have what the attack needs
     */
    virtual ModelVector Forge(const HonestView& view) = 0;

    /**
     * Fix the streams of random numbers.
     *
     * @param stream first stream number
     * @return how many are used; none unless overridden
     */
    virtual int64_t AssignStreams(int64_t stream);
};

} // namespace ns3::dlearn

#endif // DLEARN_ATTACK_H
