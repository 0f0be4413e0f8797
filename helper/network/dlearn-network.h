/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_NETWORK_H
#define DLEARN_NETWORK_H

#include "dlearn-network-options.h"
#include "dlearn-rank-partition.h"

#include "ns3/dlearn-graph.h"
#include "ns3/error-model.h"
#include "ns3/ipv4-address.h"
#include "ns3/net-device.h"
#include "ns3/node-container.h"
#include "ns3/nstime.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Largest IP packets that a kind of network can be asked for, in bytes.
 */
struct MtuRange
{
    static constexpr uint16_t LEAST = 576; //!< what every IPv4 host has to accept (RFC 791)

    uint16_t usual;   //!< default
    uint16_t largest; //!< most, at least the usual
};

/** That of Ethernet, on links that would carry any packet of IPv4. */
constexpr MtuRange WIRED_MTU{1500, 65535};

/** Of media whose frames are not made for more. */
constexpr MtuRange FRAME_MTU{1500, 1500};

/**
 * @ingroup dlearn
 * The network under the learners: nodes, devices, addresses.
 *
 * Networks to choose from (CreateNetwork): `ideal` (no delay, infinite rate, no loss unless
 * asked), `p2p` (every edge of the graph is a point-to-point link), `csma` (one shared bus),
 * `wifi-adhoc` (IEEE 802.11 without an access point), `wifi-infra` (stations whose traffic
 * an access point relays, or of which the server is the access point), `lte` (clients in a
 * cell, the server behind the core network; where ns-3 was built with its module lte),
 * `tree:FANOUT` (clients behind aggregation routers), `backbone:FILE.graphml` (learners at the
 * nodes of a real topology) and `trace:FILE` (clients whose links follow a cellular trace). Node
 * k of GetNodes() is learner k; helper nodes such as the access point are not in it.
 * ExistingNetwork puts learners on the nodes of any ns-3 script instead.
 *
 * A caller makes one with CreateNetwork(), then calls Build() once, then AssignStreams(); from
 * GetReadyTime() on learners may send to GetAddress() or, when HasBroadcast(), to
 * 255.255.255.255 or the subnet's broadcast address. Queues are finite, as in ns-3 (LinkQueues):
 * where more arrives than a link carries, packets are lost. Several networks can live in one
 * simulation, though one `lte` only: no defaults of ns-3 are changed and nothing is shared
 * between them.
 * The simulation does not need the Network itself, which may end before Simulator::Run(), as
 * helpers of ns-3 may. Simulator::Destroy() empties the nodes; a Network refuses to be used after
 * it.
 */
class Network
{
  public:
    Network() = default;
    virtual ~Network() = default;
    Network(const Network&) = delete;
    Network& operator=(const Network&) = delete;

    /** @return the name that CreateNetwork() knows it by */
    virtual std::string GetName() const = 0;

    /**
     * Create the nodes, devices, channels, protocol stacks and addresses. To be called once.
     *
     * @param graph the learners that exchange messages; a pair joined in one direction only can
     *        nevertheless send both ways, as acknowledgements have to
     * @param options what the user asked for
     * @throw std::invalid_argument for options out of range or without effect, for mobility
     *        without radio, for an MTU or links that this kind of network cannot give, for a graph
     *        that is not the star around its server, and for one that does not fit the address
     *        space
     */
    void Build(const Graph& graph, const NetworkOptions& options);

    /**
     * @return one node per learner, in the order of the graph; none before Build()
     * @throw std::invalid_argument after Simulator::Destroy()
     */
    const NodeContainer& GetNodes() const;

    /**
     * @param from a learner
     * @param to a neighbour of it in the graph
     * @return the address under which @p from reaches @p to
     * @throw std::invalid_argument when @p from has no way to reach @p to
     */
    virtual Ipv4Address GetAddress(LearnerId from, LearnerId to) const = 0;

    /**
     * @param from number of a learner
     * @param to number of another one
     * @return where @p from reaches @p to, an Ipv4Address or an Ipv6Address: GetAddress() unless
     *         overridden
     */
    virtual Address GetIpAddress(LearnerId from, LearnerId to) const;

