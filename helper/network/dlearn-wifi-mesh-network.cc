/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-wifi-network.h"

#include "ns3/dlearn-attribute-lookup.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/log.h"
#include "ns3/mesh-helper.h"
#include "ns3/mesh-point-device.h"
#include "ns3/packet.h"
#include "ns3/peer-link.h"
#include "ns3/peer-management-protocol.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnWifiMeshNetwork");

namespace
{

const Time PEERED = Seconds(2);             //!< when mesh points know their peers
const Time PROBE_GAP = MilliSeconds(20);    //!< between the path searches of two learners
constexpr uint16_t PROBE_PROTOCOL = 0x88b5; //!< experimental (IEEE 802), without a receiver

/**
 * Make a mesh point keep its peers under load. By default in ns-3, two consecutive lost packets or
 * beacons close the link to a peer, and with it all paths over this link.
 */
void
KeepPeers(const Ptr<dot11s::PeerManagementProtocol>& protocol, uint32_t interface)
{
    // Not owned, because the protocol owns the callback.
    dot11s::PeerManagementProtocol* const peers = PeekPointer(protocol);
    protocol->TraceConnectWithoutContext(
        "LinkOpen",
        Callback<void, Mac48Address, Mac48Address>(
            [peers, interface](Mac48Address, Mac48Address peer) {
                const auto link = peers->FindPeerLink(interface, peer);
                SetOwnDefault(link, "MaxPacketFailure", UintegerValue(10));
                SetOwnDefault(link, "MaxBeaconLoss", UintegerValue(10));
            }));
}

/** Make HWMP search the paths from a learner. */
void
ProbePaths(const Ptr<NetDevice>& from, const NetDeviceContainer& neighbors)
{
    for (auto to = neighbors.Begin(); to != neighbors.End(); ++to)
    {
        from->Send(Create<Packet>(1), (*to)->GetAddress(), PROBE_PROTOCOL);
    }
}

/**
 * Learners that are IEEE 802.11s mesh points: below IP they forward frames for each other on paths
 * that the Hybrid Wireless Mesh Protocol (HWMP) finds, also while they move.
 *
 * Stations that receive each other's beacons become peers. Paths are searched when needed, and
 * before learners start: one learner after the other sends a byte to each of its neighbours in the
 * graph. Otherwise the searches, which are broadcast, would collide with the first models. There is
 * no broadcast to neighbours, because every mesh point would repeat a broadcast frame, for all
 * learners.
 *
 * Needs ns-3's module mesh.
 */
class WifiMeshNetwork : public WifiNetwork
{
  public:
    static TypeId GetTypeId();

    WifiMeshNetwork()
        : WifiNetwork(7, "legacy", false) // the standard's dot11ShortRetryLimit
    {
        m_queueDisc = "none"; // mesh points cannot stop a queue disc
    }

    std::string GetName() const override { return "wifi-mesh"; }

    bool HasBroadcast() const override { return false; }

    Time GetReadyTime() const override
    {
        return PEERED + m_nodes.GetN() * PROBE_GAP + MilliSeconds(500);
    }

    int64_t AssignStreams(int64_t stream) override
    {
        NS_LOG_FUNCTION(this << stream);
        const int64_t used = WifiNetwork::AssignStreams(stream);
        return used + MeshHelper().AssignStreams(m_meshPoints, stream + used);
    }

  protected:
    void Connect(const Graph& graph) override
    {
        WifiNetwork::Connect(graph);
        for (LearnerId id = 0; id < graph.GetSize(); ++id)
        {
            NetDeviceContainer neighbors;
            for (const auto& [a, b] : graph.GetPairs())
            {
                if (a == id || b == id)
                {
                    neighbors.Add(m_meshPoints.Get(a == id ? b : a));
                }
            }
            // Not a member: this network may be destroyed earlier.
            Simulator::Schedule(PEERED + id * PROBE_GAP, [from = m_meshPoints.Get(id), neighbors] {
                ProbePaths(from, neighbors);
            });
        }
    }

    NetDeviceContainer MakeDevices() override
    {
        const NetDeviceContainer devices = WifiNetwork::MakeDevices();
        SwitchOffAmsdu();
        return devices;
    }

    NetDeviceContainer InstallDevices(const WifiHelper& /* wifi */,
                                      const YansWifiPhyHelper& phy) override
    {
        NS_LOG_FUNCTION(this << m_nodes.GetN());
        MeshHelper mesh = MeshHelper::Default();
        mesh.SetStackInstaller("ns3::Dot11sStack"); // HWMP and peer management
        mesh.SetStandard(GetStandard());
        mesh.SetRemoteStationManager(m_rateManager);
        mesh.SetSpreadInterfaceChannels(MeshHelper::ZERO_CHANNEL); // one channel for all
        mesh.SetNumberOfInterfaces(1);
        m_meshPoints = mesh.Install(phy, m_nodes);
        for (uint32_t k = 0; k < m_meshPoints.GetN(); ++k)
        {
            const Ptr<WifiNetDevice> radio = FindRadio(m_meshPoints.Get(k));
            KeepPeers(m_meshPoints.Get(k)->GetObject<dot11s::PeerManagementProtocol>(),
                      radio->GetIfIndex());
            // MeshHelper has chosen a channel with the least width.
            radio->GetPhy()->SetAttribute("ChannelSettings", StringValue(GetChannelSettings()));
        }
        return m_meshPoints;
    }

    Ptr<WifiNetDevice> FindRadio(Ptr<NetDevice> device) const override
    {
        const auto point = DynamicCast<MeshPointDevice>(device);
        return DynamicCast<WifiNetDevice>(point->GetInterfaces().at(0));
    }

  private:
    NetDeviceContainer m_meshPoints; //!< one per learner
};

DLEARN_TYPE_WITHOUT_ATTRIBUTES(WifiMeshNetwork, WifiNetwork);

} // namespace

} // namespace ns3::dlearn
