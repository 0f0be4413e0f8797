/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_LINK_NETWORK_H
#define DLEARN_LINK_NETWORK_H

#include "dlearn-network.h"

#include "ns3/net-device-container.h"

#include <map>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * A network in which every pair of neighbours has a private link with its own subnet.
 *
 * Link k gets the k-th subnet of four addresses of 10.0.0.0/8, so there is room for 2^22
 * links. Nodes that are not neighbours cannot reach each other.
 *
 * Links may differ where there is a server: NetworkOptions::links of a client describes its link to
 * the server. NetworkOptions::schedule may change the loss of any direction of any link.
 */
class LinkNetwork : public Network
{
  public:
    /** Number of links that there are addresses for. */
    static constexpr uint32_t MAX_LINKS = 1 << 22;

    /**
     * @param link number of a link
     * @return its subnet, a multiple of 4; the two ends have the next two addresses
     * @throw std::invalid_argument when @p link is MAX_LINKS or more
     */
    static Ipv4Address GetSubnet(uint32_t link);

    Ipv4Address GetAddress(LearnerId from, LearnerId to) const override;

    bool HasBroadcast() const override { return false; }

    double GetLoss(LearnerId from, LearnerId to) const override;

  protected:
    void CheckFits(const Graph& graph, const NetworkOptions& options) const override;
    void Connect(const Graph& graph, const NetworkOptions& options) override;

    bool HasPairLinks() const override { return true; }

    /**
     * Make one link.
     *
     * @param a one end
     * @param b the other end
     * @param link what it is like; its loss is not for this method to do
     * @return the device at @p a and the device at @p b
     */
    virtual NetDeviceContainer MakeLink(Ptr<Node> a, Ptr<Node> b, const LinkQuality& link) = 0;

  private:
    /**
     * @param graph the learners that exchange messages
     * @param schedule of links
     * @throw std::invalid_argument for an event of a link that there is not
     */
    void CheckSchedule(const Graph& graph, const LinkSchedule& schedule) const;

    std::map<std::pair<LearnerId, LearnerId>, Ipv4Address> m_addresses; //!< by (from, to)
    LinkSchedule m_schedule; //!< NetworkOptions::schedule
};

} // namespace ns3::dlearn

#endif // DLEARN_LINK_NETWORK_H
