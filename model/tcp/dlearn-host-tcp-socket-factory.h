/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_HOST_TCP_SOCKET_FACTORY_H
#define DLEARN_HOST_TCP_SOCKET_FACTORY_H

#include "ns3/node-container.h"
#include "ns3/socket-factory.h"

#include <string>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Makes sockets of TCP that behave as those of hosts: HostTcpSocket with HostCubic, a delayed
 * acknowledgement of 40 ms, a retransmission timeout at least 200 ms above the round trip, 15
 * retries and buffers of 4 MB. Attributes of ns3::TcpSocket and ns3::TcpSocketBase of which a user
 * has chosen the default keep it, and another congestion control than ns-3's default is used.
 *
 * Applications take "ns3::dlearn::HostTcpSocketFactory" as their protocol, as they take
 * "ns3::TcpSocketFactory". Learners of a node that has such a factory use it.
 */
class HostTcpSocketFactory : public SocketFactory
{
  public:
    static TypeId GetTypeId();

    /**
     * Give nodes such a factory; those that have one keep it, and those without TCP get none.
     *
     * @param nodes with ns-3's internet stack
     */
    static void Install(const NodeContainer& nodes);

    /**
     * @param node with a factory
     * @return what the node's TCP was asked to do and HostTcpSocket does not, so that its sockets
     *         are ns-3's; empty if there is nothing
     */
    static std::string FindObstacle(const Node& node);

    /** @return a socket of the node */
    Ptr<Socket> CreateSocket() override;
};

} // namespace ns3::dlearn

#endif // DLEARN_HOST_TCP_SOCKET_FACTORY_H
