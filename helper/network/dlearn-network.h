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

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What learners and a run ask of a network; the rest are attributes of the network.
 */
struct NetworkSetup
{
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
    /** Radio: whether learners, though they do not move, may leave, stop or run out of power. */
    bool learnersLeave{false};
    /** Radio: start of each learner, in metres, inside the square; empty: drawn uniformly. */
    std::vector<std::pair<double, double>> positions;
    int64_t positionStream{PlacementOptions().positionStream}; //!< of drawn positions
    /** Whether times of files of mobility count from Network::GetReadyTime() on, else from 0. */
    bool timesFromReady{false};
    /** Rank that simulates each node of GetRankGraph(), see Ranks; empty: the only one. */
    std::vector<uint32_t> rankOf;
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
class Network : public Object
{
  public:
    static TypeId GetTypeId();

    /** @return the name that CreateNetwork() knows it by, with its argument */
    virtual std::string GetName() const = 0;

    /**
     * Create the nodes, devices, channels, protocol stacks and addresses. To be called once.
     *
     * @param graph the learners that exchange messages; a pair joined in one direction only can
     *        nevertheless send both ways, as acknowledgements have to
     * @param setup what learners and run ask for
     * @throw std::invalid_argument for what this kind of network cannot give
     */
    void Build(const Graph& graph, const NetworkSetup& setup);

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
    virtual RankGraph GetRankGraph(const Graph& graph, const NetworkSetup& setup) const;

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

    /**
     * @param attribute of this network
     * @return whether it has no effect, because of others or of the setup; once built
     */
    virtual bool IsIdle(const std::string& attribute) const;

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
     * called after Build(). Drawn positions have NetworkSetup::positionStream.
     *
     * @param stream first stream number
     * @return number of streams used
     */
    virtual int64_t AssignStreams(int64_t stream);

  protected:
    /**
     * Declare attributes that several kinds of network share, those that have an effect: Loss,
     * Delay, Rate, TrunkRate, Mtu, QueueDisc, QueueSize, Side, Mobility, Speed.
     *
     * @param tid of a kind of network
     * @param names of the attributes
     * @return the TypeId
     */
    static TypeId AddAttributes(TypeId tid, const std::set<std::string>& names);

    /** @return what the attribute Mtu may be, besides 0 */
    virtual MtuRange GetMtuRange() const = 0;

    /** Refuse what this kind of network cannot give, before anything is created. */
    virtual void CheckFits(const Graph& graph) const = 0;

    /** @return a node for each learner, with a protocol stack; new ones unless overridden */
    virtual NodeContainer MakeNodes(uint32_t learners);

    /** Join the nodes, which have protocol stacks, with devices and addresses. */
    virtual void Connect(const Graph& graph) = 0;

    /**
     * Make an IP interface of a device of a node, with the queue disc of the attributes.
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

    /** @return of devices and interfaces, as the attributes have them */
    const LinkQueues& GetQueues() const { return m_queues; }

    /** @return properties of the link of a learner, from NetworkSetup::links or those of all */
    LinkQuality GetLink(const NetworkSetup& setup, LearnerId id) const;

    /** As above, once Build() has begun. */
    LinkQuality GetLink(LearnerId id) const { return GetLink(m_setup, id); }

    /** @return whether all learners but a server have an individual Rate, Delay or Loss */
    bool HaveAllTheirOwn(const std::string& attribute) const;

    /**
     * @return whether every pair of neighbours has its own link, so that NetworkSetup::schedule
     *         has a meaning; no unless overridden
     */
    virtual bool HasPairLinks() const { return false; }

    /** Require(), with the name of the network before the message. */
    template <typename... Parts>
    void Check(bool condition, const Parts&... parts) const
    {
        Require(condition, GetName(), ": ", parts...);
    }

    /** Refuse learners with an individual rate or delay. */
    void RequireLossOnly() const;

    /** Refuse a learner that does not exist, and the time after Simulator::Destroy(). */
    void CheckLearner(LearnerId id) const;

    /** @return nodes and work of the learners, without other nodes and links */
    static RankGraph MakeRankGraph(const Graph& graph);

    /** @return new nodes, on their ranks; @p first is a number in NetworkSetup::rankOf */
    NodeContainer CreateNodes(uint32_t first, uint32_t number) const;

    /** Give nodes the protocol stack of this module's networks: IPv4, static routes. */
    static void InstallStack(const NodeContainer& nodes);

    NodeContainer m_nodes;                              //!< one node per learner
    std::vector<std::pair<double, double>> m_positions; //!< of a radio network
    NetworkSetup m_setup;                               //!< since Build() has begun
    PlacementOptions m_placement;                       //!< likewise, of a radio network

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
    void CheckSetup(const Graph& graph) const;

    bool m_hostTcp{true};
    uint32_t m_mtuWanted{0}; //!< 0: the usual one
    uint16_t m_mtu{0};
    std::vector<std::string> m_warnings;
    LinkQueues m_queues;
    std::shared_ptr<Span> m_span{std::make_shared<Span>()};
    std::vector<Ptr<RateErrorModel>> m_lossModels; //!< in the order they were made
};

/**
 * @ingroup dlearn
 * @return all kinds of network, those of scripts too; the first value of tree is its fan-out, that
 *         of backbone and trace a file
 */
const ComponentFamily& GetNetworkFamily();

/**
 * @ingroup dlearn
 * @param text NAME[:value][,attribute=value]..., see dlearn-component.h: "tree:32,delay=5ms"
 * @return a network still to be built
 * @throw std::invalid_argument naming the networks, attributes or values there are
 * @throw std::runtime_error for a file that cannot be read
 */
Ptr<Network> CreateNetwork(const std::string& text);

} // namespace ns3::dlearn

#endif // DLEARN_NETWORK_H
