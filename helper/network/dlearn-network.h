/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_NETWORK_H
#define DLEARN_NETWORK_H

#include "dlearn-placement.h"
#include "dlearn-rank-partition.h"
#include "dlearn-wifi-radio.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-graph.h"
#include "ns3/error-model.h"
#include "ns3/ipv4-address.h"

#include <functional>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What a user may ask of a network; a network refuses what it cannot give.
 */
struct NetworkOptions : PlacementOptions
{
    /**
     * Probability that a received packet is dropped, [0, 1). Wired: of every IP packet, TCP
     * acknowledgements included. Radio: of every frame, beacons and acknowledgements included,
     * before the retransmissions of IEEE 802.11; so unicast loses far less than this and takes
     * longer, while a broadcast frame, which is sent once, is lost at exactly this rate.
     */
    double loss{0};
    Time delay{MilliSeconds(1)}; //!< propagation delay of a wired link, at least 0
    DataRate rate{"100Mbps"};    //!< rate of a wired link or bus, more than 0
    /**
     * The learner that exchanges messages with all others, if there is one: the graph is a star
     * with this learner in its centre, and a network with a special place for it (the access point,
     * the root of a tree, the remote host) puts it there.
     */
    std::optional<LearnerId> server;
    /**
     * Properties of each learner's link; empty when all are the same. Only one end of a link can
     * define them: in `ideal` and `p2p` this needs a server, which has no entry itself, because the
     * links are those of its clients. Shared media and `ideal` have only a loss, on shared media
     * that of what the learner receives.
     */
    std::vector<LinkOptions> links;
    /** Losses of one direction, links that go down and up; of `ideal`, `p2p` and `trace` only. */
    LinkSchedule schedule;
    DataRate trunkRate{"1Gbps"}; //!< between the routers of a routed network, more than 0
    /** Largest IP packet in bytes, 9000 for Ethernet's jumbo frames; absent: the usual one. */
    std::optional<uint32_t> mtu;
    /** Whether learners use TCP that recovers from losses as hosts do, and not that of ns-3. */
    bool hostTcp{true};
    LinkQueues queues; //!< of devices and interfaces; not of ideal
    WifiRadio radio;   //!< of networks of Wi-Fi
    /** Radio: whether learners, though they do not move, may leave, stop or run out of power. */
    bool learnersLeave{false};
    /** Access points of wifi-infra, 1 to 64, on a grid in the square; several share a wired bus. */
    uint32_t accessPoints{1};
    uint32_t baseStations{1};  //!< of lte, 1 to 16, on a grid in the square
    ObjectFactory routing;     //!< wifi-adhoc: a RadioRouting; no type: learners do not forward
    bool randomStart{true};    //!< trace: each client begins at a random time of the trace
    bool ignoreUseless{false}; //!< leave out options without effect, instead of refusing them
    /** Rank that simulates each node of GetRankGraph(), see Ranks; empty: the only one. */
    std::vector<uint32_t> rankOf;

    /** @return properties of the link of a learner, from `links` or those of all */
    LinkQuality GetLink(LearnerId id) const;
};

/**
 * @ingroup dlearn
 * Largest IP packets of a kind of network, in bytes.
 */
struct MtuRange
{
    static constexpr uint16_t LEAST = 576; //!< what every IPv4 host has to accept (RFC 791)

    uint16_t usual;   //!< default
    uint16_t largest; //!< at least the usual
};

/** That of Ethernet, on links that would carry any packet of IPv4. */
constexpr MtuRange WIRED_MTU{1500, 65535};

/** Of media with smaller frames. */
constexpr MtuRange FRAME_MTU{1500, 1500};

