/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_INTERFACE_LINE_H
#define DLEARN_INTERFACE_LINE_H

#include "ns3/data-rate.h"
#include "ns3/dlearn-endpoint.h"
#include "ns3/dlearn-types.h"
#include "ns3/event-id.h"
#include "ns3/ipv4.h"
#include "ns3/net-device.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/queue.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <set>
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

/**
 * @ingroup dlearn
 * What a transport knows of the link behind an interface. ns-3 has no common interface for these.
 */
struct InterfaceLink
{
    std::optional<DataRate> rate;       //!< of the device or its channel; 0: unlimited
    uint32_t headers{0};                //!< bytes of the link's header and trailer in every frame
    std::vector<Ptr<QueueBase>> queues; //!< from which datagrams leave the device; none: not known
};

/**
 * @ingroup dlearn
 * @param device any
 * @return the rate of it or of its channel, where one of them has one; 0: unlimited
 */
std::optional<DataRate> FindLinkRate(const NetDevice& device);

/**
 * @ingroup dlearn
 * @param device any
 * @return how long a frame holds the medium after it was sent: on a CSMA bus of ns-3, which carries
 *         one frame at a time, until it has reached the others; 0 elsewhere
 */
Time GetHoldTime(const NetDevice& device);

/**
 * @ingroup dlearn
 * @param device any
 * @param bytes of a frame
 * @return how long the frame holds the medium; 0 where the rate is not known or unlimited, and
 *         GetHoldTime() is 0
 */
Time GetFrameTime(const NetDevice& device, uint32_t bytes);

/**
 * @ingroup dlearn
 * @param device of an interface; null for none
 * @return what is known of its link
 */
InterfaceLink DescribeLink(const Ptr<const NetDevice>& device);

/**
 * @ingroup dlearn
 * @param ipv4 of a node
 * @param destinations addresses
 * @return the interface in the subnet of all of them; 0 when there is none
 */
uint32_t FindSharedInterface(const Ipv4& ipv4, const std::vector<Ipv4Address>& destinations);

/** Instead of NetDevice::GetIfIndex(), where there is no device. */
constexpr uint32_t NO_DEVICE = std::numeric_limits<uint32_t>::max();

/**
 * @ingroup dlearn
 * @param node with a stack of the version of IP, whose routing has begun
 * @param destination an address
 * @return the device by which packets to it leave: of its subnet, else as routing says; null for
 *         loopback, and when there is none
 */
Ptr<NetDevice> FindOutputDevice(const Node& node, const IpAddress& destination);

/**
 * @ingroup dlearn
 * @param node with a stack of the version of IP
 * @param destination an address
 * @return the device of an interface in the subnet of it; null when there is none
 */
Ptr<NetDevice> FindSubnetDevice(const Node& node, const IpAddress& destination);

} // namespace ns3::dlearn

#endif // DLEARN_INTERFACE_LINE_H
