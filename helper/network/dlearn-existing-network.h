/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_EXISTING_NETWORK_H
#define DLEARN_EXISTING_NETWORK_H

#include "dlearn-network.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The nodes of any ns-3 script, with the devices, protocol stacks, addresses and routes that the
 * script has given them: learner k is on the k-th node.
 *
 * @code
 *   NodeContainer nodes = ...;                       // as in any script of ns-3
 *   Run run(spec, std::make_unique<ExistingNetwork>(nodes));
 * @endcode
 *
 * or, for the helpers that install learners,
 *
 * @code
 *   ExistingNetwork network(nodes);
 *   network.Build(graph, NetworkOptions());
 *   auto learners = PeerHelper().Install(network, graph, task, streams);
 * @endcode
 *
 * A node may be there several times. Its learners get different ports (SeparatePorts()) and reach
 * each other by the loopback interface, so that the routing of the node must be or contain
 * Ipv4StaticRouting, as that of InternetStackHelper does. Only IPv4 is used.
 *
 * Everything about links is up to the script, so Build() refuses options that say something about
 * them. It changes two things of the nodes that exist, routers included. ARP of ns-3 keeps three
 * packets while it looks for a hardware address, and drops the rest of a model; so the nodes on one
 * channel know the addresses of each other from the start (KeepArpTables()). And the queues in
 * which ARP, AODV and DSDV keep packets that wait are unbounded where their sizes are the defaults
 * of ns-3 (OpenWaitingQueues()). Random streams of the script's objects are left to the script.
 */
class ExistingNetwork : public Network
{
  public:
    /**
     * @param nodes the learners' nodes, each with a protocol stack and at least one interface with
     *        an IPv4 address. A learner reaches another one at an address in a subnet of its own,
     *        if there is one, or else at the first address of the other's interfaces that are up.
     */
    explicit ExistingNetwork(const NodeContainer& nodes);

    /**
     * @param nodes the learners' nodes
     * @param addresses the address under which all others reach a learner, one a node
     */
    ExistingNetwork(const NodeContainer& nodes, const std::vector<Ipv4Address>& addresses);

    /**
     * @param ready when learners start, at least 0: stations have joined by then, and routing
     *        protocols have found their routes; 0 unless set
     */
    void SetReadyTime(Time ready);

    std::string GetName() const override;
    Ipv4Address GetAddress(LearnerId from, LearnerId to) const override;

    /**
     * @return whether all learners are on different nodes that have an interface in the same subnet
     *         and devices for broadcast on the same channel
     */
    bool HasBroadcast() const override;
    bool HasEffect(const std::string& option) const override;

    Time GetReadyTime() const override
    {
        return m_ready;
    }

    /** The streams are the script's: this uses none. */
    int64_t AssignStreams(int64_t stream) override;

  protected:
    /** @return the least MTU of the interfaces of all nodes, the only one there is */
    MtuRange GetMtuRange() const override;
    void CheckFits(const Graph& graph, const NetworkOptions& options) const override;
    NodeContainer MakeNodes(uint32_t learners, const NetworkOptions& options) override;
    void Connect(const Graph& graph, const NetworkOptions& options) override;

  private:
    /** An address of a node, and the interface that has it. */
    struct Place
    {
        uint32_t interface;    //!< its number
        Ptr<NetDevice> device; //!< of the interface
        Ipv4Address address;   //!< of the interface
        Ipv4Mask mask;         //!< of the address
    };

    static std::vector<Place> FindPlaces(const Node& node);
    void RefuseOptions(const NetworkOptions& options) const;
    void CheckNode(LearnerId id) const;
    void CheckNeighborsOnNode(const Graph& graph) const;

    NodeContainer m_given;                //!< one node per learner
    std::vector<Ipv4Address> m_addresses; //!< one per learner; empty: those that are found
    Time m_ready;                         //!< see SetReadyTime()
};

} // namespace ns3::dlearn

#endif // DLEARN_EXISTING_NETWORK_H
