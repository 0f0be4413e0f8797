/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PREFIX_PLAN_H
#define DLEARN_PREFIX_PLAN_H

#include "ns3/dlearn-types.h"
#include "ns3/ipv4-address.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

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

    /**
     * @param learner a learner
     * @return its address
     */
    Ipv4Address GetAddress(LearnerId learner) const { return m_addresses.at(learner); }

    /** @return a mask that covers all prefixes */
    static Ipv4Mask GetMask();

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
    std::vector<uint32_t> m_routers;      //!< by prefix
    std::vector<Ipv4Address> m_addresses; //!< by learner
    uint32_t m_hostBits{0};               //!< of an address, behind the prefix
};

} // namespace ns3::dlearn

#endif // DLEARN_PREFIX_PLAN_H
