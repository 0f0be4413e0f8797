/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-trace-network.h"

#include "dlearn-network-factory.h"

#include "ns3/dlearn-check.h"
#include "ns3/log.h"
#include "ns3/node.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnTraceNetwork");

namespace
{

const NetworkRegistration g_trace("trace:FILE", [](const std::string& argument) {
    return std::make_unique<TraceNetwork>(argument);
});

/**
 * @param path start of the name of a file
 * @param direction how it goes on
 * @return the file, compressed or not; empty when there is none
 */
std::string
FindDirection(const std::string& path, const std::string& direction)
{
    std::error_code ignored;
    for (const std::string end : {".gz", ""})
    {
        if (std::filesystem::exists(path + direction + end, ignored))
        {
            return path + direction + end;
        }
    }
    return "";
}

} // namespace

TraceNetwork::TraceNetwork(const std::string& path)
    : m_path(path)
{
    std::error_code ignored;
    const std::string down = FindDirection(path, ".down");
    const std::string up = FindDirection(path, ".up");
    const bool pair = !down.empty() && !up.empty();
    // What is there, but cannot be read, is refused by the trace, which says why.
    if (std::filesystem::is_regular_file(path, ignored) ||
        (!pair && std::filesystem::exists(path, ignored)))
    {
        m_down = std::make_shared<CellularTrace>(path);
        m_up = m_down;
        return;
    }
    if (!pair)
    {
        throw std::runtime_error("network trace: there is neither a file " + path + " nor a pair " +
                                 path + ".down and " + path + ".up, with or without .gz");
    }
    m_down = std::make_shared<CellularTrace>(down);
    m_up = std::make_shared<CellularTrace>(up);
}

void
TraceNetwork::CheckFits(const Graph& graph, const NetworkOptions& options) const
{
    P2pNetwork::CheckFits(graph, options);
    Require(options.server.has_value(),
            GetName(),
            ": needs a server, the middle of the star of links");
    for (LearnerId id = 0; id < options.links.size(); ++id)
    {
        Require(!options.links[id].rate,
                GetName(),
                ": learner ",
                id,
                " can have no rate of its own, the rate follows the trace");
    }
}

void
TraceNetwork::Connect(const Graph& graph, const NetworkOptions& options)
{
    NS_LOG_FUNCTION(this << graph.GetSize());
    m_server = m_nodes.Get(*options.server);
    P2pNetwork::Connect(graph, options);
    m_server = nullptr;
    if (options.randomStart)
    {
        m_start = CreateObject<UniformRandomVariable>();
        DrawStarts();
    }
}

NetDeviceContainer
TraceNetwork::MakeLink(Ptr<Node> a, Ptr<Node> b, const LinkQuality& link)
{
    const NetDeviceContainer ends = P2pNetwork::MakeLink(a, b, link);
    const auto install = [&](uint32_t end, const std::shared_ptr<const CellularTrace>& trace) {
        const auto device = DynamicCast<PointToPointNetDevice>(ends.Get(end));
        return TraceDrivenRate::Install(device, trace, link.delay);
    };
    const uint32_t server = a == m_server ? 0 : 1;
    m_links.push_back({install(server, m_down), install(1 - server, m_up)});
    return ends;
}

void
TraceNetwork::DrawStarts()
{
    const double period = std::max(m_down->GetPeriod(), m_up->GetPeriod()).GetNanoSeconds();
    for (const TraceLink& link : m_links)
    {
        const Time start = NanoSeconds(static_cast<int64_t>(m_start->GetValue(0, period)));
        link.down->SetStart(start);
        link.up->SetStart(start);
    }
}

int64_t
TraceNetwork::AssignStreams(int64_t stream)
{
    NS_LOG_FUNCTION(this << stream);
    int64_t next = stream;
    next += P2pNetwork::AssignStreams(next);
    if (m_start)
    {
        m_start->SetStream(next++);
        DrawStarts();
    }
    return next - stream;
}

bool
TraceNetwork::HasEffect(const std::string& option) const
{
    return option != "rate" && P2pNetwork::HasEffect(option); // the trace has the rates
}

} // namespace ns3::dlearn
