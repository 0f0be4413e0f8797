/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RUN_TIERS_H
#define DLEARN_RUN_TIERS_H

#include "ns3/dlearn-federated-helper.h"
#include "ns3/dlearn-network.h"

#include <string>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * @param text "2x10" for 2 edge servers with 10 clients each, or a CSV file with columns
 *        client,edge, both from 1
 * @return the clients of each edge server
 * @throw std::invalid_argument for another text, or a client without one edge server
 */
EdgeClients ParseTiers(const std::string& text);

/** @return number of clients of all edge servers @ingroup dlearn */
uint32_t CountClients(const EdgeClients& edges);

/**
 * @ingroup dlearn
 * Make edge servers guests of a network, where it forwards the packets of clients.
 *
 * @param place kind of place, see Network::FindEdges()
 * @param network built for a server and its clients
 * @return the clients of each edge server
 */
EdgeClients PlaceEdges(const std::string& place, Network& network);

} // namespace ns3::dlearn

#endif // DLEARN_RUN_TIERS_H
