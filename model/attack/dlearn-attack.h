/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ATTACK_H
#define DLEARN_ATTACK_H

#include "ns3/dlearn-row-matrix.h"
#include "ns3/dlearn-types.h"
#include "ns3/object.h"

#include <cstdint>
#include <functional>

namespace ns3
{
namespace dlearn
{

/** What a coalition knows in a round. */
struct HonestView
{
    /** The aggregate of all n vectors; empty when it would be skipped. */
    using Defence = std::function<ModelVector(RowMatrixRef<double>)>;

    Eigen::Ref<const RowMatrix<double>> vectors; //!< h x d: those of honest learners that it knows
    uint32_t byzantine{1};                       //!< f, its own size
    Defence defence{}; //!< the aggregation that it knows it is up against, or none
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
    /** @return the TypeId */
    static TypeId GetTypeId();

    /**
     * @param view what the coalition knows
     * @return d numbers, finite or not
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

} // namespace dlearn
} // namespace ns3

#endif // DLEARN_ATTACK_H
