/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_LINK_NETWORK_H
#define DLEARN_LINK_NETWORK_H

#include "dlearn-network.h"

#include "ns3/net-device-container.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Join two nodes by a full-duplex point-to-point link, without a loss model.
 *
 * @param a one end
 * @param b the other end
 * @param link rate in each direction, and delay
 * @param mtu largest IP packet in bytes
 * @param queues queues of the devices; AddInterface() installs queue discs
 * @return the device at @p a and the device at @p b
 */
NetDeviceContainer MakeP2pLink(Ptr<Node> a,
                               Ptr<Node> b,
                               const LinkQuality& link,
                               uint16_t mtu,
                               const LinkQueues& queues);

/**
 * @ingroup dlearn
 * A network in which each pair of neighbours has a separate link with a separate subnet.
 *
 * Link k has the k-th subnet of four addresses in 10.0.0.0/8, so there can be 2^22 links. Nodes
 * that are not neighbours cannot reach each other.
 *
 * With a server, links may differ: the entry of a client in NetworkSetup::links describes its link
 * to the server. NetworkSetup::schedule may change the loss of each direction of each link.
 */
class LinkNetwork : public Network
{
  public:
    /** Largest number of links, limited by the addresses. */
    static constexpr uint32_t MAX_LINKS = 1 << 22;

    static TypeId GetTypeId();

    Ipv4Address GetAddress(LearnerId from, LearnerId to) const override;

    bool HasBroadcast() const override { return false; }

    double GetLoss(LearnerId from, LearnerId to) const override;

    bool IsIdle(const std::string& attribute) const override { return HaveAllTheirOwn(attribute); }

  protected:
    void CheckFits(const Graph& graph) const override;
    void Connect(const Graph& graph) override;

    bool HasPairLinks() const override { return true; }

    /**
     * Create one link, without a loss model.
     * @return the device at @p a and the device at @p b
     */
    virtual NetDeviceContainer MakeLink(Ptr<Node> a, Ptr<Node> b, const LinkQuality& link) = 0;

  private:
    std::map<std::pair<LearnerId, LearnerId>, Ipv4Address> m_addresses; //!< by (from, to)
};

/**
 * @ingroup dlearn
 * Every edge of the graph is a full-duplex point-to-point link with a rate and a delay.
 *
 * Packets that exceed the rate wait in a queue, by default of 100 packets.
 */
class P2pNetwork : public LinkNetwork
{
  public:
    static TypeId GetTypeId();

    std::string GetName() const override { return "p2p"; }

    RankGraph GetRankGraph(const Graph& graph, const NetworkSetup& setup) const override;

  protected:
    MtuRange GetMtuRange() const override { return WIRED_MTU; }

    NetDeviceContainer MakeLink(Ptr<Node> a, Ptr<Node> b, const LinkQuality& link) override;
};

} // namespace ns3::dlearn

#endif // DLEARN_LINK_NETWORK_H
