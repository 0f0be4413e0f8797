/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_NEIGHBOR_WATCH_H
#define DLEARN_NEIGHBOR_WATCH_H

#include "ns3/dlearn-types.h"

#include <map>

namespace ns3
{
namespace dlearn
{

/**
 * @ingroup dlearn
 * Whom it still makes sense to wait for. A neighbour that was waited for in vain, for the
 * whole of a learner's patience, in several rounds in a row is believed gone; a single
 * message from it brings it back.
 */
class NeighborWatch
{
  public:
    /** @param tolerance rounds in a row that a neighbour may miss before it is gone, >= 1 */
    explicit NeighborWatch(uint32_t tolerance);

    /** @param neighbor something came from it */
    void Heard(LearnerId neighbor);

    /** @param neighbor was waited for in vain for a whole round */
    void Missed(LearnerId neighbor);

    /**
     * @param neighbor a neighbour
     * @return whether it is worth waiting for
     */
    bool IsAlive(LearnerId neighbor) const;

    /** Believe that everybody is there again. */
    void Reset();

  private:
    uint32_t m_tolerance;                   //!< rounds in a row
    std::map<LearnerId, uint32_t> m_missed; //!< rounds missed in a row, where not 0
};

} // namespace dlearn
} // namespace ns3

#endif // DLEARN_NEIGHBOR_WATCH_H