    /**
     * @return the routers between the nodes of learners, in an order that does not depend on how
     * many learners there are; none unless overridden, and none before Build()
     */
    virtual NodeContainer GetRouters() const;

    /**
     * Let nodes send to one that may be no learner's, such as a router. Other applications than
     * learners may need it. Once built.
     *
     * @param node of the network
     * @return its address, an Ipv4Address or an Ipv6Address: unless overridden, the first one,
     * which routing has to know
     * @throw std::invalid_argument when it has none
     */
    virtual Address MakeReachable(const Ptr<Node>& node);

    /**
     * What there is to divide among the ranks of a simulation.
     *
     * @param graph the learners that exchange messages
     * @param options what the user asked for
     * @return nodes and links
     * @throw std::invalid_argument, unless overridden, as only links with a delay can be cut
     */
    virtual RankGraph GetRankGraph(const Graph& graph, const NetworkOptions& options) const;

    /** @return whether one transmission can reach all neighbours (a shared medium) */
    virtual bool HasBroadcast() const = 0;

    /**
     * Once built.
     *
     * @param from a learner
     * @param to a neighbour of it in the graph
     * @return probability that a packet is lost on the way, the largest that the options ask for
     *         while the link is up; 0, unless overridden, where links send again what is lost
     */
    virtual double GetLoss(LearnerId from, LearnerId to) const;

    /**
     * Once built.
     *
     * @param from a learner
     * @param to a neighbour of it in the graph
     * @return how often a packet is sent by radio on the way, where nodes forward packets by the
     *         medium that they got them from; 1 unless overridden
     */
    virtual uint32_t CountRadioHops(LearnerId from, LearnerId to) const;

    /** @return the largest IP packet, in bytes, that crosses the network unfragmented, once built
     */
    uint16_t GetMtu() const { return m_mtu; }

    /**
     * @param option rate, delay, trunk-rate, side, of queues or of the radio: the option of the
     * programs for a member of NetworkOptions that only some networks have; or cross-traffic, which
     * needs a capacity that is shared
     * @return whether it has an effect on this network; yes unless overridden
     */
    virtual bool HasEffect(const std::string& option) const;

    /**
     * @param option rate, delay or loss
     * @return whether all learners, a server excepted, have one of their own; once built
     */
    bool HaveAllTheirOwn(const std::string& option) const { return m_ownOfAll.count(option) > 0; }

    /**
     * Once built.
     *
     * @param option as for HasEffect()
     * @throw std::invalid_argument when it has no effect
     */
    void RequireEffect(const std::string& option) const;

    /**
     * @return simulated time before which learners should not send, because the network is
     *         still being set up and would drop it; 0 unless stations have to join first
     */
    virtual Time GetReadyTime() const;

    /** @return how its links are, for the title of a run, once built; empty unless overridden */
    virtual std::string Describe() const { return ""; }

    /** @return what may go wrong with its settings, each with what to do, once built */
    const std::vector<std::string>& GetWarnings() const { return m_warnings; }

    /** @return routers with their towns, and the links between them; empty unless overridden */
    virtual SiteMap GetSiteMap() const;

    /** @return first positions of the learners in metres; empty for a wired network */
    const std::vector<std::pair<double, double>>& GetPositions() const { return m_positions; }

    /**
     * Fix the random streams of devices, channels, error models, mobility and protocols. To be
     * called after Build(). Drawn positions have NetworkOptions::positionStream.
     *
     * @param stream first stream number
     * @return number of streams used
     */
    virtual int64_t AssignStreams(int64_t stream);

  protected:
    /** @return what NetworkOptions::mtu may be */
    virtual MtuRange GetMtuRange() const = 0;

    /**
     * Refuse what this kind of network cannot give. Called before anything is created.
     *
     * @param graph the learners that exchange messages
     * @param options in range already
     */
    virtual void CheckFits(const Graph& graph, const NetworkOptions& options) const = 0;

    /**
     * @param learners how many there are
     * @param options in range already
     * @return a node for each, with a protocol stack; new ones unless overridden
     */
    virtual NodeContainer MakeNodes(uint32_t learners, const NetworkOptions& options);

    /**
     * Join the nodes, which exist and have protocol stacks, with devices and addresses.
     *
     * @param graph the learners that exchange messages
     * @param options in range already
     */
    virtual void Connect(const Graph& graph, const NetworkOptions& options) = 0;

