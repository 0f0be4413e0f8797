/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_EXISTING_NETWORK_H
#define DLEARN_EXISTING_NETWORK_H

#include "dlearn-network.h"

#include "ns3/dlearn-endpoint.h"
#include "ns3/ipv6-address.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The nodes of any ns-3 script, with their devices, protocol stacks, addresses and routes. Learner
 * k runs on the k-th node.
 *
 * @code
 *   NodeContainer nodes = ...;                       // as in any script of ns-3
 *   Run run(spec, CreateObject<ExistingNetwork>(nodes));
 * @endcode
 *
 * or, for the helpers that install learners,
 *
 * @code
 *   ExistingNetwork network(nodes);
 *   network.Build(graph, {});
 *   auto learners = PeerHelper().Install(network, graph, task, streams);
 * @endcode
 *
 * The same node may be given several times. Its learners get different ports (SeparatePorts()) and
 * reach each other over the loopback interface, so the routing protocol of the node must be or
 * contain Ipv4StaticRouting, as InternetStackHelper installs it.
 *
 * All learners use IPv4 if all nodes have an IPv4 address, otherwise IPv6, without broadcast; see
 * also UseIpv6().
 *
 * The script configures the links, so Build() refuses links and positions in the setup. It also
 * refuses Wi-Fi settings with which the network stalls, see PrepareWifi(). Build() changes two
 * things on all existing nodes, routers included. ARP and neighbour discovery in ns-3 keep three
 * packets while they resolve a hardware address, and drop the rest of a model; therefore the nodes
 * on one channel know each other's addresses from the start (KeepNeighborTables()). The queues in
 * which ARP, neighbour discovery, AODV and DSDV keep waiting packets become unbounded where their
 * sizes are the defaults of ns-3. The script assigns the random streams of its objects.
 *
 * With several ranks (Ranks), every rank creates all nodes, and simulates those whose system id is
 * its number. Only point-to-point links with a delay can join nodes of different ranks.
 */
class ExistingNetwork : public Network
{
  public:
    static TypeId GetTypeId();

    /**
     * @param nodes the learners' nodes, each with a protocol stack and at least one interface with
     *        an address, all of the same IP version. A learner reaches another one at an address in
     *        one of its own subnets if there is one, otherwise at the first address of the other's
     *        interfaces that are up.
     */
    explicit ExistingNetwork(const NodeContainer& nodes);

    /**
     * @param nodes the learners' nodes
     * @param addresses the address at which all others reach each learner, one per node
     */
    ExistingNetwork(const NodeContainer& nodes, const std::vector<Ipv4Address>& addresses);

    /**
     * Use IPv6 even if all nodes have IPv4 addresses.
     *
     * @param addresses the address at which all others reach each learner, one per node; if empty,
     *        they are found as with IPv4. Link-local addresses are not used.
     * @throw std::invalid_argument when the numbers of addresses and nodes differ
     */
    void UseIpv6(const std::vector<Ipv6Address>& addresses = {});

    /**
     * Make Build() change the Wi-Fi settings with which networks of ns-3 stall, on all existing
     * nodes: A-MSDUs have at most 3,839 bytes, so that every rate can send them; block
     * acknowledgement does not end when a station is idle, its setup may take a second, and both
     * sides know of it (KeepBlockAcks()); frames expire after exactly one second. The standard, the
     * rates and the use of A-MPDU do not change.
     */
    void PrepareWifi() { m_preparesWifi = true; }

    /**
     * @param ready when learners start, at least 0 (the default): stations must have associated and
     *        routing protocols must have found their routes by then
     */
    void SetReadyTime(Time ready);

    std::string GetName() const override { return "existing"; }

    /** @throw std::invalid_argument when learners use IPv6 */
    Ipv4Address GetAddress(LearnerId from, LearnerId to) const override;

    /** @return all existing nodes on their ranks; those without learners are routers */
    RankGraph GetRankGraph(const Graph& graph, const NetworkSetup& setup) const override;

    Address GetIpAddress(LearnerId from, LearnerId to) const override
    {
        return FindAddress(from, to);
    }

    /**
     * @return whether learners use IPv4 and are on different nodes, which have interfaces in one
     *         subnet and broadcast devices on one channel
     */
    bool HasBroadcast() const override;

    Time GetReadyTime() const override { return m_ready; }

    /** The script assigns the streams: this uses none. */
    int64_t AssignStreams(int64_t /* stream */) override { return 0; }

  protected:
    /** @return the smallest MTU of the interfaces of the learners' nodes, as the only value */
    MtuRange GetMtuRange() const override;
    void CheckFits(const Graph& graph) const override;
    NodeContainer MakeNodes(uint32_t learners) override;
    void Connect(const Graph& graph) override;

  private:
    bool IsIpv6() const;

    /** @return the addresses of the IP version in use, of all interfaces of a node that are up */
    std::vector<NodeAddress> FindPlaces(const Node& node) const;

    IpAddress FindAddress(LearnerId from, LearnerId to) const;

    void CheckNode(LearnerId id) const;
    void CheckNeighborsOnNode(const Graph& graph) const;

    /** Check the radios of all nodes, or repair them (PrepareWifi()). */
    void CheckRadios();

    NodeContainer m_given;              //!< one node per learner
    std::vector<IpAddress> m_addresses; //!< one per learner; empty: found
    std::optional<bool> m_ipv6;         //!< see IsIpv6(); unset before Build()
    Time m_ready;
    bool m_preparesWifi{false};
};

} // namespace ns3::dlearn

#endif // DLEARN_EXISTING_NETWORK_H
