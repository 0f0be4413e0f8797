/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_MEDIUM_TURN_H
#define DLEARN_MEDIUM_TURN_H

#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/random-variable-stream.h"

#include <functional>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Decides when it is a learner's turn on a medium that it shares with others that it overhears.
 *
 * A broadcast frame is sent once, with the smallest contention window of IEEE 802.11: of eight
 * stations that always have one to send, more than half of the frames collide, and no sender
 * notices. So learners take turns of whole messages, as the stations of IEEE 802.11 do with frames:
 * who wants one draws a random time and counts it down while the medium is quiet; when another is
 * overheard, the count stands still until that one has not been heard for a while, or says that its
 * turn is over. Learners out of each other's reach do not notice each other; what they lose has to
 * be repaired.
 */
class MediumTurn
{
  public:
    /** @param granted called in an event of its own when a requested turn begins */
    explicit MediumTurn(std::function<void()> granted);
    ~MediumTurn();

    MediumTurn(const MediumTurn&) = delete;
    MediumTurn& operator=(const MediumTurn&) = delete;

    /** @param spread the random times are uniform below this; more than 0 */
    void SetSpread(Time spread) { m_spread = spread; }

    /**
     * @param stream of the random times
     * @return how many streams are used
     */
    int64_t AssignStreams(int64_t stream);

    /** Ask for a turn, unless one is asked for. */
    void Request();

    /** Ask no longer. */
    void Cancel();

    /** @param span the medium is taken from now on for this long, and no longer */
    void SetBusy(Time span);

  private:
    /** Schedule Check() for when the count would end. */
    void Watch();
    /** Begin the turn, or wait on when the medium was taken meanwhile. */
    void Check();

    std::function<void()> m_granted;     //!< see constructor
    Time m_spread{MilliSeconds(16)};     //!< see SetSpread()
    Ptr<UniformRandomVariable> m_random; //!< of the times
    bool m_waiting{false};               //!< whether a turn is asked for
    Time m_left;                         //!< of quiet, until the turn
    Time m_counted;                      //!< quiet was counted until then
    Time m_busyUntil;                    //!< the medium is taken until then
    EventId m_event;                     //!< Check()
};

} // namespace ns3::dlearn

#endif // DLEARN_MEDIUM_TURN_H
