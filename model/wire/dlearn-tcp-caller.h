/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TCP_CALLER_H
#define DLEARN_TCP_CALLER_H

#include "dlearn-tcp-transport.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * A connection that a TcpTransport accepted from a node with several learners, until its first
 * bytes say which of them calls: GREETING and the caller's port, or FILLER, which stands for the
 * port of the learner that is called. A part of TcpTransport in a file of its own.
 */
class TcpCaller
{
  public:
    /**
     * @param transport owns this object
     * @param socket an accepted connection
     * @param address where it comes from
     */
    TcpCaller(TcpTransport& transport, Ptr<Socket> socket, Ipv4Address address);

    /** Hangs up, unless the socket was released. */
    ~TcpCaller();

    TcpCaller(const TcpCaller&) = delete;
    TcpCaller& operator=(const TcpCaller&) = delete;

    /** @return the socket, which is not watched any more */
    Ptr<Socket> Release();

  private:
    void HandleRead(Ptr<Socket> socket);
    void HandleClosed(Ptr<Socket> socket);

    TcpTransport& m_transport;    //!< owner
    Ptr<Socket> m_socket;         //!< the connection; null once released
    Ipv4Address m_address;        //!< where it comes from
    std::vector<uint8_t> m_bytes; //!< of the greeting, as far as it came
};

} // namespace ns3::dlearn

#endif // DLEARN_TCP_CALLER_H
