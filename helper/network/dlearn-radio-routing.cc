/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-radio-routing.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-shortest-paths.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-routing-helper.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/ipv4.h"
#include "ns3/node.h"

#include <numeric>
#include <vector>

#ifdef DLEARN_WITH_AODV
#include "ns3/aodv-helper.h"
#include "ns3/aodv-routing-protocol.h"
#endif

#ifdef DLEARN_WITH_DSDV
#include "ns3/dsdv-helper.h"
#include "ns3/dsdv-routing-protocol.h"
#endif

#ifdef DLEARN_WITH_OLSR
#include "ns3/olsr-helper.h"
#include "ns3/olsr-routing-protocol.h"
#endif

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(RadioRouting);

TypeId
RadioRouting::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<RadioRouting, Object>("ns3::dlearn::RadioRouting")
            .AddAttribute("ReadyTime",
                          "Simulated time before which learners do not send; 0: the time that the "
                          "protocol takes for the same number of nodes in a line",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RadioRouting::m_readyTime),
                          MakeTimeChecker(Time(0)));
    return tid;
}

Time
RadioRouting::GetReadyTime(uint32_t nodes) const
{
    return m_readyTime.IsZero() ? MeasureReadyTime(nodes) : m_readyTime;
}

int64_t
RadioRouting::AssignStreams(const NodeContainer& /* nodes */, int64_t /* stream */) const
{
    return 0;
}

const ComponentFamily&
GetRadioRoutingFamily()
{
    static const ComponentFamily family{"routing", RadioRouting::GetTypeId(), {"Routing"}, true};
    return family;
}

namespace
{

void
InstallIpv4(const Ipv4RoutingHelper& routing, const NodeContainer& nodes)
{
    InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    stack.SetRoutingHelper(routing);
    stack.Install(nodes);
}

} // namespace

/**
 * @ingroup dlearn
 * Fixed routes with the fewest radio hops, over radios that receive each other. They cost no
 * packets.
 */
class StaticRouting : public RadioRouting
{
  public:
    static TypeId GetTypeId();

    void InstallStack(const NodeContainer& nodes) const override
    {
        InstallIpv4(Ipv4StaticRoutingHelper(), nodes);
    }

    bool FollowsMotion() const override { return false; }

    void SetUp(const NodeContainer& nodes, const Graph& reach) const override
    {
        std::vector<CostedLink> links;
        Graph both(reach.GetSize());
        for (const auto& [a, b] : reach.GetPairs())
        {
            if (reach.GetWeight(a, b) > 0 && reach.GetWeight(b, a) > 0)
            {
                links.push_back({a, b, 1});
                both.AddEdge(a, b);
            }
        }
        RequireConnected(both, "the graph of radios that receive each other");
        std::vector<uint32_t> targets(nodes.GetN());
        std::iota(targets.begin(), targets.end(), 0);
        const ShortestPaths paths = FindShortestPaths(nodes.GetN(), links, targets);
        for (uint32_t to = 0; to < nodes.GetN(); ++to)
        {
            for (uint32_t from = 0; from < nodes.GetN(); ++from)
            {
                const uint32_t next = paths.next[to][from];
                if (next != to)
                {
                    const auto ipv4 = nodes.Get(from)->GetObject<Ipv4>();
                    Ipv4StaticRoutingHelper().GetStaticRouting(ipv4)->AddHostRouteTo(
                        GetAddress(nodes, to),
                        GetAddress(nodes, next),
                        INTERFACE);
                }
            }
        }
    }

  private:
    static constexpr uint32_t INTERFACE = 1; //!< of the radio; 0 is the loopback interface

    static Ipv4Address GetAddress(const NodeContainer& nodes, uint32_t node)
    {
        return nodes.Get(node)->GetObject<Ipv4>()->GetAddress(INTERFACE, 0).GetLocal();
    }
};

DLEARN_TYPE_WITHOUT_ATTRIBUTES(StaticRouting, RadioRouting);

/**
 * @ingroup dlearn
 * Routing by a protocol of ns-3, which also finds routes while learners move.
 *
 * @tparam Helper helper that installs the protocol
 * @tparam Protocol routing protocol of a node, with AssignStreams()
 */
template <typename Helper, typename Protocol>
class ProtocolRouting : public RadioRouting
{
  public:
    void InstallStack(const NodeContainer& nodes) const override { InstallIpv4(Helper(), nodes); }

    bool FollowsMotion() const override { return true; }

    int64_t AssignStreams(const NodeContainer& nodes, int64_t stream) const override
    {
        int64_t next = stream;
        for (auto node = nodes.Begin(); node != nodes.End(); ++node)
        {
            const auto routing = (*node)->GetObject<Ipv4>()->GetRoutingProtocol();
            next += Ipv4RoutingHelper::GetRouting<Protocol>(routing)->AssignStreams(next);
        }
        return next - stream;
    }
};

#ifdef DLEARN_WITH_AODV

/**
 * @ingroup dlearn
 * Ad hoc On-Demand Distance Vector routing (RFC 3561): a route is searched when needed.
 */
class AodvRouting : public ProtocolRouting<AodvHelper, aodv::RoutingProtocol>
{
  public:
    static TypeId GetTypeId();
};

DLEARN_TYPE_WITHOUT_ATTRIBUTES(AodvRouting, RadioRouting);

#endif

#ifdef DLEARN_WITH_DSDV

/**
 * @ingroup dlearn
 * Destination-Sequenced Distance Vector routing (Perkins and Bhagwat, 1994): nodes send their
 * tables to neighbours periodically.
 */
class DsdvRouting : public ProtocolRouting<DsdvHelper, dsdv::RoutingProtocol>
{
  public:
    static TypeId GetTypeId();

  protected:
    Time MeasureReadyTime(uint32_t nodes) const override
    {
        // Measured: 5 nodes take less than 15 s, 10 less than 20 s; of 20 some take 45 s.
        return Seconds(15) + nodes * Seconds(2);
    }
};

DLEARN_TYPE_WITHOUT_ATTRIBUTES(DsdvRouting, RadioRouting);

#endif

#ifdef DLEARN_WITH_OLSR

/**
 * @ingroup dlearn
 * Optimized Link State Routing (RFC 3626): every node knows all routes.
 */
class OlsrRouting : public ProtocolRouting<OlsrHelper, olsr::RoutingProtocol>
{
  public:
    static TypeId GetTypeId();

  protected:
    Time MeasureReadyTime(uint32_t nodes) const override
    {
        // Measured: 5 nodes take 10.5 s, 10 take 12 s, 20 take 18.5 s, 40 take 19 s.
        return Seconds(15) + nodes * MilliSeconds(300);
    }
};

DLEARN_TYPE_WITHOUT_ATTRIBUTES(OlsrRouting, RadioRouting);

#endif

} // namespace ns3::dlearn
