/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_FAILURE_DETECTOR_H
#define DLEARN_FAILURE_DETECTOR_H

#include "ns3/dlearn-types.h"
#include "ns3/nstime.h"

#include <map>
#include <set>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Decides for which neighbours it still makes sense to wait. A neighbour is suspected when the
 * learner has waited for it without success for a total time, over any number of rounds, since its
 * last usable message; a single usable message clears it. Short deadlines that messages miss now
 * and then therefore do no harm, and a neighbour that has really failed costs the same total time
 * whatever the deadline.
 */
class FailureDetector
{
  public:
    /** @param neighbor a new usable message came from it */
    void RecordActivity(LearnerId neighbor);

    /**
     * @param neighbor was waited for without success in a round that closed
     * @param waited for how long
     * @param suspicionTimeout total time waited after which it is suspected, more than 0; who is
     *        suspected already stays so
     * @return whether it is suspected from now on
     */
    bool RecordTimeout(LearnerId neighbor, Time waited, Time suspicionTimeout);

    /**
     * @param neighbor a neighbour
     * @return whether it is worth waiting for
     */
    bool IsAlive(LearnerId neighbor) const { return m_suspected.count(neighbor) == 0; }

    /** @return those that are not alive */
    const std::set<LearnerId>& GetSuspected() const { return m_suspected; }

    /** Forget all suspicions and all time waited. */
    void Reset();

  private:
    std::map<LearnerId, Time> m_waited; //!< since last heard, where not 0
    std::set<LearnerId> m_suspected;    //!< waited for as long as that
};

} // namespace ns3::dlearn

#endif // DLEARN_FAILURE_DETECTOR_H
