/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_CELLULAR_NETWORK_H
#define DLEARN_CELLULAR_NETWORK_H

#include "dlearn-network.h"

#include "ns3/dlearn-attribute-lookup.h"
#include "ns3/net-device-container.h"
#include "ns3/object-map.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Cells with the clients of a server, behind a core network; the radio is that of a derived class.
 *
 * The server is a remote host, connected to the core network's gateway (PGW) by a point-to-point
 * link. The rate of this link is TrunkRate and its delay is Delay, unless NetworkSetup::links
 * overrides them for the server. Loss applies to this link, in both directions; the radio loses
 * nothing, see below. The only link of a client is the radio, which options cannot change. Clients
 * reach only the server, not each other. Their positions and mobility are as in a WifiNetwork; a
 * position of the server is ignored.
 *
 * One base station is in the centre of the square. BaseStations places several on a grid in a
 * larger square, see ChooseGrid(). Clients attach to the nearest one. All cells use the same
 * carrier and interfere with each other.
 *
 * The radio loses nothing: the default bearer retransmits lost data (RLC acknowledged mode). Its
 * buffers at both ends, 10 kB in ns-3, hold 500 packets (750 kB), as a Wi-Fi queue does, or
 * QueueSize; packets that do not fit are lost. A client cannot see how full they are, so its UDP is
 * not paced. The core network has ns-3's queues.
 *
 * A simulation can have only one such network, and any number of others, because ns-3's core
 * network has fixed addresses, and clients find their base station by its number in the simulation.
 * The base station never stops sending, so a simulation ends by Simulator::Stop() only.
 */
class CellularNetwork : public Network
{
  public:
    static TypeId GetTypeId();

    Ipv4Address GetAddress(LearnerId from, LearnerId to) const override;

    bool HasBroadcast() const override { return false; }

    /** @return that of the link of the server, of all packets; the radio loses nothing */
    double GetLoss(LearnerId from, LearnerId to) const override;

    Time GetReadyTime() const override;

    int64_t AssignStreams(int64_t stream) override;

    /** @param place cells: a client's is that of the nearest base station, to which it attaches. A
     *  client that moves is behind the base station that serves it */
    std::vector<std::pair<Ptr<Node>, std::vector<LearnerId>>> FindEdges(
        const std::string& place) const override;

    bool WatchEdges(const EdgeCallback& moved) const override;

    /**
     * The IP packets of a client begin and end at the gateway of the core network (PGW), so those
     * between a client and its base station go there and back, without local breakout, over links
     * of 10 Gbit/s without delay (attributes of ns-3's core network).
     */
    Address MakeReachable(const Ptr<Node>& node) override;

  protected:
    /** What differs between the radios. */
    struct Radio
    {
        double side;                      //!< greatest of a square for one base station, in metres
        uint32_t clients;                 //!< most of them
        std::vector<std::string> buffers; //!< types with the attribute MaxTxBufferSize
        double clientHeight{0};           //!< of antennas above the ground, in metres
        double stationHeight{0};          //!< of antennas above the ground, in metres
    };

    virtual Radio GetRadio() const = 0;

    /**
     * Install the radio on m_clients and m_baseStations, which have positions, and call
     * UseRadio().
     */
    virtual void InstallRadio() = 0;

    /**
     * Use a radio that was installed, and set dlearn's defaults of its bearers.
     *
     * @tparam Client device of a client
     * @tparam Station device of a base station
     * @tparam Bearer what both have of a bearer
     * @param helper which installed the radio
     * @param core the core network
     * @param stations devices of the base stations
     * @param clients devices of the clients
     * @param attach attaches all clients to the nearest base stations; is called in Build(), when
     *        clients have addresses
     */
    template <typename Client, typename Station, typename Bearer, typename Helper, typename Core>
    void UseRadio(const Ptr<Helper>& helper,
                  const Ptr<Core>& core,
                  const NetDeviceContainer& stations,
                  const NetDeviceContainer& clients,
                  std::function<void()> attach);

