/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_NETWORK_H
#define DLEARN_NETWORK_H

#include "dlearn-link-options.h"
#include "dlearn-placement.h"
#include "dlearn-rank-partition.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-graph.h"
#include "ns3/error-model.h"
#include "ns3/ipv4-address.h"
#include "ns3/object.h"

#include <functional>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Requirements of learners and of a run; everything else is an attribute of the network.
 */
struct NetworkSetup
{
    /**
     * The learner that exchanges messages with all others, if any: the graph is a star around it,
     * and a network with a special place (the access point, the root of a tree, the remote host)
     * puts the server there.
     */
    std::optional<LearnerId> server;
    /**
     * Properties of each learner's link; empty when all links are equal. Only one end of a link can
     * define them: `ideal` and `p2p` need a server, whose own entry stays unset, because the links
     * belong to its clients. Shared media and `ideal` support only a loss, on shared media the loss
     * of the packets that the learner receives.
     */
    std::vector<LinkOptions> links;
    /** Losses of one direction and outages; for `ideal`, `p2p` and `trace` only. */
    LinkSchedule schedule;
    /** Radio: whether learners that do not move may still leave, stop or run out of energy. */
    bool learnersLeave{false};
    /**
     * Radio: initial position of each learner, in metres, inside the square; empty: drawn
     * uniformly.
     */
    std::vector<std::pair<double, double>> positions;
    int64_t positionStream{PlacementOptions().positionStream}; //!< of drawn positions
    /** Whether the times in mobility files count from Network::GetReadyTime(), otherwise from 0. */
    bool timesFromReady{false};
    /** Rank that simulates each node of GetRankGraph(), see Ranks; empty: a single rank. */
    std::vector<uint32_t> rankOf;
};

/**
 * @ingroup dlearn
 * Range of the MTU of a kind of network, in bytes.
 */
struct MtuRange
{
    static constexpr uint16_t LEAST = 576; //!< every IPv4 host has to accept this size (RFC 791)

    uint16_t usual;   //!< default
    uint16_t largest; //!< at least the usual
};

/** A rate at which a client can send to the server when it has the whole band. @ingroup dlearn */
struct UplinkMode
{
    double rate{0};  //!< bit/s, greater than 0
    double watts{0}; //!< least transmission power; 0: the network cannot set it
};

/** What a network knows of the uplink of a client. @ingroup dlearn */
struct Uplink
{
    Time delay;                    //!< of propagation
    std::vector<UplinkMode> modes; //!< rates and powers ascend; the last one has all the power
};

/** What a server lets a client of a round have. @ingroup dlearn */
struct UplinkGrant
{
    LearnerId client{0};
    double share{0}; //!< of the band, those of all clients of a round have the sum 1; 0: as before
    UplinkMode mode; //!< one of its uplink, perhaps with more power
};

/** Links that carry any IPv4 packet; the default is that of Ethernet. */
constexpr MtuRange WIRED_MTU{1500, 65535};

/** Media with a limited frame size. */
constexpr MtuRange FRAME_MTU{1500, 1500};

/**
 * @ingroup dlearn
 * The network under the learners: nodes, devices, addresses.
 *
 * CreateNetwork() creates one by name: `ideal` (no delay, infinite rate, no loss unless asked),
 * `p2p` (every edge of the graph is a point-to-point link), `csma` (one shared bus), `wifi-adhoc`
 * (IEEE 802.11 without an access point), `wifi-infra` (stations whose traffic an access point
 * relays, or whose server is the access point), `wifi-mesh`, `lte` and `nr` (if ns-3 was built
 * with the modules mesh, lte and nr), `tree:FANOUT` (clients behind aggregation routers),
 * `backbone:FILE.graphml` (learners at the nodes of a real topology) and `trace:FILE` (clients
 * whose links follow a cellular trace). Node k of GetNodes() is learner k; GetNodes() does not
 * contain helper nodes such as the access point. ExistingNetwork runs learners on the nodes of any
 * ns-3 script.
 *
 * Call Build() once, then AssignStreams(). From GetReadyTime() on, learners may send to
 * GetAddress() or, if HasBroadcast(), to 255.255.255.255 or the subnet's broadcast address. Queues
 * are finite, as in ns-3 (LinkQueues): packets are lost where more arrive than a link carries. A
 * simulation can have several networks, but only one `lte` or `nr`: networks share nothing and do
 * not change defaults of ns-3. A Network may be destroyed before Simulator::Run(), like ns-3's
 * helpers, and cannot be used after Simulator::Destroy(), which empties the nodes.
 */