    /**
     * Make an IP interface of a device, with the queue disc of the options.
     *
     * @param device a device of a learner's node
     * @param address its address
     * @param mask network mask
     * @return number of the interface in its node
     */
    uint32_t AddInterface(Ptr<NetDevice> device, Ipv4Address address, Ipv4Mask mask);

    /**
     * @param loss probability that a packet is dropped
     * @return a new error model that AssignStreams() knows of; one for each device
     */
    Ptr<ErrorModel> MakeLossModel(double loss);

    /**
     * Drop a share of what a wired device receives.
     *
     * @param device a device with an attribute ReceiveErrorModel
     * @param loss probability that a packet is dropped; 0 does nothing
     * @param changes times and the probabilities from then on, in order
     */
    void AddLoss(Ptr<NetDevice> device,
                 double loss,
                 const std::vector<std::pair<Time, double>>& changes = {});

    /** @param warnings to add to GetWarnings() */
    void AddWarnings(const std::vector<std::string>& warnings)
    {
        m_warnings.insert(m_warnings.end(), warnings.begin(), warnings.end());
    }

    /** @return of devices and interfaces, as the options have them */
    virtual LinkQueues GetQueues() const { return m_queues; }

    /** @return whether an option needs queues only: queue-disc, queue-size, cross-traffic */
    static bool IsQueueOption(const std::string& option)
    {
        return option == "queue-disc" || option == "queue-size" || option == "cross-traffic";
    }

    /**
     * @return whether every pair of neighbours has its own link, so that
     *         NetworkOptions::schedule has a meaning; no unless overridden
     */
    virtual bool HasPairLinks() const { return false; }

    /**
     * @param options in range
     * @param id a learner
     * @return what the link of that learner is like
     */
    static LinkQuality GetLink(const NetworkOptions& options, LearnerId id);

    /**
     * Refuse learners with an individual rate or delay.
     *
     * @param options what the user asked for
     * @throw std::invalid_argument naming the first such learner
     */
    void RequireLossOnly(const NetworkOptions& options) const;

    /**
     * @param graph the learners that exchange messages
     * @return nodes and work of the learners, without other nodes and links
     */
    static RankGraph MakeRankGraph(const Graph& graph);

    /**
     * @param options with ranks or without
     * @param first number of a node in NetworkOptions::rankOf
     * @param number of nodes
     * @return new nodes, on their ranks
     */
    static NodeContainer CreateNodes(const NetworkOptions& options,
                                     uint32_t first,
                                     uint32_t number);

    /** @param nodes get the protocol stack of this module's networks: IPv4, static routes */
    static void InstallStack(const NodeContainer& nodes);

    /**
     * @param id a learner
     * @throw std::invalid_argument when there is no such learner
     */
    void CheckLearner(LearnerId id) const;

    NodeContainer m_nodes;                              //!< one node per learner
    std::vector<double> m_losses;                       //!< of the link of each learner
    std::optional<LearnerId> m_server;                  //!< see NetworkOptions::server
    std::set<std::string> m_ownOfAll;                   //!< see HaveAllTheirOwn()
    std::vector<std::pair<double, double>> m_positions; //!< of a radio network

  private:
    /** What depends on the simulation. */
    struct Span
    {
        /**
         * In the order they were made. They are released when the simulator is destroyed: they
         * keep their devices, and with these the files of traces, alive.
         */
        std::vector<Ptr<QueueDisc>> discs;
        bool over{false}; //!< whether Simulator::Destroy() was called
    };

    /** @throw std::invalid_argument after Simulator::Destroy() */
    void CheckNotOver() const;

    uint16_t m_mtu{0};                                      //!< see GetMtu()
    std::vector<std::string> m_warnings;                    //!< see GetWarnings()
    LinkQueues m_queues;                                    //!< NetworkOptions::queues
    std::shared_ptr<Span> m_span{std::make_shared<Span>()}; //!< from Build() on
    std::vector<Ptr<RateErrorModel>> m_lossModels;          //!< in the order they were made
};

} // namespace ns3::dlearn

#endif // DLEARN_NETWORK_H