/**
 * @ingroup dlearn
 * The network under the learners: nodes, devices, addresses.
 *
 * CreateNetwork() makes one by its name: `ideal` (no delay, infinite rate, no loss unless asked),
 * `p2p` (every edge of the graph is a point-to-point link), `csma` (one shared bus), `wifi-adhoc`
 * (IEEE 802.11 without an access point), `wifi-infra` (stations whose traffic an access point
 * relays, or whose server is the access point), `wifi-mesh` and `lte` (where ns-3 was built with
 * its modules mesh and lte), `tree:FANOUT` (clients behind aggregation routers),
 * `backbone:FILE.graphml` (learners at the nodes of a real topology) and `trace:FILE` (clients
 * whose links follow a cellular trace). Node k of GetNodes() is learner k; helper nodes such as the
 * access point are not in it. ExistingNetwork puts learners on the nodes of any ns-3 script.
 *
 * Call Build() once, then AssignStreams(); from GetReadyTime() on learners may send to
 * GetAddress() or, when HasBroadcast(), to 255.255.255.255 or the subnet's broadcast address.
 * Queues are finite, as in ns-3 (LinkQueues): where more arrives than a link carries, packets are
 * lost. Several networks can live in one simulation, though one `lte` only: no defaults of ns-3
 * are changed and nothing is shared between them. A Network may end before Simulator::Run(), as
 * helpers of ns-3 may, and refuses to be used after Simulator::Destroy(), which empties the nodes.
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
     * @throw std::invalid_argument for options out of range or without effect, and for what this
     *        kind of network cannot give
     */
    void Build(const Graph& graph, const NetworkOptions& options);

    /**
     * @return one node per learner, in the order of the graph; none before Build()
     * @throw std::invalid_argument after Simulator::Destroy()
     */
    const NodeContainer& GetNodes() const;

    /**
     * @return the address under which a learner reaches a neighbour in the graph
     * @throw std::invalid_argument when it has no way to reach it
     */
    virtual Ipv4Address GetAddress(LearnerId from, LearnerId to) const = 0;

    /** @return likewise, an Ipv4Address or an Ipv6Address: GetAddress() unless overridden */
    virtual Address GetIpAddress(LearnerId from, LearnerId to) const
    {
        return GetAddress(from, to);
    }

    /**
     * @return the routers between the nodes of learners, in an order that does not depend on how
     * many learners there are; none unless overridden, and none before Build()
     */
    virtual NodeContainer GetRouters() const { return {}; }

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
     * @return nodes and links that can be divided among the ranks of a simulation
     * @throw std::invalid_argument, unless overridden, as only links with a delay can be cut
     */
    virtual RankGraph GetRankGraph(const Graph& graph, const NetworkOptions& options) const;

    /** @return whether one transmission can reach all neighbours (a shared medium) */
    virtual bool HasBroadcast() const = 0;

    /**
     * @return probability that a packet to a neighbour is lost on the way, the largest that the
     *         options ask for while the link is up; 0, unless overridden, where links send again
     *         what is lost; once built
     */
    virtual double GetLoss(LearnerId /* from */, LearnerId /* to */) const { return 0; }

    /**
     * @return how often a packet to a neighbour is sent by radio on the way, where nodes forward
     *         packets by the medium that they got them from; 1 unless overridden; once built
     */
    virtual uint32_t CountRadioHops(LearnerId /* from */, LearnerId /* to */) const { return 1; }

    /** @return the largest IP packet, in bytes, that crosses the network unfragmented, once built
     */
    uint16_t GetMtu() const { return m_mtu; }

    /** @return whether all learners but a server have an individual rate, delay or loss */
    bool HaveAllTheirOwn(const std::string& option) const { return m_ownOfAll.count(option) > 0; }

    /**
     * @param option rate, delay, trunk-rate, side, of queues or of the radio: the option of the
     * programs for a member of NetworkOptions that only some networks have; or cross-traffic, which
     * needs a capacity that is shared
     * @return whether it has an effect on this network; yes unless overridden
     */
    virtual bool HasEffect(const std::string& /* option */) const { return true; }

    /** @throw std::invalid_argument when an option of HasEffect() has no effect; once built */
    void RequireEffect(const std::string& option) const;

    /**
     * @return simulated time before which learners should not send, because the network is
     *         still being set up and would drop it; 0 unless stations have to join first
     */
    virtual Time GetReadyTime() const { return Time(0); }

    /** @return how its links are, for the title of a run, once built; empty unless overridden */
    virtual std::string Describe() const { return ""; }

    /** @return what may go wrong with its settings, each with what to do, once built */
    const std::vector<std::string>& GetWarnings() const { return m_warnings; }

    /** @return routers with their towns, and the links between them; empty unless overridden */
    virtual SiteMap GetSiteMap() const { return {}; }

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

    /** Refuse what this kind of network cannot give, before anything is created. */
    virtual void CheckFits(const Graph& graph, const NetworkOptions& options) const = 0;

    /** @return a node for each learner, with a protocol stack; new ones unless overridden */
    virtual NodeContainer MakeNodes(uint32_t learners, const NetworkOptions& options);

    /** Join the nodes, which have protocol stacks, with devices and addresses. */
    virtual void Connect(const Graph& graph, const NetworkOptions& options) = 0;

    /**
     * Make an IP interface of a device of a node, with the queue disc of the options.
     * @return number of the interface in its node
     */
    uint32_t AddInterface(Ptr<NetDevice> device, Ipv4Address address, Ipv4Mask mask);

    /** @return a new error model that AssignStreams() knows of; one for each device */
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
    void AddWarnings(const std::vector<std::string>& warnings);

    /** @return of devices and interfaces, as the options have them */
    virtual LinkQueues GetQueues() const { return m_queues; }

    /**
     * @return whether every pair of neighbours has its own link, so that NetworkOptions::schedule
     *         has a meaning; no unless overridden
     */
    virtual bool HasPairLinks() const { return false; }

    /** Require(), with the name of the network before the message. */
    template <typename... Parts>
    void Check(bool condition, const Parts&... parts) const
    {
        Require(condition, GetName(), ": ", parts...);
    }

    /** Refuse mobility, for wired networks. */
    void RequireStill(const NetworkOptions& options) const;

    /** Refuse learners with an individual rate or delay. */
    void RequireLossOnly(const NetworkOptions& options) const;

    /** Refuse a learner that does not exist, and the time after Simulator::Destroy(). */
    void CheckLearner(LearnerId id) const;

    /** @return whether it is queue-disc, queue-size or cross-traffic, which need queues only */
    static bool IsQueueOption(const std::string& option);

    /** @return nodes and work of the learners, without other nodes and links */
    static RankGraph MakeRankGraph(const Graph& graph);

    /** @return new nodes, on their ranks; @p first is a number in NetworkOptions::rankOf */
    static NodeContainer CreateNodes(const NetworkOptions& options,
                                     uint32_t first,
                                     uint32_t number);

    /** Give nodes the protocol stack of this module's networks: IPv4, static routes. */
    static void InstallStack(const NodeContainer& nodes);

    NodeContainer m_nodes;                              //!< one node per learner
    std::vector<double> m_losses;                       //!< of the link of each learner
    std::optional<LearnerId> m_server;                  //!< see NetworkOptions::server
    std::vector<std::pair<double, double>> m_positions; //!< of a radio network
    std::set<std::string> m_ownOfAll;                   //!< see HaveAllTheirOwn()

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

    void CheckNotOver() const;
    void CheckServer(const Graph& graph, LearnerId server) const;
    void CheckLink(const LinkQuality& link, const std::string& whose) const;
    void CheckOptions(const Graph& graph, const NetworkOptions& options) const;

    uint16_t m_mtu{0};
    std::vector<std::string> m_warnings;
    LinkQueues m_queues;
    std::shared_ptr<Span> m_span{std::make_shared<Span>()};
    std::vector<Ptr<RateErrorModel>> m_lossModels; //!< in the order they were made
};