class Network : public Object
{
  public:
    static TypeId GetTypeId();

    /** @return the name for CreateNetwork(), with its argument */
    virtual std::string GetName() const = 0;

    /**
     * Create the nodes, devices, channels, protocol stacks and addresses. Call once.
     *
     * @param graph the learners that exchange messages; a pair joined in one direction only can
     *        still send in both, as acknowledgements need
     * @param setup requirements of learners and run
     * @throw std::invalid_argument for requirements that this kind of network cannot meet
     */
    void Build(const Graph& graph, const NetworkSetup& setup);

    /**
     * @return one node per learner, in the order of the graph; none before Build()
     * @throw std::invalid_argument after Simulator::Destroy()
     */
    const NodeContainer& GetNodes() const;

    /**
     * @return the address under which a learner reaches a neighbour in the graph
     * @throw std::invalid_argument when the neighbour cannot be reached
     */
    virtual Ipv4Address GetAddress(LearnerId from, LearnerId to) const = 0;

    /** @return the address as an Ipv4Address or Ipv6Address: GetAddress() unless overridden */
    virtual Address GetIpAddress(LearnerId from, LearnerId to) const
    {
        return GetAddress(from, to);
    }

    /**
     * @return the routers between the learners' nodes, in an order that does not depend on the
     *         number of learners; none unless overridden, none before Build()
     */
    virtual NodeContainer GetRouters() const { return {}; }

    /**
     * Let all nodes send to any node, such as a router. Applications other than learners may need
     * this. Call after Build().
     *
     * @param node a node of the network
     * @return its address, an Ipv4Address or Ipv6Address: unless overridden, the first one, to
     *         which routes must exist
     * @throw std::invalid_argument when it has no address
     */
    virtual Address MakeReachable(const Ptr<Node>& node);

    /**
     * After Build(): let more learners share nodes of the network, such as edge servers those of
     * routers. They get the next numbers.
     *
     * @param nodes of learners, or others that MakeReachable() knows
     */
    void AddGuests(const NodeContainer& nodes);

    /**
     * After Build().
     *
     * @param place such as routers
     * @return nodes for edge servers, each with the learners whose packets it forwards first, the
     *         server not among them
     * @throw std::invalid_argument unless overridden
     */
    virtual std::vector<std::pair<Ptr<Node>, std::vector<LearnerId>>> FindEdges(
        const std::string& place) const;

    /** A learner is behind the place of FindEdges() with an index, or behind none. */
    using EdgeCallback = std::function<void(LearnerId learner, std::optional<size_t> edge)>;

    /**
     * After Build(), if learners may change their places of FindEdges(): say where each of them is,
     * whenever it changes, from the first place on.
     *
     * @return whether they may; no unless overridden
     */
    virtual bool WatchEdges(const EdgeCallback& /* moved */) const { return false; }

    /**
     * After Build(), at any time.
     *
     * @param client not the server
     * @return its uplink as it is now, with the whole band; unless overridden, of its
     *         point-to-point device
     * @throw std::invalid_argument when the network can set neither its rate nor its power
     */
    virtual Uplink FindUplink(LearnerId client);

    /** Set the shares and powers of the clients of a round, whose uplinks were found before; unless
     *  overridden, the rates of point-to-point devices. */
    virtual void GrantUplinks(const std::vector<UplinkGrant>& grants);

    /** @return the node of a learner, also of a guest */
    Ptr<Node> GetNode(LearnerId id) const;

    /** @return the learner on whose node a guest is, 0 for one on another node; any other learner
     *          itself */
    LearnerId GetHost(LearnerId id) const;

    /** @return the address as of GetIpAddress(), also from and to guests */
    Address FindIpAddress(LearnerId from, LearnerId to) const;

    /**
     * @return nodes and links, for the partition among the ranks of a simulation
     * @throw std::invalid_argument unless overridden, because only links with a delay can be cut
     */
    virtual RankGraph GetRankGraph(const Graph& graph, const NetworkSetup& setup) const;

