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

#include <algorithm>
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
 * The packets in the queue of a network interface, so that a sender does not fill it.
 *
 * A sender that hands over a whole model at once loses most of it where the queue is finite, and
 * cannot take back packets that are outdated when they leave. So it keeps only as many packets in
 * the queue as keep the device busy, and waits until some of them have left. On a shared medium
 * this adapts to the device's share of it, which is not known in advance.
 *
 * Known are the queues of point-to-point and CSMA devices and that of best effort of Wi-Fi devices;
 * others always have room.
 */
class InterfaceBacklog
{
  public:
    /** Packets that a queue holds at most when it has room: A-MSDU and bursts need several. */
    static constexpr uint32_t LIMIT = 32;

    /** @return time that a sender waits at most: packets of others can keep a queue full */
    static Time GetLongestWait(const Ptr<NetDevice>& device);

    /**
     * @param device of the interface; null: none
     * @param ready called in a separate event when there is room again after Wait()
     * @param limit packets that the queue holds at most when it has room
     */
    InterfaceBacklog(Ptr<NetDevice> device, std::function<void()> ready, uint32_t limit = LIMIT);

    ~InterfaceBacklog() { StopWaiting(); }

    InterfaceBacklog(const InterfaceBacklog&) = delete;
    InterfaceBacklog& operator=(const InterfaceBacklog&) = delete;

    /** @return packets that can be handed over now */
    uint32_t GetRoom() const;

    /** Call back once: half of the packets of a full queue have left, or the longest wait ends. */
    void Wait();

    /** @return whether the callback is still to come */
    bool IsWaiting() const { return m_waiting; }

  private:
    uint32_t CountPackets() const;
    void HandleChange(uint32_t before, uint32_t now);
    void HandleReady();
    void StopWaiting();

    std::vector<Ptr<QueueBase>> m_queues; //!< of the device; empty when they are not known
    Time m_longestWait;                   //!< see GetLongestWait()
    uint32_t m_limit;                     //!< see constructor; less if the queues hold less
    std::function<void()> m_ready;        //!< see constructor
    bool m_waiting{false};                //!< between Wait() and the callback
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
    /** Called with a peer whose sender may continue. */
    using ServeCallback = std::function<void(LearnerId)>;

    /**
     * @param device of the interface; null: none
     * @param packetSize bytes that a packet carries
     * @param serve called for one sender after the other, when there is room again
     */
    InterfaceLine(const Ptr<NetDevice>& device, uint32_t packetSize, ServeCallback serve);

    /** @return bytes that the sender to a peer may hand over; 0 while others stand in line */
    uint64_t GetRoom(LearnerId peer) const;

    /** @param peer whose sender uses the interface, too */
    void Add(LearnerId peer) { m_peers.insert(peer); }

    /** @return whether it has a known rate and only one sender */
    bool IsAlone() const { return m_frame.IsStrictlyPositive() && m_peers.size() == 1; }

    /** @return packets that the queue of the device holds at most when it has room */
    uint32_t GetLimit() const { return m_limit; }

    /**
     * Packets of others, such as those that a node forwards, can keep the queue full, so that
     * senders continue as acknowledgements allow.
     *
     * @return bytes that a sender may have under way and still hand over one packet more, whatever
     *         the room is: two packets, but nothing on a slow link, where they take long
     */
    uint64_t GetLeast() const { return uint64_t{m_packetSize} * std::min(m_limit - 1, 2U); }

    /** @param bytes that a sender handed over */
    void Use(uint32_t bytes) { m_left -= std::min<uint64_t>(m_left, bytes); }

    /** @param peer whose sender found no room; it is served later, once */
    void Join(LearnerId peer);

    /** The line is empty from now on. */
    void Clear() { m_waiting.clear(); }

  private:
    void Serve();

    Time m_frame;                      //!< time of the largest frame; 0: not known
    std::set<LearnerId> m_peers;       //!< whose senders use the interface
    uint32_t m_limit;                  //!< packets that the queue holds at most when it has room
    uint32_t m_packetSize;             //!< see constructor
    ServeCallback m_serve;             //!< see constructor
    std::deque<LearnerId> m_waiting;   //!< in line, the first first
    std::optional<LearnerId> m_served; //!< whose sender is being served
    uint64_t m_left{0};                //!< bytes for those that are served at the same time
    InterfaceBacklog m_backlog;        //!< of the interface
};

/**
 * @ingroup dlearn
 * Properties of the link behind an interface. ns-3 has no common interface for these.
 */
struct InterfaceLink
{
    std::optional<DataRate> rate;       //!< of the device or its channel; 0: unlimited
    uint32_t headers{0};                //!< bytes of the link's header and trailer in every frame
    std::vector<Ptr<QueueBase>> queues; //!< from which datagrams leave the device; none: not known
};

/** @return the rate of a device or its channel, where one of them has one; 0: unlimited */
std::optional<DataRate> FindLinkRate(const NetDevice& device);

/**
 * @ingroup dlearn
 * @return how long a frame holds the medium after it was sent: on a CSMA bus of ns-3, which carries
 *         one frame at a time, until it has reached the others; 0 elsewhere
 */
Time GetHoldTime(const NetDevice& device);

/**
 * @ingroup dlearn
 * @return how long a frame of some bytes holds the medium, GetHoldTime() included; without a known
 *         finite rate, only that
 */
Time GetFrameTime(const NetDevice& device, uint32_t bytes);

/** @return known properties of the link of a device, which may be null */
InterfaceLink DescribeLink(const Ptr<const NetDevice>& device);

/** @return the interface of a node in the subnet of all addresses; 0: none */
uint32_t FindSharedInterface(const Ipv4& ipv4, const std::vector<Ipv4Address>& destinations);

/** Instead of NetDevice::GetIfIndex() without a device. */
constexpr uint32_t NO_DEVICE = std::numeric_limits<uint32_t>::max();

/**
 * @ingroup dlearn
 * @return the device by which packets of a node to an address leave: of its subnet, else by
 *         routing, which must have begun; null: loopback, or none
 */
Ptr<NetDevice> FindOutputDevice(const Node& node, const IpAddress& destination);

/** @return the device of a node in the subnet of an address; null: none */
Ptr<NetDevice> FindSubnetDevice(const Node& node, const IpAddress& destination);

} // namespace ns3::dlearn

#endif // DLEARN_INTERFACE_LINE_H
