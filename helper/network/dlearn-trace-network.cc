/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-trace-network.h"

#include "dlearn-link-network.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-files.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/log.h"
#include "ns3/point-to-point-channel.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/ppp-header.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnTraceNetwork");

CellularTrace::CellularTrace(const std::string& path)
{
    LineReader reader(path);
    std::string line;
    while (reader.Next(line))
    {
        const auto time = ParseWholeNumber(line);
        Require(time.has_value(),
                reader.GetPlace() +
                    ": time must be a whole number of milliseconds from 0 to 4294967295, got '" +
                    line.substr(0, 40) + "'");
        Require(m_times.empty() || *time >= m_times.back(),
                reader.GetPlace() + ": time must be at least the one before it, " +
                    std::to_string(m_times.empty() ? 0 : m_times.back()) + ", got " +
                    std::to_string(*time));
        m_times.push_back(*time);
    }
    Require(!m_times.empty(), path, ": a trace must have at least one packet opportunity");
    Require(m_times.back() > 0, path, ": a trace must have a time greater than 0, all are 0");
    m_times.shrink_to_fit();
}

Time
CellularTrace::GetTime(uint64_t k) const
{
    return MilliSeconds(k / GetCount() * m_times.back() + m_times[k % GetCount()]);
}

uint64_t
CellularTrace::FindFrom(Time time) const
{
    // Times of the trace are whole milliseconds, so the given time is rounded up. The end of a
    // period belongs to it, so that its last opportunities are found before the first ones of the
    // next.
    const uint64_t nanoseconds = time.GetNanoSeconds();
    const uint64_t milliseconds = nanoseconds / 1000000 + (nanoseconds % 1000000 > 0);
    const uint64_t period = m_times.back();
    const uint64_t pass = milliseconds == 0 ? 0 : (milliseconds - 1) / period;
    const auto found =
        std::lower_bound(m_times.begin(), m_times.end(), milliseconds - pass * period);
    return pass * GetCount() + (found - m_times.begin());
}

namespace
{

/**
 * Sends the packets of a point-to-point device at the times of a cellular trace, to the nanosecond.
 *
 * As in Mahimahi's LinkQueue, an opportunity is a budget of 1500 bytes of IP packets. Small packets
 * share one; a packet that does not fit into the remaining budget uses this budget and leaves at
 * the next opportunity. A packet uses opportunities at or after the time at which it reaches the
 * head of the queue; opportunities without a packet are wasted.
 *
 * A device fires its trace source PhyTxBegin for a packet, and then computes the transmission time
 * from its rate. A rate is a whole number of bits per second, which would round the end of an
 * outage of a minute by more than half a second. Therefore the rate is so high that the
 * transmission takes no time, and the time from the trace is added both to the gap after the
 * packet, during which the device is busy, and to the delay of the channel, which the device uses
 * next. Each end of a channel sets the delay just before its use.
 */
class TraceDrivenRate : public SimpleRefCount<TraceDrivenRate>
{
  public:
    /**
     * Make a device follow a trace. Its rate, its gap and the delay of its channel must not be
     * changed afterwards.
     *
     * @param device device on a channel on which nothing was sent; it keeps the result alive
     * @param trace transmission opportunities
     * @param delay propagation delay of the channel, at least 0
     */
    static Ptr<TraceDrivenRate> Install(Ptr<PointToPointNetDevice> device,
                                        std::shared_ptr<const CellularTrace> trace,
                                        Time delay)
    {
        device->SetDataRate(DataRate(1000000000000000000)); // the largest packet in 0.0005 ns
        Ptr<TraceDrivenRate> rate(new TraceDrivenRate(PeekPointer(device), std::move(trace), delay),
                                  false);
        device->TraceConnectWithoutContext("PhyTxBegin",
                                           MakeCallback(&TraceDrivenRate::HandleTxBegin, rate));
        return rate;
    }

    /**
     * Set the time of the trace at the start of the simulation. Call before the first packet is
     * sent.
     */
    void SetStart(Time start) { m_start = start; }

  private:
    TraceDrivenRate(PointToPointNetDevice* device,
                    std::shared_ptr<const CellularTrace> trace,
                    Time delay)
        : m_device(device),
          m_trace(std::move(trace)),
          m_delay(delay)
    {
    }

    /** Sink of PhyTxBegin: compute when a packet leaves, and set gap and delay. */
    void HandleTxBegin(Ptr<const Packet> packet)
    {
        const Time now = m_start + Simulator::Now();
        if (m_trace->GetTime(m_next) < now)
        {
            m_next = m_trace->FindFrom(now); // skips wasted opportunities
            m_left = CellularTrace::OPPORTUNITY_BYTES;
        }
        // The trace counts IP packets.
        uint32_t bytes = packet->GetSize() - PppHeader().GetSerializedSize();
        for (; bytes > m_left; ++m_next)
        {
            bytes -= m_left;
            m_left = CellularTrace::OPPORTUNITY_BYTES;
        }
        const Time wait = m_trace->GetTime(m_next) - now;
        m_left -= bytes;
        if (m_left == 0)
        {
            ++m_next;
            m_left = CellularTrace::OPPORTUNITY_BYTES;
        }
        m_device->SetInterframeGap(wait);
        m_device->GetChannel()->SetAttribute("Delay", TimeValue(m_delay + wait));
    }