    /** @return whether one transmission can reach all neighbours (a shared medium) */
    virtual bool HasBroadcast() const = 0;

    /**
     * @return the largest configured probability, while the link is up, that a packet to a
     *         neighbour is lost on its way; 0 unless overridden, for links that retransmit. Call
     *         after Build().
     */
    virtual double GetLoss(LearnerId /* from */, LearnerId /* to */) const { return 0; }

    /**
     * @return number of radio transmissions of a packet on its way to a neighbour, if nodes forward
     *         packets on the medium on which they receive them; 1 unless overridden. Call after
     *         Build().
     */
    virtual uint32_t CountRadioHops(LearnerId /* from */, LearnerId /* to */) const { return 1; }

    /**
     * @return the largest IP packet in bytes that crosses the network unfragmented; after Build()
     */
    uint16_t GetMtu() const { return m_mtu; }

    /**
     * @param attribute an attribute of this network
     * @return whether it has no effect, because of other attributes or of the setup. Call after
     *         Build().
     */
    virtual bool IsIdle(const std::string& attribute) const;

    /**
     * @return simulated time before which learners should not send, because the network is not
     *         ready and would drop their packets; 0 unless stations have to associate first
     */
    virtual Time GetReadyTime() const { return Time(0); }

    /**
     * @return a description of its links for the title of a run, after Build(); empty unless
     *         overridden
     */
    virtual std::string Describe() const { return ""; }

    /** @return warnings about its settings, each with a remedy; after Build() */
    const std::vector<std::string>& GetWarnings() const { return m_warnings; }

    /** @return routers with their sites, and the links between them; empty unless overridden */
    virtual SiteMap GetSiteMap() const { return {}; }

    /** @return the movements of the learners from a file, after Build(); null: from no file */
    const PositionTrace* GetTrace() const { return m_placement.mobility.GetTrace(); }

    /** @return initial positions of the learners in metres; empty for a wired network */
    const std::vector<std::pair<double, double>>& GetPositions() const { return m_positions; }

    /**
     * Assign the random streams of devices, channels, error models, mobility and protocols. Call
     * after Build(). Drawn positions use NetworkSetup::positionStream.
     *
     * @param stream first stream number
     * @return number of streams used
     */
    virtual int64_t AssignStreams(int64_t stream);

  protected:
    /**
     * Declare those attributes of several kinds of network that have an effect on this one: Loss,
     * Delay, Rate, TrunkRate, Mtu, QueueDisc, QueueSize, Side, Mobility, Speed.
     *
     * @param tid TypeId of a kind of network
     * @param names names of the attributes
     * @return the TypeId
     */
    static TypeId AddAttributes(TypeId tid, const std::set<std::string>& names);

    /** @return the range of the attribute Mtu, besides 0 */
    virtual MtuRange GetMtuRange() const = 0;

    /** Refuse a setup that this kind of network does not support, before anything is created. */
    virtual void CheckFits(const Graph& graph) const = 0;

    /** @return a node with a protocol stack for each learner; new nodes unless overridden */
    virtual NodeContainer MakeNodes(uint32_t learners);

    /** Connect the nodes, which have protocol stacks, by devices with addresses. */
    virtual void Connect(const Graph& graph) = 0;

    /**
     * Add an IP interface for a device of a node, with the queue disc of the attributes.
     * @return index of the interface in its node
     */
    uint32_t AddInterface(Ptr<NetDevice> device, Ipv4Address address, Ipv4Mask mask);

    /** @return a new error model, whose stream AssignStreams() assigns; one per device */
    Ptr<ErrorModel> MakeLossModel(double loss);

    /**
     * Drop a share of the packets that a wired device receives.
     *
     * @param device a device with an attribute ReceiveErrorModel
     * @param loss probability that a packet is dropped; 0 does nothing
     * @param changes times, in order, and the probability from then on
     */
    void AddLoss(Ptr<NetDevice> device,
                 double loss,
                 const std::vector<std::pair<Time, double>>& changes = {});

    /** @return the places with the learners to each of which it is the nearest, the server not
     * among them; those without learners only if learners move. For FindEdges() */
    std::vector<std::pair<Ptr<Node>, std::vector<LearnerId>>> FindNearest(
        const NodeContainer& places) const;

