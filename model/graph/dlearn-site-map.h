/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_SITE_MAP_H
#define DLEARN_SITE_MAP_H

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/** Where a network has a node that is no learner: a router in a town. */
struct Site
{
    std::string name; //!< for people: "Denver"
    uint32_t node{0}; //!< number of the node in ns-3
    /** (Longitude, latitude) in degrees; empty where it is not known. */
    std::optional<std::pair<double, double>> place;
};

/**
 * @ingroup dlearn
 * The geography of a network: its sites, the links that join them, and the learners at each.
 */
struct SiteMap
{
    std::vector<Site> sites;                           //!< empty: the network has none
    std::vector<std::pair<uint32_t, uint32_t>> trunks; //!< links between sites
    std::vector<uint32_t> siteOf;                      //!< the site of each learner
};

} // namespace ns3::dlearn

#endif // DLEARN_SITE_MAP_H