    /** Milliseconds between the attempts of two clients to attach, where they must not collide. */
    static constexpr uint32_t ATTACH_GAP{4};

    MtuRange GetMtuRange() const override { return FRAME_MTU; }

    void CheckFits(const Graph& graph) const override;
    void Connect(const Graph& graph) override;

    uint32_t m_baseStationNumber{1};
    NodeContainer m_clients; //!< all learners except the server, in order
    NodeContainer m_baseStations;

  private:
    void CheckAlone() const;
    void AddressClients();
    void ConnectServer();
    uint32_t ChooseBufferSize() const;

    Ptr<Node> m_gateway; //!< of the core network (PGW)
    Ptr<Node> m_serving; //!< the gateway of the base stations (SGW)
    Ipv4Address m_clientGateway;
    NetDeviceContainer m_baseDevices;
    NetDeviceContainer m_clientDevices;
    std::map<uint16_t, size_t> m_cells;  //!< base stations by the number of their cell
    std::vector<Ptr<Object>> m_controls; //!< of the radio resources (RRC), of each client
    std::function<void()> m_attach;
    std::function<int64_t(const NetDeviceContainer&, int64_t)> m_assignStreams;
};

template <typename Client, typename Station, typename Bearer, typename Helper, typename Core>
void
CellularNetwork::UseRadio(const Ptr<Helper>& helper,
                          const Ptr<Core>& core,
                          const NetDeviceContainer& stations,
                          const NetDeviceContainer& clients,
                          std::function<void()> attach)
{
    // The core network uses the helpers during the simulation, but does not own them.
    Simulator::ScheduleDestroy([core, helper] {});
    m_gateway = core->GetPgwNode();
    m_serving = core->GetSgwNode();
    m_clientGateway = core->GetUeDefaultGatewayAddress();
    m_baseDevices = stations;
    m_clientDevices = clients;
    m_attach = std::move(attach);
    m_assignStreams = [helper](const NetDeviceContainer& devices, int64_t stream) {
        return helper->AssignStreams(devices, stream);
    };
    // Raw pointers in what the devices own: one that counts would keep them for ever.
    std::vector<Station*> owners;
    for (uint32_t k = 0; k < stations.GetN(); ++k)
    {
        const auto station = DynamicCast<Station>(stations.Get(k));
        SetOwnDefault(station->GetRrc(), "EpsBearerToRlcMapping", StringValue("RlcAmAlways"));
        m_cells[station->GetCellId()] = k;
        owners.push_back(PeekPointer(station));
    }
    const auto setBuffers = [size = ChooseBufferSize()](const Ptr<Object>& owner) {
        ObjectMapValue bearers;
        owner->GetAttribute("DataRadioBearerMap", bearers);
        for (auto entry = bearers.Begin(); entry != bearers.End(); ++entry)
        {
            const auto bearer = DynamicCast<Bearer>(entry->second);
            SetOwnDefault(bearer->m_rlc, "MaxTxBufferSize", UintegerValue(size));
        }
    };
    for (uint32_t k = 0; k < clients.GetN(); ++k)
    {
        auto* const control = PeekPointer(DynamicCast<Client>(clients.Get(k))->GetRrc());
        m_controls.emplace_back(control);
        // The bearer exists at both ends. A handover creates a new one.
        control->TraceConnectWithoutContext(
            "DrbCreated",
            Callback<void, uint64_t, uint16_t, uint16_t, uint8_t>(
                [=, cells = m_cells](uint64_t, uint16_t cell, uint16_t rnti, uint8_t) {
                    setBuffers(control);
                    const auto rrc = owners.at(cells.at(cell))->GetRrc();
                    if (rrc->HasUeManager(rnti))
                    {
                        setBuffers(rrc->GetUeManager(rnti));
                    }
                }));
    }
}

} // namespace ns3::dlearn

#endif // DLEARN_CELLULAR_NETWORK_H
