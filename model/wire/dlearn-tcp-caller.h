/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TCP_CALLER_H
#define DLEARN_TCP_CALLER_H

#include "ns3/callback.h"
#include "ns3/dlearn-endpoint.h"
#include "ns3/socket.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * A connection that a TcpTransport accepted from a node with several learners, until its first
 * bytes say which of them calls: TCP_GREETING and the caller's port, or TCP_FILLER, which stands
 * for the port of the learner that is called. A part of TcpTransport in a separate file.
 */
class TcpCaller
{
  public:
    /** Called once, with the port that the caller said; nothing when it said none and left. */
    using GreetingCallback = Callback<void, TcpCaller&, std::optional<uint16_t>>;

    /**
     * @param socket an accepted connection
     * @param address where it comes from
     * @param port of the learner that is called
     * @param greeting may delete this object
     */
    TcpCaller(Ptr<Socket> socket, IpAddress address, uint16_t port, GreetingCallback greeting);

    /** Hangs up, unless the socket was released. */
    ~TcpCaller();

    TcpCaller(const TcpCaller&) = delete;
    TcpCaller& operator=(const TcpCaller&) = delete;

    /** @return where the connection comes from */
    const IpAddress& GetAddress() const { return m_address; }

    /** @return the socket, which is not watched any more */
    Ptr<Socket> Release();

  private:
    /** @param port that the caller listens on; nothing if it did not tell one */
    void Finish(std::optional<uint16_t> port);

    /** @param socket that has received bytes */
    void HandleRead(Ptr<Socket> socket);

    /** @param socket that was closed */
    void HandleClosed(Ptr<Socket> socket);

    Ptr<Socket> m_socket;         //!< the connection; null once released
    IpAddress m_address;          //!< where it comes from
    uint16_t m_port;              //!< of the learner that is called
    GreetingCallback m_greeting;  //!< wants to know who calls
    std::vector<uint8_t> m_bytes; //!< of the greeting, as far as it came
};

} // namespace ns3::dlearn

#endif // DLEARN_TCP_CALLER_H
