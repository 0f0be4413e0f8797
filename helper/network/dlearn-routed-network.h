/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ROUTED_NETWORK_H
#define DLEARN_ROUTED_NETWORK_H

#include "dlearn-network.h"

#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace ns3::dlearn
{

class PrefixPlan;

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
 * Learners behind routers that point-to-point links join.
 *
 * Each learner is attached to one router by an access link, whose rate, delay and loss are those of
 * NetworkOptions, or of NetworkOptions::links where these are set for the learner. The server's
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

    Ipv4Address GetAddress(LearnerId from, LearnerId to) const override;
    /** Adds a route to a router to all other nodes, once. */
    Address MakeReachable(const Ptr<Node>& node) override;
    bool HasEffect(const std::string& option) const override;

    bool HasBroadcast() const override { return false; }

    double GetLoss(LearnerId from, LearnerId to) const override;
    int64_t AssignStreams(int64_t stream) override;
    RankGraph GetRankGraph(const Graph& graph, const NetworkOptions& options) const override;

    /** @return the routers, in the order of the plan; empty before Build() */
    NodeContainer GetRouters() const override { return m_routers; }

    /** @return the routers, and the learners attached to each; empty before Build() */
    const RouterPlan& GetPlan() const { return m_plan; }

  protected:
    MtuRange GetMtuRange() const override;
    void CheckFits(const Graph& graph, const NetworkOptions& options) const override;
    void Connect(const Graph& graph, const NetworkOptions& options) override;

    /**
     * @param learners number of learners, at least 1
     * @param options what the user asked for, in range
     * @return which routers there are, and who hangs on which
     */
    virtual RouterPlan MakePlan(uint32_t learners, const NetworkOptions& options) const = 0;

  private:
    /**
     * Make an interface of a router.
     * @param router number of the router
     * @param device at the router
     * @return number of the interface
     */
    uint32_t AddRouterInterface(uint32_t router, Ptr<NetDevice> device);

    /** Join the routers. */
    void ConnectRouters();

    /**
     * Join the learners to their routers.
     * @param options what the user asked for
     */
    void ConnectLearners(const NetworkOptions& options);

    /**
     * Tell the routers where to send what is not for their own learners.
     * @param addresses the addresses of the learners
     */
    void AddRoutes(const PrefixPlan& addresses) const;

    /**
     * Tell all other nodes the way to a router.
     * @param target number of the router
     */
    void AddRoutesTo(uint32_t target) const;

    RouterPlan m_plan;                    //!< what to build
    std::set<uint32_t> m_reachable;       //!< routers that others have routes to
    NodeContainer m_routers;              //!< in the order of the plan
    std::vector<Ipv4Address> m_addresses; //!< by learner
    /** Interfaces of each router by the router at the other end. */
    std::vector<std::map<uint32_t, uint32_t>> m_interfaces;
};

} // namespace ns3::dlearn

#endif // DLEARN_ROUTED_NETWORK_H
