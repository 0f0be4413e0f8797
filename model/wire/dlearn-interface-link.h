/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_INTERFACE_LINK_H
#define DLEARN_INTERFACE_LINK_H

#include "ns3/data-rate.h"
#include "ns3/dlearn-endpoint.h"
#include "ns3/ipv4.h"
#include "ns3/net-device.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/queue.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace ns3::dlearn
{

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

#endif // DLEARN_INTERFACE_LINK_H
