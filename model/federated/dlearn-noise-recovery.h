/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_NOISE_RECOVERY_H
#define DLEARN_NOISE_RECOVERY_H

#include "ns3/dlearn-types.h"

#include <vector>

/**
 * @file
 * What a server that recovers from dropouts asks its clients. Noise that clients share in pairs
 * does not cancel when the messages of some are missing. The server names those (channel REQUEST),
 * the others answer with what their messages hold of noise shared with them (channel ANSWER), and
 * the server subtracts it: a second phase of the round, see ServerRule::GetRequest().
 */

namespace ns3::dlearn
{

/**
 * @param clients all of the federation, in increasing order
 * @param dropouts those of them whose messages are missing, in increasing order
 * @return one entry a client: 1 for each dropout, else 0
 */
ModelVector MakeDropoutRequest(const std::vector<LearnerId>& clients,
                               const std::vector<LearnerId>& dropouts);

/**
 * @param request as received from the network
 * @return places of the dropouts among all clients, in increasing order; none for a request that
 *         names no client, or has an entry that is neither 0 nor 1
 */
std::vector<uint32_t> ReadDropoutRequest(const ModelVector& request);

} // namespace ns3::dlearn

#endif // DLEARN_NOISE_RECOVERY_H
