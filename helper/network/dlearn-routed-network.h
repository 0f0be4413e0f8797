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

/** One entry of a routing table. */
struct PrefixRoute
{
    Ipv4Address network;
    Ipv4Mask mask;
    uint32_t hop; //!< next router
};

/**
 * @ingroup dlearn
 * Addresses for learners behind routers with which routers need few routes.
 *
 * Every router with learners has a prefix in 10.0.0.0/8, all of the same size, in the order of the
 * routers; its learners have the second and following addresses of the prefix. ns-3 examines every
 * entry of a routing table for every packet, so tables must be short, see Aggregate().
 */
class PrefixPlan
{
  public:
    /** A next hop that may be any router. */
    static constexpr uint32_t ANY = std::numeric_limits<uint32_t>::max();

    /**
     * @param name name of the network, for messages
     * @param routerOf the router of each learner
     * @throw std::invalid_argument when there are too few addresses
     */
    PrefixPlan(const std::string& name, const std::vector<uint32_t>& routerOf);

    /** @return the router of each prefix, in increasing order */
    const std::vector<uint32_t>& GetRouters() const { return m_routers; }

    /** @return the addresses of the learners */
    const std::vector<Ipv4Address>& GetAddresses() const { return m_addresses; }

    /** @return a mask that covers all prefixes */
    static Ipv4Mask GetMask() { return Ipv4Mask("255.0.0.0"); }

    /**
     * Make the routing table of one router: a default route to the next hop of most prefixes (on a
     * tie, the lowest number), and a route for each aligned block of other prefixes with the same
     * next hop. The longest match decides.
     *
     * @param hops the next hop of each prefix, or ANY
     * @return the routes, the default route last; empty when all hops are ANY
     */
    std::vector<PrefixRoute> Aggregate(const std::vector<uint32_t>& hops) const;

  private:
    /** Add the routes of 2^bits prefixes from @p first on, except those to @p common. */
    void Cover(const std::vector<uint32_t>& hops,
               uint32_t common,
               uint32_t first,
               uint32_t bits,
               std::vector<PrefixRoute>& routes) const;

    std::vector<uint32_t> m_routers;      //!< one per prefix
    std::vector<Ipv4Address> m_addresses; //!< one per learner
    uint32_t m_hostBits{0};               //!< host bits of an address
};

/** A link between two routers. */
struct Trunk
{
    uint32_t a;    //!< one end
    uint32_t b;    //!< the other end
    DataRate rate; //!< in each direction, more than 0
    Time delay;    //!< propagation delay, at least 0
};

/** The routers, and the learners attached to each. */
struct RouterPlan
{
    uint32_t routers{0};            //!< number of routers, at least 1
    std::vector<Trunk> trunks;      //!< connect all routers; at most one per pair
    std::vector<uint32_t> routerOf; //!< the router of each learner
};

/**
 * @ingroup dlearn
 * The propagation delay of light in fibre, at two thirds of its speed in vacuum, along the great
 * circle on a sphere with the mean radius of the Earth, 6371.0088 km (haversine formula).
 *
 * @param from (longitude, latitude) in degrees
 * @param to (longitude, latitude) in degrees
 * @return the delay, to the nanosecond
 */
Time GetFibreDelay(const std::pair<double, double>& from, const std::pair<double, double>& to);

/**
 * @ingroup dlearn
 * Learners behind routers that are connected by point-to-point links.
 *
 * Each learner is attached to one router by an access link, with the rate, delay and loss of the
 * attributes, unless NetworkSetup::links sets them for the learner. The server's access link has
 * the trunk rate unless links override it, so that the server is not the bottleneck. The configured
 * loss applies to access links only, in both directions: a packet from one learner to another is
 * dropped with probability 1 - (1 - a)(1 - b), where a and b are the losses of the two links.
 *
 * Any learner can reach any other, also if they are not neighbours in the graph. Packets take the
 * path of least propagation delay (FindShortestPaths()), on static routes that are computed once.
 * Learners have addresses in 10.0.0.0/8 by router (PrefixPlan). They treat all other learners as
 * attached to their access link, which works because this link has no hardware addresses. Router r
 * has the address 172.16.0.0 + r + 1 on all of its links; there are routes only to the routers
 * passed to MakeReachable().
 */
class RoutedNetwork : public Network
{
  public:
    /** Largest number of routers, limited by the addresses. */
    static constexpr uint32_t MAX_ROUTERS = (1 << 20) - 2;

    /** Largest number of routers on a path, limited by the eight-bit time to live of IP packets. */
    static constexpr uint32_t MAX_HOPS = 254;

    static TypeId GetTypeId();

    Ipv4Address GetAddress(LearnerId from, LearnerId to) const override;
    /** Adds routes to a router on all other nodes, once. */
    Address MakeReachable(const Ptr<Node>& node) override;
    bool IsIdle(const std::string& attribute) const override;

    /** @param place routers */
    std::vector<std::pair<Ptr<Node>, std::vector<LearnerId>>> FindEdges(
        const std::string& place) const override;

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

    /** @return the routers for at least one learner, and the router of each learner */
    virtual RouterPlan MakePlan(uint32_t learners, const NetworkSetup& setup) const = 0;

  private:
    /** @return index of a new interface of a router */
    uint32_t AddRouterInterface(uint32_t router, Ptr<NetDevice> device);

    void ConnectRouters();
    void ConnectLearners();

    /** Add the routes of routers to learners of other routers. */
    void AddRoutes(const PrefixPlan& addresses) const;

    /** Add routes to a router on all other nodes. */
    void AddRoutesTo(uint32_t target) const;

    RouterPlan m_plan;
    std::set<uint32_t> m_reachable; //!< routers to which routes exist
    NodeContainer m_routers;        //!< in the order of the plan
    std::vector<Ipv4Address> m_addresses;
    /** Interface index of each router, by the router at the other end. */
    std::vector<std::map<uint32_t, uint32_t>> m_interfaces;
};

} // namespace ns3::dlearn

#endif // DLEARN_ROUTED_NETWORK_H
