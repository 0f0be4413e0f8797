/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_NODE_ACTIVITY_H
#define DLEARN_NODE_ACTIVITY_H

#include "ns3/nstime.h"

#include <array>
#include <cstdint>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What a node has done since time 0: at each time one of the phases, the first that applies.
 */
class NodeActivity
{
  public:
    /** What a node does. */
    enum Phase
    {
        COMPUTING,     //!< its learner computes
        SENDING,       //!< a device sends a frame for the first time
        SENDING_AGAIN, //!< a device sends a frame or a TCP segment again
        QUEUEING,      //!< packets wait in a device, or for the medium
        WAITING        //!< none of these
    };

    /** Times of the phases. */
    using Times = std::array<Time, 5>;

    /** @param count of packets that begin to wait; negative: that wait no longer */
    void AddWaiting(int count);

    /** @param again whether a device sends again what it begins to send now */
    void BeginSending(bool again);

    /** @param again likewise, of what it has sent */
    void EndSending(bool again);

    /**
     * A device begins to send, and ends by itself.
     *
     * @param duration that it takes
     * @param again whether it sends again
     */
    void Send(Time duration, bool again);

    /** @param duration that the learner computes from now on; 0 ends computing */
    void Compute(Time duration);

    /** @return the times until now */
    const Times& GetTimes();

  private:
    /** @return what the node does after m_last */
    Phase GetPhase() const;

    /** Go on to the present, after which something changes. */
    void Update();

    Times m_times;                           //!< until m_last
    Time m_last;                             //!< of the last change
    Time m_computing;                        //!< end of computing
    std::array<Time, 2> m_radio;             //!< end of sending by Send(); again or not
    std::array<uint32_t, 2> m_sending{0, 0}; //!< devices that send; again or not
    int64_t m_waiting{0};                    //!< packets that wait
};

} // namespace ns3::dlearn

#endif // DLEARN_NODE_ACTIVITY_H