    PointToPointNetDevice* m_device; //!< not owned: it keeps this object alive
    std::shared_ptr<const CellularTrace> m_trace;
    Time m_delay;
    Time m_start;
    uint64_t m_next{0};                                //!< next opportunity
    uint32_t m_left{CellularTrace::OPPORTUNITY_BYTES}; //!< its remaining bytes, at least 1
};

/** @return the file of a direction, compressed or not; empty if it does not exist */
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

/**
 * A star of point-to-point links to a server, whose rates follow a cellular trace (CellularTrace,
 * TraceDrivenRate).
 *
 * All clients have the same trace, but start at different times of it, drawn uniformly from the
 * period. Both directions of a link, which were recorded together, start at the same time, drawn
 * from the longer period if they differ; each direction repeats after its own period. If the
 * attribute RandomStart is false, all links start at time 0.
 *
 * The rate of a single client is refused; delay and loss apply in addition to the trace. The UDP
 * traffic of a learner is paced by the device, so it waits until an outage ends.
 */
class TraceNetwork : public P2pNetwork
{
  public:
    static TypeId GetTypeId()
    {
        // Not derived from P2pNetwork's TypeId, because the trace determines the rates.
        static TypeId tid = AddAttributes(
            MakeTypeId<TraceNetwork, LinkNetwork>("ns3::dlearn::TraceNetwork")
                .AddAttribute("File",
                              "Trace for both directions, or the common name of a pair NAME.down "
                              "(server to clients) and NAME.up, or NAME.down.gz and NAME.up.gz",
                              StringValue(""),
                              MakeStringAccessor(&TraceNetwork::Read, &TraceNetwork::GetFile),
                              MakeStringChecker())
                .AddAttribute("RandomStart",
                              "Whether each client starts at a random time of the trace",
                              BooleanValue(true),
                              MakeBooleanAccessor(&TraceNetwork::m_randomStart),
                              MakeBooleanChecker()),
            {"Delay", "QueueDisc", "QueueSize"});
        return tid;
    }

    void Read(std::string path)
    {
        m_path = path;
        if (path.empty())
        {
            return;
        }
        std::error_code ignored;
        const std::string down = FindDirection(path, ".down");
        const std::string up = FindDirection(path, ".up");
        const bool pair = !down.empty() && !up.empty();
        // CellularTrace reports files that exist but cannot be read.
        if (std::filesystem::is_regular_file(path, ignored) ||
            (!pair && std::filesystem::exists(path, ignored)))
        {
            m_down = std::make_shared<CellularTrace>(path);
            m_up = m_down;
            return;
        }
        if (!pair)
        {
            throw std::runtime_error("network trace: there is neither a file " + path +
                                     " nor a pair " + path + ".down and " + path +
                                     ".up, with or without .gz");
        }
        m_down = std::make_shared<CellularTrace>(down);
        m_up = std::make_shared<CellularTrace>(up);
    }

    std::string GetFile() const { return m_path; }

    std::string GetName() const override { return "trace:" + m_path; }

    int64_t AssignStreams(int64_t stream) override
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

  protected:
    void CheckFits(const Graph& graph) const override
    {
        P2pNetwork::CheckFits(graph);
        Require(m_up != nullptr, "network must be trace:FILE, got 'trace:'");
        Check(m_setup.server.has_value(), "needs a server, the middle of the star of links");
        for (LearnerId id = 0; id < m_setup.links.size(); ++id)
        {
            Check(!m_setup.links[id].rate,
                  "learner " + std::to_string(id) +
                      " can have no rate of its own, the rate follows the trace");
        }
    }

    void Connect(const Graph& graph) override
    {
        NS_LOG_FUNCTION(this << graph.GetSize());
        P2pNetwork::Connect(graph);
        if (m_randomStart)
        {
            m_start = CreateObject<UniformRandomVariable>();
            DrawStarts();
        }
    }

    NetDeviceContainer MakeLink(Ptr<Node> a, Ptr<Node> b, const LinkQuality& link) override
    {
        const NetDeviceContainer ends = P2pNetwork::MakeLink(a, b, link);
        const auto install = [&](uint32_t end, const std::shared_ptr<const CellularTrace>& trace) {
            const auto device = DynamicCast<PointToPointNetDevice>(ends.Get(end));
            return TraceDrivenRate::Install(device, trace, link.delay);
        };
        const uint32_t server = a == m_nodes.Get(*m_setup.server) ? 0 : 1;
        m_links.push_back({install(server, m_down), install(1 - server, m_up)});
        return ends;
    }

  private:
    /** Draw the time of the trace at which each client starts. */
    void DrawStarts()
    {
        const double period = std::max(m_down->GetPeriod(), m_up->GetPeriod()).GetNanoSeconds();
        for (const TraceLink& link : m_links)
        {
            const Time start = NanoSeconds(static_cast<int64_t>(m_start->GetValue(0, period)));
            link.down->SetStart(start);
            link.up->SetStart(start);
        }
    }

    /** Both directions of the link of a client. */
    struct TraceLink
    {
        Ptr<TraceDrivenRate> down; //!< server to client
        Ptr<TraceDrivenRate> up;   //!< client to server
    };

    std::string m_path;
    bool m_randomStart{true};
    std::shared_ptr<const CellularTrace> m_down; //!< server to clients
    std::shared_ptr<const CellularTrace> m_up;   //!< clients to server
    std::vector<TraceLink> m_links;              //!< in the order of the clients
    Ptr<UniformRandomVariable> m_start;          //!< start of each client; null: all at 0
};

NS_OBJECT_ENSURE_REGISTERED(TraceNetwork);

} // namespace

} // namespace ns3::dlearn
