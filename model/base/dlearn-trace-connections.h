/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TRACE_CONNECTIONS_H
#define DLEARN_TRACE_CONNECTIONS_H

#include "ns3/callback.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * A trace source that counts the calls under way, so that a request of a sink to the owner can wait
 * until the owner has finished.
 */
template <typename... Ts>
class CountedTrace : public TracedCallback<Ts...>
{
  public:
    /** @param running counter of the owner, which outlives the trace: calls under way */
    explicit CountedTrace(uint32_t& running)
        : m_running(running)
    {
    }

    CountedTrace(const CountedTrace&) = delete;
    CountedTrace& operator=(const CountedTrace&) = delete;

    void operator()(Ts... arguments) const
    {
        // Counts down also when a sink throws.
        const auto uncount = [](uint32_t* running) { --*running; };
        const std::unique_ptr<uint32_t, decltype(uncount)> count(&++m_running, uncount);
        TracedCallback<Ts...>::operator()(arguments...);
    }

  private:
    uint32_t& m_running; //!< counter of the owner
};

/**
 * @ingroup dlearn
 * The connections of an observer, as its member. They end with the observer or with the simulation
 * (Simulator::Destroy()), which frees the observed objects and so completes files of ns-3.
 */
class TraceConnections
{
  public:
    TraceConnections() = default;

    ~TraceConnections() { End(); }

    TraceConnections(const TraceConnections&) = delete;
    TraceConnections& operator=(const TraceConnections&) = delete;

    /**
     * @param source an object, which lives as long as the connection
     * @param trace one of its trace sources
     * @param sink is called without a context
     */
    void Add(const Ptr<Object>& source, const std::string& trace, const CallbackBase& sink);

  private:
    struct Connection
    {
        Ptr<Object> source;
        std::string trace;
        CallbackBase sink;
    };

    void End();

    std::vector<Connection> m_connections;
    std::shared_ptr<const bool> m_alive; //!< null without connections
};

} // namespace ns3::dlearn

#endif // DLEARN_TRACE_CONNECTIONS_H
