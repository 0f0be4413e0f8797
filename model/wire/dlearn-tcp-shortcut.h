/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TCP_SHORTCUT_H
#define DLEARN_TCP_SHORTCUT_H

#include "ns3/ptr.h"
#include "ns3/socket.h"

#include <cstdint>

namespace ns3::dlearn
{

class TcpDemux;

/**
 * @ingroup dlearn
 * Finds the socket of the segments of a connection in a table, during the lifetime of this object.
 *
 * For each segment ns-3's TCP compares all end points of the node with it. Where thousands of
 * clients are connected with a server, that takes more time than the rest of the simulation. With a
 * shortcut the socket gets the same segments at the same time.
 *
 * ns-3's search remains for connections over IPv6, with a socket that is bound to a device or is
 * not of ns-3's TCP, and while checksums are computed.
 */
class TcpShortcut
{
  public:
    /** Addresses and ports of a connection, those of the peer first. */
    struct Key
    {
        uint64_t peer{0}; //!< address and port
        uint64_t own{0};  //!< the same of the node

        /** @return whether both are the same */
        friend bool operator==(const Key& a, const Key& b)
        {
            return a.peer == b.peer && a.own == b.own;
        }
    };

    /** @param socket of a connection that is established */
    explicit TcpShortcut(const Ptr<Socket>& socket);
    ~TcpShortcut();

    TcpShortcut(const TcpShortcut&) = delete;
    TcpShortcut& operator=(const TcpShortcut&) = delete;

  private:
    Key m_key;             //!< of the connection
    Ptr<Socket> m_socket;  //!< of the connection
    Ptr<TcpDemux> m_demux; //!< of the node; null: no shortcut
};

} // namespace ns3::dlearn

#endif // DLEARN_TCP_SHORTCUT_H
