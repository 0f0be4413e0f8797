/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_INTERFACE_LINE_H
#define DLEARN_INTERFACE_LINE_H

#include "dlearn-interface-backlog.h"

#include "ns3/dlearn-types.h"
#include "ns3/net-device.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <set>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Senders to several peers that share a network interface. Each hands over what the queue of the
 * interface has room for; when it has none, they stand in line for it.
 */
class InterfaceLine
{
  public:
    /** Called with a peer whose sender may go on. */
    using ServeCallback = std::function<void(LearnerId)>;

    /**
     * @param device of the interface; null for none
     * @param packetSize bytes that a packet carries
     * @param serve called for one sender after the other, when there is room again
     */
    InterfaceLine(const Ptr<NetDevice>& device, uint32_t packetSize, ServeCallback serve);

    /**
     * @param peer whose sender asks
     * @return bytes that it may hand over; 0 while others stand in line
     */
    uint64_t GetRoom(LearnerId peer) const;

    /**
     * @param peer whose sender uses the interface, too
     */
    void Add(LearnerId peer) { m_peers.insert(peer); }

    /** @return whether it has a known rate and one sender, which has nobody to share it with */
    bool IsAlone() const { return m_frame.IsStrictlyPositive() && m_peers.size() == 1; }

    /** @return packets that the queue of the device holds at most when it has room */
    uint32_t GetLimit() const { return m_limit; }

    /**
     * Packets of others, such as those that a node forwards, can keep the queue full, so that what
     * goes on is what acknowledgements allow.
     *
     * @return bytes that a sender may have under way and still hand over one packet more, whatever
     *         the room is: two packets, but nothing on a slow link, where they take long
     */
    uint64_t GetLeast() const;

    /** @param bytes that a sender handed over */
    void Use(uint32_t bytes) { m_left -= std::min<uint64_t>(m_left, bytes); }

    /** @param peer whose sender found no room; it is served later, once */
    void Join(LearnerId peer);

    /** The line is empty from now on. */
    void Clear() { m_waiting.clear(); }

  private:
    /** There is room, or those in line have waited for long. */
    void Serve();

    Time m_frame;                      //!< time of the largest frame; 0: not known
    std::set<LearnerId> m_peers;       //!< who use the interface
    uint32_t m_limit;                  //!< packets that the queue holds at most when it has room
    uint32_t m_packetSize;             //!< see constructor
    ServeCallback m_serve;             //!< see constructor
    std::deque<LearnerId> m_waiting;   //!< who stands in line, the first first
    std::optional<LearnerId> m_served; //!< who is being served
    uint64_t m_left{0};                //!< bytes for those who are served at the same time
    InterfaceBacklog m_backlog;        //!< what waits in the queue of the interface
};

} // namespace ns3::dlearn

#endif // DLEARN_INTERFACE_LINE_H
