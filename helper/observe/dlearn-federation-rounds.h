/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_FEDERATION_ROUNDS_H
#define DLEARN_FEDERATION_ROUNDS_H

#include "ns3/dlearn-federated-server.h"
#include "ns3/dlearn-graph.h"
#include "ns3/dlearn-learner-application.h"

#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * After a run: what a reader of its results must know, because the figures look as if all were
 * well.
 *
 * @param server of a federation
 * @param learners of the run, among them the clients of the server
 * @param graph of the run, which knows the names of learners that have one
 * @return warnings of rounds without any update, of rounds whose updates were of no use, of rounds
 *         that were not closed, and of clients that never trained; empty when there is none
 */
std::vector<std::string> DescribeFederationRounds(
    const FederatedServer& server,
    const std::vector<Ptr<LearnerApplication>>& learners,
    const Graph& graph);

} // namespace ns3::dlearn

#endif // DLEARN_FEDERATION_ROUNDS_H
