/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ATTACKER_DRAW_H
#define DLEARN_ATTACKER_DRAW_H

#include "ns3/dlearn-training-application.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Attackers that are drawn anew in each round: f of n learners, each choice equally likely. Rounds
 * are drawn in their order, whatever the order of the calls.
 */
class AttackerDraw : public Object
{
  public:
    static TypeId GetTypeId();

    /** @param learners n, from whom to draw @param count f, at most n */
    void Setup(std::vector<LearnerId> learners, uint32_t count);

    /** @return whether a learner attacks in a round */
    bool IsDrawn(LearnerId learner, uint32_t round);

    /** @return a behaviour for one learner, honest in rounds in which it is not drawn @param attack
     *          its behaviour in the others */
    Ptr<ByzantineBehavior> CreateBehavior(Ptr<ByzantineBehavior> attack);

    /** Fix the random streams, from @p stream on. @return number of streams used */
    int64_t AssignStreams(int64_t stream);

  private:
    std::vector<LearnerId> m_learners;
    uint32_t m_count{0};
    std::vector<std::set<LearnerId>> m_drawn; //!< by round
    Ptr<UniformRandomVariable> m_random{CreateObject<UniformRandomVariable>()};
};

} // namespace ns3::dlearn

#endif // DLEARN_ATTACKER_DRAW_H
