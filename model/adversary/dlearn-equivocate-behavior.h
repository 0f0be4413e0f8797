/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_EQUIVOCATE_BEHAVIOR_H
#define DLEARN_EQUIVOCATE_BEHAVIOR_H

#include "ns3/dlearn-training-application.h"
#include "ns3/random-variable-stream.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Tells different neighbours different things, to pull them apart: of the recipients of a
 * vector x, in increasing order, the first, third, ... get x + Scale u, the others x - Scale u.
 * The entries of the direction u are drawn from N(0, 1) in the first round and stay, so that the
 * pulls of all rounds add up.
 *
 * By broadcast every neighbour hears both messages, and the one that comes first counts.
 */
class EquivocateBehavior : public ByzantineBehavior
{
  public:
    static TypeId GetTypeId();
    EquivocateBehavior();
    ~EquivocateBehavior() override;

    void Deliver(LearnerId learner,
                 uint32_t round,
                 const Outbox& outbox,
                 const SendPort& port) override;
    int64_t AssignStreams(int64_t stream) override;

  private:
    double m_scale{1};                                                        //!< attribute Scale
    Ptr<NormalRandomVariable> m_random{CreateObject<NormalRandomVariable>()}; //!< draws u
    ModelVector m_direction; //!< u; empty before the first round
};

} // namespace ns3::dlearn

#endif // DLEARN_EQUIVOCATE_BEHAVIOR_H