    void AddWarnings(const std::vector<std::string>& warnings);

    /** @return the queues of devices and interfaces, from the attributes */
    const LinkQueues& GetQueues() const { return m_queues; }

    /** @return properties of a learner's link, from NetworkSetup::links or else the attributes */
    LinkQuality GetLink(const NetworkSetup& setup, LearnerId id) const;

    /** As above, with the setup of Build(). */
    LinkQuality GetLink(LearnerId id) const { return GetLink(m_setup, id); }

    /** @return whether all learners except the server have an individual Rate, Delay or Loss */
    bool HaveAllTheirOwn(const std::string& attribute) const;

    /**
     * @return whether each pair of neighbours has a separate link, as NetworkSetup::schedule needs;
     *         false unless overridden
     */
    virtual bool HasPairLinks() const { return false; }

    /** Require(), with the name of the network in front of the message. */
    template <typename... Parts>
    void Check(bool condition, const Parts&... parts) const
    {
        Require(condition, GetName(), ": ", parts...);
    }

    /** Refuse learners with an individual rate or delay. */
    void RequireLossOnly() const;

    /** Refuse a learner that does not exist, and calls after Simulator::Destroy(). */
    void CheckLearner(LearnerId id) const;

    /** @return nodes and work of the learners, without links and other nodes */
    static RankGraph MakeRankGraph(const Graph& graph);

    /** @return new nodes on their ranks; @p first is an index into NetworkSetup::rankOf */
    NodeContainer CreateNodes(uint32_t first, uint32_t number) const;

    /** Install the protocol stack of this module's networks: IPv4 with static routing. */
    static void InstallStack(const NodeContainer& nodes);

    NodeContainer m_nodes;
    std::vector<std::pair<double, double>> m_positions; //!< of a radio network
    NetworkSetup m_setup;                               //!< set by Build()
    PlacementOptions m_placement;                       //!< set by Build(); of a radio network

    double m_loss{0};
    Time m_delay{MilliSeconds(1)};
    DataRate m_rate{"100Mbps"};
    DataRate m_trunkRate{"1Gbps"};
    std::string m_queueDisc;
    std::string m_queueSize;
    double m_side{60};
    std::string m_mobility{"none"};
    double m_speed{1.5};

  private:
    /** See AddGuests(). */
    struct Guest
    {
        Ptr<Node> node;
        std::optional<LearnerId> host; //!< the learner on this node, if any
        Address address;               //!< of a node without a learner
    };

    /** State that depends on the simulation. */
    struct Span
    {
        /**
         * In the order of creation. They are released when the simulator is destroyed, because they
         * keep their devices, and thus open trace files, alive.
         */
        std::vector<Ptr<QueueDisc>> discs;
        bool over{false}; //!< whether Simulator::Destroy() was called
    };

    void CheckNotOver() const;
    void CheckServer(const Graph& graph, LearnerId server) const;
    void CheckLink(const LinkQuality& link, const std::string& whose) const;
    void CheckSetup(const Graph& graph) const;

    bool m_hostTcp{true};
    uint32_t m_mtuWanted{0}; //!< 0: MtuRange::usual
    uint16_t m_mtu{0};
    std::vector<Guest> m_guests;
    std::map<LearnerId, double> m_uplinkRates; //!< bit/s of point-to-point devices, whole band
    std::vector<std::string> m_warnings;
    LinkQueues m_queues;
    std::shared_ptr<Span> m_span{std::make_shared<Span>()};
    std::vector<Ptr<RateErrorModel>> m_lossModels; //!< in the order of creation
};

/**
 * @ingroup dlearn
 * @return all kinds of network, including those of scripts; the first value of tree is its fan-out,
 *         that of backbone and trace is a file
 */
const ComponentFamily& GetNetworkFamily();

/**
 * @ingroup dlearn
 * @param text NAME[:value][,attribute=value]..., see dlearn-component.h: "tree:32,delay=5ms"
 * @return a network; call Build() next
 * @throw std::invalid_argument naming the possible networks, attributes or values
 * @throw std::runtime_error when a file cannot be read
 */
Ptr<Network> CreateNetwork(const std::string& text);

} // namespace ns3::dlearn

#endif // DLEARN_NETWORK_H
