/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TRACE_CONNECTIONS_H
#define DLEARN_TRACE_CONNECTIONS_H

#include "ns3/callback.h"
#include "ns3/object.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What an observer is connected to: its member, so that the connections end with the observer,
 * which may be before the simulation runs, or while objects that it observes go on, and with the
 * simulation (Simulator::Destroy()), which frees what is observed and so completes files of ns-3.
 */
class TraceConnections
{
  public:
    TraceConnections() = default;
    ~TraceConnections();
    TraceConnections(const TraceConnections&) = delete;
    TraceConnections& operator=(const TraceConnections&) = delete;

    /**
     * @param source an object, which lives as long as the connection
     * @param trace one of its trace sources
     * @param sink is called without a context
     */
    void Add(const Ptr<Object>& source, const std::string& trace, const CallbackBase& sink);

  private:
    /** A trace source, and what it calls. */
    struct Connection
    {
        Ptr<Object> source; //!< has the trace source
        std::string trace;  //!< name of it
        CallbackBase sink;  //!< what it calls
    };

    /** Disconnect everything. */
    void End();

    std::vector<Connection> m_connections; //!< all
    std::shared_ptr<const bool> m_alive;   //!< gone with this; null without connections
};

} // namespace ns3::dlearn

#endif // DLEARN_TRACE_CONNECTIONS_H
