/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_INTERFACE_BACKLOG_H
#define DLEARN_INTERFACE_BACKLOG_H

#include "ns3/event-id.h"
#include "ns3/net-device.h"
#include "ns3/queue.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What waits in the queue of a network interface, so that a sender does not fill it.
 *
 * A sender that hands over a whole model at once loses most of it where the queue is finite, and
 * cannot take back what is old by the time that it leaves. So it keeps a few packets in the queue
 * only, as many as keep the device busy, and waits until some of them have left. On a medium that
 * is shared this follows the share that the device gets of it, which no rate tells in advance.
 *
 * Known are the queues of point-to-point and CSMA devices and that of best effort of Wi-Fi devices;
 * others have room always.
 */
class InterfaceBacklog
{
  public:
    /** Packets that a queue holds at most when it has room: A-MSDU and bursts need several. */
    static constexpr uint32_t LIMIT = 32;

    /**
     * @param device of an interface; null for none
     * @return time that a sender waits at most: packets of others can keep a queue full
     */
    static Time GetLongestWait(const Ptr<NetDevice>& device);

    /**
     * @param device of the interface; null for none
     * @param ready called in an event of its own when there is room again after Wait()
     * @param limit packets that the queue holds at most when it has room
     */
    InterfaceBacklog(Ptr<NetDevice> device, std::function<void()> ready, uint32_t limit = LIMIT);
    ~InterfaceBacklog();

    InterfaceBacklog(const InterfaceBacklog&) = delete;
    InterfaceBacklog& operator=(const InterfaceBacklog&) = delete;

    /** @return packets that can be handed over now */
    uint32_t GetRoom() const;

    /** Call back once, when half of the packets of a full queue have left or the longest wait ends.
     */
    void Wait();

    /** @return whether the call back is still to come */
    bool IsWaiting() const { return m_waiting; }

  private:
    /** @return packets in all queues */
    uint32_t CountPackets() const;
    /** Trace PacketsInQueue. */
    void HandleChange(uint32_t before, uint32_t now);
    /** There is room, or the longest wait is over. */
    void HandleReady();
    /** Forget the event, and look at the queues no longer. */
    void StopWaiting();

    std::vector<Ptr<QueueBase>> m_queues; //!< of the device; empty when they are not known
    Time m_longestWait;                   //!< see GetLongestWait()
    uint32_t m_limit;                     //!< see constructor; less if the queues hold less
    std::function<void()> m_ready;        //!< see constructor
    bool m_waiting{false};                //!< between Wait() and the call back
    EventId m_event;                      //!< calls back
};

} // namespace ns3::dlearn

#endif // DLEARN_INTERFACE_BACKLOG_H
