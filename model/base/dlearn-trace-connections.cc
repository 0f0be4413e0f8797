/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-trace-connections.h"

#include "ns3/simulator.h"

namespace ns3::dlearn
{

void
TraceConnections::End()
{
    for (const Connection& connection : m_connections)
    {
        connection.source->TraceDisconnectWithoutContext(connection.trace, connection.sink);
    }
    m_connections.clear();
    m_alive.reset();
}

void
TraceConnections::Add(const Ptr<Object>& source, const std::string& trace, const CallbackBase& sink)
{
    if (!m_alive)
    {
        m_alive = std::make_shared<const bool>(true);
        Simulator::ScheduleDestroy([this, alive = std::weak_ptr<const bool>(m_alive)] {
            if (!alive.expired())
            {
                End();
            }
        });
    }
    source->TraceConnectWithoutContext(trace, sink);
    m_connections.push_back({source, trace, sink});
}

} // namespace ns3::dlearn
