/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ROUTED_NETWORK_H
#define DLEARN_ROUTED_NETWORK_H

#include "dlearn-network.h"

#include "ns3/dlearn-graph-reader.h"

#include <limits>

namespace ns3::dlearn
{

/** One line of a routing table. */
struct PrefixRoute
{
    Ipv4Address network; //!< first address
    Ipv4Mask mask;       //!< how many addresses
    uint32_t hop;        //!< the router they are sent to
};

/**
 * @ingroup dlearn
 * Addresses for learners behind routers, such that routers need few routes.
 *
 * Every router with learners has its own prefix in 10.0.0.0/8, all of the same size, in the order
 * of the routers; its learners have the second and following addresses of the prefix. ns-3 examines
 * every line of a routing table for every packet, so tables are kept short, see Aggregate().
 */
class PrefixPlan
{
  public:
    /** In a list of next hops: it does not matter. */
    static constexpr uint32_t ANY = std::numeric_limits<uint32_t>::max();

    /**
     * @param name of the network, for messages
     * @param routerOf the router of each learner
     * @throw std::invalid_argument when there are not enough addresses
     */
    PrefixPlan(const std::string& name, const std::vector<uint32_t>& routerOf);

    /** @return the router that has prefix k, for each k; in increasing order */
    const std::vector<uint32_t>& GetRouters() const { return m_routers; }

    /** @return the addresses of the learners */
    const std::vector<Ipv4Address>& GetAddresses() const { return m_addresses; }

    /** @return a mask that covers all prefixes */
    static Ipv4Mask GetMask() { return Ipv4Mask("255.0.0.0"); }

    /**
     * Make the routing table of one router: one default route to the hop that is next for most
     * prefixes (the lowest-numbered such hop), and for the rest one route for each aligned
     * block of prefixes that have the same next hop. The longest match decides.
     *
     * @param hops the next hop of each prefix, or ANY
     * @return the routes, the default route last; empty when all are ANY
     */
    std::vector<PrefixRoute> Aggregate(const std::vector<uint32_t>& hops) const;

  private:
    /** Add the routes of 2^bits prefixes from @p first on, but those to @p common. */
    void Cover(const std::vector<uint32_t>& hops,
               uint32_t common,
               uint32_t first,
               uint32_t bits,
               std::vector<PrefixRoute>& routes) const;

    std::vector<uint32_t> m_routers;      //!< by prefix
    std::vector<Ipv4Address> m_addresses; //!< by learner
    uint32_t m_hostBits{0};               //!< of an address, behind the prefix
};

/** A link between two routers. */
struct Trunk
{
    uint32_t a;    //!< one end
    uint32_t b;    //!< the other end
    DataRate rate; //!< in each direction, more than 0
    Time delay;    //!< propagation delay, at least 0
};

/** The routers, and the learners that are attached to each. */
struct RouterPlan
{
    uint32_t routers{0};            //!< number of routers, at least 1
    std::vector<Trunk> trunks;      //!< join all routers; at most one between two of them
    std::vector<uint32_t> routerOf; //!< the router of each learner
};

/**
 * @ingroup dlearn
 * The time that light takes in fibre, at two thirds of its speed in vacuum, along the great
 * circle on a sphere with the mean radius of the Earth, 6371.0088 km (haversine formula).
 *
 * @param from (longitude, latitude) in degrees
 * @param to (longitude, latitude) in degrees
 * @return the delay, to the nanosecond
 */
Time GetFibreDelay(const std::pair<double, double>& from, const std::pair<double, double>& to);

/**
 * @ingroup dlearn
 * Learners behind routers that point-to-point links join.
 *
 * Each learner is attached to one router by an access link, whose rate, delay and loss are those of
 * the attributes, or of NetworkSetup::links where these are set for the learner. The server's
 * access link has the trunk rate unless links override it, so that the server is not a bottleneck
 * of the network. Loss happens on access links only, in both directions: a packet from one learner
 * to another is dropped with probability 1 - (1 - a)(1 - b), with a and b the losses of the two. No
 * router drops a packet because a queue is full.
 *
 * Any learner can reach any other, whether they are neighbours in the graph or not. Packets take
 * the path of least propagation delay (FindShortestPaths()), by static routes that are computed
 * once. Learners have addresses of 10.0.0.0/8 by router (PrefixPlan) and treat all others as being
 * at the other end of their access link, which works because this link has no hardware addresses.
 * Router r has the address 172.16.0.0 + r + 1 on all of its links, to which there are routes for
 * those of MakeReachable() only.
 */
class RoutedNetwork : public Network
{
  public:
    /** Number of routers that there are addresses for. */
    static constexpr uint32_t MAX_ROUTERS = (1 << 20) - 2;

    /** Routers on a path that the eight bits of an IP packet's time to live allow for. */
    static constexpr uint32_t MAX_HOPS = 254;

    static TypeId GetTypeId();

    Ipv4Address GetAddress(LearnerId from, LearnerId to) const override;
    /** Adds a route to a router to all other nodes, once. */
    Address MakeReachable(const Ptr<Node>& node) override;
    bool IsIdle(const std::string& attribute) const override;

    bool HasBroadcast() const override { return false; }

    double GetLoss(LearnerId from, LearnerId to) const override;
    int64_t AssignStreams(int64_t stream) override;
    RankGraph GetRankGraph(const Graph& graph, const NetworkSetup& setup) const override;

    /** @return the routers, in the order of the plan; empty before Build() */
    NodeContainer GetRouters() const override { return m_routers; }

    /** @return the routers, and the learners attached to each; empty before Build() */
    const RouterPlan& GetPlan() const { return m_plan; }

  protected:
    MtuRange GetMtuRange() const override { return WIRED_MTU; }

    void CheckFits(const Graph& graph) const override;
    void Connect(const Graph& graph) override;

    /** @return the routers for at least one learner, and who is attached to which */
    virtual RouterPlan MakePlan(uint32_t learners, const NetworkSetup& setup) const = 0;

  private:
    /** @return number of a new interface of a router */
    uint32_t AddRouterInterface(uint32_t router, Ptr<NetDevice> device);

    void ConnectRouters();
    void ConnectLearners();

    /** Tell the routers where to send what is not for their own learners. */
    void AddRoutes(const PrefixPlan& addresses) const;

    /** Tell all other nodes the way to a router. */
    void AddRoutesTo(uint32_t target) const;

    RouterPlan m_plan;
    std::set<uint32_t> m_reachable; //!< routers that others have routes to
    NodeContainer m_routers;        //!< in the order of the plan
    std::vector<Ipv4Address> m_addresses;
    /** Interfaces of each router by the router at the other end. */
    std::vector<std::map<uint32_t, uint32_t>> m_interfaces;
};

} // namespace ns3::dlearn

#endif // DLEARN_ROUTED_NETWORK_H
