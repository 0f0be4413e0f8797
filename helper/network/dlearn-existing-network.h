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
 * The nodes of any ns-3 script, with the devices, protocol stacks, addresses and routes that the
 * script has given them: learner k is on the k-th node.
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
 * A node may be there several times. Its learners get different ports (SeparatePorts()) and reach
 * each other by the loopback interface, so that the routing of the node must be or contain
 * Ipv4StaticRouting, as that of InternetStackHelper does.
 *
 * Learners use IPv4 where all nodes have an address of it, or else IPv6, without broadcast; see
 * also UseIpv6(). All learners use the same version.
 *
 * Everything about links is up to the script, so Build() refuses links and positions of the setup,
 * and Wi-Fi that comes to a stand-still, see PrepareWifi(). It changes two things of the nodes that
 * exist, routers included. ARP and neighbour discovery of ns-3 keep three packets while they look
 * for a hardware address, and drop the rest of a model; so the nodes on one channel know the
 * addresses of each other from the start (KeepNeighborTables()). And the queues in which they, AODV
 * and DSDV keep packets that wait are unbounded where their sizes are the defaults of ns-3. Random
 * streams of the script's objects are left to the script.
 *
 * On several ranks (Ranks) each node is on the rank of its system id, and every rank makes all of
 * them. Only point-to-point links with a delay can join nodes of different ranks.
 */
class ExistingNetwork : public Network
{
  public:
    static TypeId GetTypeId();

    /**
     * @param nodes the learners' nodes, each with a protocol stack and at least one interface with
     *        an address, of the same version of IP on all. A learner reaches another one at an
     * address in one of its own subnets, if there is one, or else at the first address of the
     * other's interfaces that are up.
     */
    explicit ExistingNetwork(const NodeContainer& nodes);

    /**
     * @param nodes the learners' nodes
     * @param addresses the address under which all others reach a learner, one a node
     */
    ExistingNetwork(const NodeContainer& nodes, const std::vector<Ipv4Address>& addresses);

    /**
     * Use IPv6 on nodes that have IPv4, too.
     *
     * @param addresses the address under which all others reach a learner, one a node; none: those
     *        that are found, as with IPv4. Link-local addresses are not used.
     * @throw std::invalid_argument when their number is another one than that of the nodes
     */
    void UseIpv6(const std::vector<Ipv6Address>& addresses = {});

    /**
     * Let the Wi-Fi of the nodes carry models: Build() then changes what makes networks of ns-3
     * come to a stand-still, on all nodes that exist. Frames that join packets (A-MSDU) have at
     * most 3,839 bytes, so that every rate can send them; block acknowledgement does not end when a
     * station is idle, its set-up may take a second, and both sides know of it
     * (KeepBlockAcks()); and frames wait for a second, no longer and no shorter. Standard, rates,
     * and whether there is A-MPDU remain as they are.
     */
    void PrepareWifi() { m_preparesWifi = true; }

    /**
     * @param ready when learners start, at least 0: stations have joined by then, and routing
     *        protocols have found their routes; 0 unless set
     */
    void SetReadyTime(Time ready);

    std::string GetName() const override { return "existing"; }

    /** @throw std::invalid_argument when learners use IPv6 */
    Ipv4Address GetAddress(LearnerId from, LearnerId to) const override;

    /** @return all nodes that there are, those without learners as routers, on their ranks */
    RankGraph GetRankGraph(const Graph& graph, const NetworkSetup& setup) const override;

    Address GetIpAddress(LearnerId from, LearnerId to) const override
    {
        return FindAddress(from, to);
    }

    /**
     * @return whether learners use IPv4, and all are on different nodes that have an interface in
     *         the same subnet and devices for broadcast on the same channel
     */
    bool HasBroadcast() const override;

    Time GetReadyTime() const override { return m_ready; }

    /** The streams are the script's: this uses none. */
    int64_t AssignStreams(int64_t /* stream */) override { return 0; }

  protected:
    /** @return the least MTU of the interfaces of all nodes, the only one there is */
    MtuRange GetMtuRange() const override;
    void CheckFits(const Graph& graph) const override;
    NodeContainer MakeNodes(uint32_t learners) override;
    void Connect(const Graph& graph) override;

  private:
    /** @return whether learners use IPv6 */
    bool IsIpv6() const;

    /** @return the addresses of interfaces of a node that are up, of the version that is used */
    std::vector<NodeAddress> FindPlaces(const Node& node) const;

    /** @return where @p from reaches @p to */
    IpAddress FindAddress(LearnerId from, LearnerId to) const;

    void CheckNode(LearnerId id) const;
    void CheckNeighborsOnNode(const Graph& graph) const;

    /** Look at the radios of all nodes, and see PrepareWifi(). */
    void CheckRadios();

    NodeContainer m_given;              //!< one node per learner
    std::vector<IpAddress> m_addresses; //!< one per learner; empty: those that are found
    std::optional<bool> m_ipv6;         //!< see IsIpv6(); nothing before it is known
    Time m_ready;
    bool m_preparesWifi{false};
};

} // namespace ns3::dlearn

#endif // DLEARN_EXISTING_NETWORK_H
