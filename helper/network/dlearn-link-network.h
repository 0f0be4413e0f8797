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
 * Join two nodes by a full-duplex point-to-point link, without its loss.
 *
 * @param a one end
 * @param b the other end
 * @param link its rate in each direction and its delay
 * @param mtu largest IP packet in bytes
 * @param queues of the devices; the queue discs come with the interfaces
 * @return the device at @p a and the device at @p b
 */
NetDeviceContainer MakeP2pLink(Ptr<Node> a,
                               Ptr<Node> b,
                               const LinkQuality& link,
                               uint16_t mtu,
                               const LinkQueues& queues);

/**
 * @ingroup dlearn
 * A network in which every pair of neighbours has a private link with its own subnet.
 *
 * Link k gets the k-th subnet of four addresses of 10.0.0.0/8, so there is room for 2^22
 * links. Nodes that are not neighbours cannot reach each other.
 *
 * Links may differ where there is a server: NetworkSetup::links of a client describes its link to
 * the server. NetworkSetup::schedule may change the loss of any direction of any link.
 */
class LinkNetwork : public Network
{
  public:
    /** Number of links that there are addresses for. */
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
     * Make one link, without its loss.
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
 * A link delays packets that exceed its rate, and keeps 100 of them in front of it.
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
