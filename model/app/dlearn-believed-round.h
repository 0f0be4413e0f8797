/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_BELIEVED_ROUND_H
#define DLEARN_BELIEVED_ROUND_H

#include "ns3/dlearn-types.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Estimates which round the neighbours of a peer are in, although up to f of them may be Byzantine.
 * It takes the newest round from which each of them sent a whole vector, and believes:
 *
 *  - f > 0: the (f + 1)-th highest, since at least one of the f + 1 neighbours in it is honest;
 *  - f = 0: the lower median, so that one neighbour alone does not move a learner that has three.
 *
 * Neighbours that have sent nothing count as behind all others.
 */
class BelievedRound
{
  public:
    /**
     * @param byzantine f, the number of neighbours that may be Byzantine
     * @param neighbors all neighbours that are expected to send
     */
    BelievedRound(uint32_t byzantine, std::set<LearnerId> neighbors);

    /**
     * @param neighbor a whole vector came from it
     * @param round in which that was made
     */
    void Note(LearnerId neighbor, uint32_t round);

    /** Forget what the neighbours have sent. */
    void Reset() { m_newest.clear(); }

    /**
     * @param neighbor a neighbour
     * @return the newest round of which it sent a vector, if any
     */
    std::optional<uint32_t> GetNewest(LearnerId neighbor) const;

    /**
     * @param counts whether a neighbour counts; called with each of them
     * @return the round to believe in, as far as the neighbours that count show it; nothing when
     *         they do not
     */
    std::optional<uint32_t> Get(const std::function<bool(LearnerId)>& counts) const;

  private:
    uint32_t m_byzantine;                   //!< f
    std::set<LearnerId> m_neighbors;        //!< neighbours that are expected to send
    std::map<LearnerId, uint32_t> m_newest; //!< newest round of each that has sent
};

} // namespace ns3::dlearn

#endif // DLEARN_BELIEVED_ROUND_H
