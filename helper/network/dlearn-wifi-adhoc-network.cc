/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-wifi-network.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/mobility-model.h"
#include "ns3/node.h"
#include "ns3/string.h"

#include <algorithm>

namespace ns3::dlearn
{

namespace
{

/**
 * Learners that communicate directly, by IEEE 802.11 without an access point.
 *
 * With the attribute Routing they forward packets for each other, so that neighbours in the graph
 * need not receive each other. Then there is no broadcast.
 */
class WifiAdhocNetwork : public WifiNetwork
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            AddAttributes(
                MakeTypeId<WifiAdhocNetwork, WifiNetwork>("ns3::dlearn::WifiAdhocNetwork"),
                {"QueueDisc"})
                .AddAttribute("Routing",
                              "Multi-hop routing: none, or one of GetRadioRoutingFamily()",
                              StringValue("none"),
                              MakeStringAccessor(&WifiAdhocNetwork::m_routingText),
                              MakeStringChecker());
        return tid;
    }

    WifiAdhocNetwork()
        : WifiNetwork(7) // dot11ShortRetryLimit of the standard
    {
    }

    std::string GetName() const override { return "wifi-adhoc"; }

    bool HasBroadcast() const override { return !m_routing; }

    Time GetReadyTime() const override
    {
        return m_routing ? m_routing->GetReadyTime(m_nodes.GetN()) : Time(0);
    }

    /** @return the least number of hops at the initial positions; 1 if there is no path */
    uint32_t CountRadioHops(LearnerId from, LearnerId to) const override
    {
        if (!m_reach)
        {
            return 1;
        }
        std::vector<uint32_t> hops(m_reach->GetSize());
        std::vector<LearnerId> found{from}; // nearest first
        for (size_t k = 0; k < found.size() && hops[to] == 0; ++k)
        {
            for (const auto& [neighbor, weight] : m_reach->GetOutNeighbors(found[k]))
            {
                if (hops[neighbor] == 0 && neighbor != from)
                {
                    hops[neighbor] = hops[found[k]] + 1;
                    found.push_back(neighbor);
                }
            }
        }
        return std::max(hops[to], 1U);
    }

    int64_t AssignStreams(int64_t stream) override
    {
        const int64_t used = WifiNetwork::AssignStreams(stream);
        return used + (m_routing ? m_routing->AssignStreams(m_nodes, stream + used) : 0);
    }

    /** As WifiNetwork::SetPowers(); static routes allow only one power for all. */
    void SetPowers(const std::vector<double>& powers) override
    {
        const double known = m_routing && !m_routing->FollowsMotion() ? GetPower(0) : 0;
        const bool other =
            std::any_of(powers.begin(), powers.end(), [&](double p) { return p != known; });
        Check(known == 0 || !other,
              "static routes are for radios that all send with ",
              known,
              " dBm; use another routing with powers");
        WifiNetwork::SetPowers(powers);
    }

  protected:
    NodeContainer MakeNodes(uint32_t learners) override
    {
        if (m_routingText == "none")
        {
            return WifiNetwork::MakeNodes(learners);
        }
        Require(IsComponent(GetRadioRoutingFamily(), m_routingText),
                "routing must be none or one of ",
                JoinNames(GetComponentNames(GetRadioRoutingFamily())),
                "; got '",
                m_routingText,
                "'");
        m_routing = ParseComponent(GetRadioRoutingFamily(), m_routingText).Create<RadioRouting>();
        Check(m_routing->FollowsMotion() || !m_placement.mobility.IsMoving(),
              "static routes are for learners that stand still; use another routing with mobility");
        NodeContainer nodes;
        nodes.Create(learners);
        m_routing->InstallStack(nodes);
        return nodes;
    }

    void Connect(const Graph& graph) override
    {
        WifiNetwork::Connect(graph);
        if (m_routing)
        {
            KeepNeighborTables(); // the next hop may be any node
            m_reach = FindReach();
            m_routing->SetUp(m_nodes, *m_reach);
        }
    }

    NetDeviceContainer InstallDevices(const WifiHelper& wifi, const YansWifiPhyHelper& phy) override
    {
        WifiMacHelper mac;
        // Helpers switch it on from 802.11n on.
        mac.SetType("ns3::AdhocWifiMac",
                    "QosSupported",
                    BooleanValue(GetStandard() == WIFI_STANDARD_80211p));
        return wifi.Install(phy, mac, m_nodes);
    }

  private:
    /** @return which nodes receive which others at the initial positions */
    Graph FindReach() const
    {
        std::vector<Ptr<MobilityModel>> places;
        std::vector<double> powers;
        for (LearnerId id = 0; id < m_nodes.GetN(); ++id)
        {
            places.push_back(m_nodes.Get(id)->GetObject<MobilityModel>());
            powers.push_back(GetPower(id));
        }
        const auto loss = m_pathLossFactory.Create<PropagationLossModel>();
        loss->AssignStreams(m_setup.positionStream + 1); // for a random path loss
        return RadioGraph(places, powers, loss);
    }

    std::optional<Graph> m_reach; //!< see FindReach(); set with routing
    std::string m_routingText{"none"};
    Ptr<RadioRouting> m_routing; //!< null: none
};

NS_OBJECT_ENSURE_REGISTERED(WifiAdhocNetwork);

} // namespace

} // namespace ns3::dlearn
