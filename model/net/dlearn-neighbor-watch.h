/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_NEIGHBOR_WATCH_H
#define DLEARN_NEIGHBOR_WATCH_H

#include "ns3/dlearn-types.h"
#include "ns3/nstime.h"

#include <map>

namespace ns3
{
namespace dlearn
{

/**
 * @ingroup dlearn
 * Whom it still makes sense to wait for. A neighbour that was waited for in vain for a total
 * time, over however many rounds, since it was last heard in time is believed gone; a single
 * message in time brings it back. So short deadlines that messages miss now and then do no harm,
 * and a neighbour that is really gone costs the same total whatever the deadline.
 *
 * A message that is late shows that a neighbour believed gone is back, but not yet in step: it is
 * waited for once more. That happens LATE_CHANCES times before it is heard in time, so that a
 * neighbour that is always late, on purpose or not, costs a bounded time, too.
 */
class NeighborWatch
{
  public:
    /** How often late messages bring a neighbour back before it is heard in time. */
    static constexpr uint32_t LATE_CHANCES = 2;

    /** @param tolerance total waiting in vain after which a neighbour is gone, more than 0 */
    explicit NeighborWatch(Time tolerance);

    /** @param neighbor a usable message came from it in time */
    void Heard(LearnerId neighbor);

    /** @param neighbor a usable message came from it, but late */
    void HeardLate(LearnerId neighbor);

    /**
     * @param neighbor was waited for in vain in a round that closed
     * @param waited for how long
     */
    void Missed(LearnerId neighbor, Time waited);

    /**
     * @param neighbor a neighbour
     * @return whether it is worth waiting for
     */
    bool IsAlive(LearnerId neighbor) const;

    /** Believe that everybody is there again. */
    void Reset();

  private:
    /** What is known of a neighbour since it was last heard in time. */
    struct Absence
    {
        Time waited;         //!< for it, in vain
        bool back{false};    //!< whether a late message brought it back
        uint32_t chances{0}; //!< how often one did, in vain
    };

    Time m_tolerance;                       //!< total waiting in vain
    std::map<LearnerId, Absence> m_absence; //!< of those that were waited for in vain
};

} // namespace dlearn
} // namespace ns3

#endif // DLEARN_NEIGHBOR_WATCH_H
