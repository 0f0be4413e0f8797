/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TRACE_NETWORK_H
#define DLEARN_TRACE_NETWORK_H

#include "dlearn-p2p-network.h"
#include "dlearn-trace-driven-rate.h"

#include "ns3/random-variable-stream.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * A star of point-to-point links to a server, the rate of each of which follows a cellular
 * trace (CellularTrace, TraceDrivenRate).
 *
 * Every client has its own link, with the same trace, but is at another time of it: at the
 * start of the simulation at one drawn uniformly from the period, the same for both directions,
 * which were recorded together (from the longer period when they differ; each direction
 * repeats after its own). NetworkOptions::randomStart switches this off; then all are at time 0.
 *
 * NetworkOptions::rate is not used, and the rate of a single client is refused; delay and loss are
 * added to the trace. A learner's UDP waits for the device, which spaces the packets, until an
 * outage ends.
 */
class TraceNetwork : public P2pNetwork
{
  public:
    /**
     * @param path a trace that is used in both directions; or what remains of the names of a
     *        pair of traces without their ends `.down` (server to clients) and `.up` (clients to
     *        server), or `.down.gz` and `.up.gz`
     * @throw std::runtime_error naming the files that were looked for when there are none, and
     *        as CellularTrace
     * @throw std::invalid_argument as CellularTrace
     */
    explicit TraceNetwork(const std::string& path);

    std::string GetName() const override { return "trace:" + m_path; }

    bool HasEffect(const std::string& option) const override;
    int64_t AssignStreams(int64_t stream) override;

  protected:
    void CheckFits(const Graph& graph, const NetworkOptions& options) const override;
    void Connect(const Graph& graph, const NetworkOptions& options) override;
    NetDeviceContainer MakeLink(Ptr<Node> a, Ptr<Node> b, const LinkQuality& link) override;

  private:
    /** Put every client at a time of the trace. */
    void DrawStarts();

    /** Both directions of the link of a client. */
    struct TraceLink
    {
        Ptr<TraceDrivenRate> down; //!< server to client
        Ptr<TraceDrivenRate> up;   //!< client to server
    };

    std::string m_path;                          //!< as given
    std::shared_ptr<const CellularTrace> m_down; //!< server to clients
    std::shared_ptr<const CellularTrace> m_up;   //!< clients to server
    Ptr<Node> m_server;                          //!< in the middle of the star, while it is built
    std::vector<TraceLink> m_links;              //!< in the order of the clients
    Ptr<UniformRandomVariable> m_start;          //!< when each client starts; null: all at 0
};

} // namespace ns3::dlearn

#endif // DLEARN_TRACE_NETWORK_H
