/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PEER_ALGORITHMS_H
#define DLEARN_PEER_ALGORITHMS_H

#include "ns3/type-id.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The algorithms of peers that exchange one vector, as a user of a program writes them. A new
 * one is a line in here: programs offer it, refuse attributes of it that their options set, and
 * name it in their help.
 *
 * @return names, and the rules, all derived from PeerRule
 */
const std::vector<std::pair<std::string, TypeId>>& GetPeerAlgorithms();

/**
 * @ingroup dlearn
 * @return the names of GetPeerAlgorithms() for --help: "a, b or c"
 */
std::string ListPeerAlgorithms();

} // namespace ns3::dlearn

#endif // DLEARN_PEER_ALGORITHMS_H
