/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-trace-connections.h"

namespace ns3::dlearn
{

TraceConnections::~TraceConnections()
{
    for (const Connection& connection : m_connections)
    {
        connection.source->TraceDisconnectWithoutContext(connection.trace, connection.sink);
    }
}

void
TraceConnections::Add(const Ptr<Object>& source, const std::string& trace, const CallbackBase& sink)
{
    source->TraceConnectWithoutContext(trace, sink);
    m_connections.push_back({source, trace, sink});
}

} // namespace ns3::dlearn
