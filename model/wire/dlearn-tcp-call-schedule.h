/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TCP_CALL_SCHEDULE_H
#define DLEARN_TCP_CALL_SCHEDULE_H

#include "ns3/event-id.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <functional>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * When a learner calls a peer again whose connection broke or could not be made: after the same
 * interval each time, for ever; once no message will follow (Transport::Finish(), of peers), after
 * twice the interval of the call before, and LAST_CALLS times, so that a simulation of peers ends
 * although one cannot be reached.
 */
class TcpCallSchedule
{
  public:
    static constexpr uint32_t LAST_CALLS = 12; //!< once no message will follow

    /** @param call calls the peer; must outlive what is planned */
    explicit TcpCallSchedule(std::function<void()> call);

    /** @return calls that failed since one was answered */
    uint32_t GetFailures() const { return m_failures; }

    /** A call was not answered, or the connection broke. */
    void NoteFailure() { ++m_failures; }

    /** A call was answered. */
    void NoteAnswer();

    /**
     * Plan the next call in the place of one that is planned; after LAST_CALLS plan none.
     *
     * @param interval until then
     * @param last whether no message will follow
     */
    void Plan(Time interval, bool last);

    /** Plan no call; what follows begins anew. */
    void Cancel();

  private:
    std::function<void()> m_call; //!< calls the peer
    EventId m_next;               //!< the next call
    uint32_t m_failures{0};       //!< since a call was answered
    uint32_t m_last{0};           //!< calls that were planned since no message will follow
};

} // namespace ns3::dlearn

#endif // DLEARN_TCP_CALL_SCHEDULE_H
