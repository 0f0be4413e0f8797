/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_LTE_NETWORK_H
#define DLEARN_LTE_NETWORK_H

#include "dlearn-network.h"

#include "ns3/net-device-container.h"
#include "ns3/node-container.h"

namespace ns3
{

class LteHelper;
class PointToPointEpcHelper;
} // namespace ns3

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The clients of a server in LTE cells: ns-3's LTE module with its core network (EPC).
 *
 * The server is a host in the internet: a point-to-point link joins it with the core network's
 * gateway (PGW). The rate of that link is NetworkOptions::trunkRate and its delay
 * NetworkOptions::delay, unless NetworkOptions::links overrides them for the server. Loss is on
 * this link, in both directions; the air loses nothing, see below. The only link of a client is the
 * radio, which options cannot change. Clients reach only the server, not each other.
 *
 * The cell: a base station (eNB) in the centre of the square, 10 MHz (50 resource blocks) each
 * way around 2.1 GHz; 43 dBm, noise figure 5 dB. Clients (UE): up to 23 dBm with power control,
 * noise figure 9 dB, placed and moved like those of a WifiNetwork; a position given for the server
 * is ignored. Antennas are isotropic; there is no fading. Path loss: 128.1 dB +
 * 37.6 log10(distance in km), the urban macro cell of 3GPP TR 36.942 at 2 GHz. Round robin
 * scheduling: all clients with data to send or to receive have the same share of the air. Near the
 * base station the cell carries some 29 Mbit/s down and 30 Mbit/s up, all clients together; 707 m
 * from it, in the corners of the largest square, a client alone gets 18 Mbit/s and sends 2 Mbit/s.
 * From some 850 m on clients appear to be connected but cannot transfer data; MAX_SIDE excludes
 * that.
 *
 * NetworkOptions::baseStations puts more of them on a grid in a larger square, see ChooseGrid().
 * Clients attach to the nearest. All cells have the same carrier and disturb each other where they
 * meet. A client that moves is handed over (X2) to a base station that it receives 3 dB better for
 * 0.256 s, see ns3::A3RsrpHandoverAlgorithm.
 *
 * Nothing is lost on the air: the default bearer retransmits lost data (RLC acknowledged mode).
 * Its buffers at both ends, 10 kB in ns-3, hold 500 packets (750 kB), as a queue of Wi-Fi does, or
 * NetworkOptions::queues; what does not fit is lost. A client cannot see how full they are, so
 * that its UDP is not paced. The core network has the queues of ns-3.
 *
 * Clients attach 4 ms apart, because most of many simultaneous attempts collide; see
 * GetReadyTime(). The base station has 320 places for sounding signals (SRS), some of which are
 * held by failed attempts to attach for a while; therefore there is MAX_CLIENTS.
 *
 * ns-3's core network has fixed addresses, and clients look for their base station by its number in
 * the whole simulation: so a simulation can have one such network, and any number of others. The
 * base station sends for ever, so a simulation ends by Simulator::Stop() only. Ten clients cost
 * about 0.3 s of computing for a simulated second, a hundred 5 s.
 */
class LteNetwork : public Network
{
  public:
    /** Number of clients that a base station has room for. */
    static constexpr uint32_t MAX_CLIENTS = 280;

    /** Side in metres of the largest square that one base station covers. */
    static constexpr double MAX_SIDE = 1000;

    /** How many base stations there may be. */
    static constexpr uint32_t MAX_BASE_STATIONS = 16;

    LteNetwork();
    ~LteNetwork() override;

    std::string GetName() const override { return "lte"; }

    bool HasEffect(const std::string& option) const override;
    Ipv4Address GetAddress(LearnerId from, LearnerId to) const override;

    bool HasBroadcast() const override { return false; }

    double GetLoss(LearnerId from, LearnerId to) const override;
    Time GetReadyTime() const override;
    int64_t AssignStreams(int64_t stream) override;

  protected:
    MtuRange GetMtuRange() const override;
    void CheckFits(const Graph& graph, const NetworkOptions& options) const override;
    void Connect(const Graph& graph, const NetworkOptions& options) override;

  private:
    /** Refuse a second network of this kind in the simulation. */
    void CheckAlone() const;

    /**
     * Make the radio: base stations and clients, at their places.
     * @param options what the user asked for
     */
    void BuildCells(const NetworkOptions& options);

    /** Give the clients addresses and routes. */
    void AddressClients();

    /**
     * Join the server with the gateway.
     * @param options what the user asked for
     */
    void ConnectServer(const NetworkOptions& options);

    /** Let the clients attach, one after the other, and give their bearers buffers. */
    void AttachClients();

    Ptr<PointToPointEpcHelper> m_core;  //!< the core network (EPC)
    Ptr<LteHelper> m_radio;             //!< makes radio devices
    LearnerId m_server{0};              //!< the host behind the gateway
    NodeContainer m_clients;            //!< all learners but the server, in order
    NodeContainer m_baseStations;       //!< one in each cell
    NetDeviceContainer m_baseDevices;   //!< of the base stations
    NetDeviceContainer m_clientDevices; //!< of the clients
};

} // namespace ns3::dlearn

#endif // DLEARN_LTE_NETWORK_H