/**
 * @ingroup dlearn
 * @return the names that CreateNetwork() knows, for messages: "backbone:FILE.graphml, csma, ..."
 */
std::string GetNetworkNames();

/**
 * @ingroup dlearn
 * @param name one of GetNetworkNames(), with an argument in place of its capitals: "tree:32"
 * @return a network still to be built
 * @throw std::invalid_argument naming the networks there are, or for an argument that the network
 *        does not understand
 * @throw std::runtime_error for a file that cannot be read
 */
std::unique_ptr<Network> CreateNetwork(const std::string& name);

/**
 * @ingroup dlearn
 * Make a network known to CreateNetwork() by a static object of this class, beside the network's
 * definition or in a script:
 *
 * @code
 *   static NetworkRegistration g_mine("mine", [](const std::string&) {
 *       return std::make_unique<MyNetwork>();
 *   });
 * @endcode
 */
class NetworkRegistration
{
  public:
    /** Makes a network of the text after the colon of its name, which is empty without one. */
    using Maker = std::function<std::unique_ptr<Network>(const std::string& argument)>;

    /**
     * @param name what a user writes, for example "tree:FANOUT": after the colon, in capitals, what
     *        the argument is. A name without a colon takes no argument.
     * @param make makes a network
     * @throw std::invalid_argument when a network of this name is known already
     */
    NetworkRegistration(const std::string& name, Maker make);
};

/** @return a NetworkRegistration::Maker of networks without an argument */
template <typename Kind>
std::unique_ptr<Network>
MakeNetwork(const std::string& /* argument */)
{
    return std::make_unique<Kind>();
}

/** @return a NetworkRegistration::Maker of networks with an argument */
template <typename Kind>
std::unique_ptr<Network>
MakeNetworkOf(const std::string& argument)
{
    return std::make_unique<Kind>(argument);
}

} // namespace ns3::dlearn

#endif // DLEARN_NETWORK_H
