/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RUN_NETWORK_H
#define DLEARN_RUN_NETWORK_H

#include "dlearn-run-learners.h"
#include "dlearn-run-spec.h"

#include "ns3/dlearn-network.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Makes the network of a run, for so many learners, a server included.
 */
using RunNetworkMaker = std::function<std::unique_ptr<Network>(uint32_t learners)>;

/**
 * @ingroup dlearn
 * Make the network of a run.
 *
 * @param spec what to run; its option network becomes the name of a network that a script makes
 * @param learners how many there are, a server included
 * @param make makes the network; empty: as the option network says
 * @return the network, still to be built
 * @throw std::invalid_argument when a user asked for another network than the script makes
 */
std::unique_ptr<Network> MakeRunNetwork(RunSpec& spec,
                                        uint32_t learners,
                                        const RunNetworkMaker& make);

/**
 * @ingroup dlearn
 * Build the network of a run, with links as its options say.
 *
 * @param spec what to run
 * @param learners that the network joins
 * @param network of MakeRunNetwork()
 * @return shortest delay between two ranks (Ranks); Time::Max() where there is only one
 * @throw std::invalid_argument for an option that a user gave and that has no effect on the network
 */
Time BuildRunNetwork(const RunSpec& spec, const RunLearners& learners, Network& network);

/**
 * @ingroup dlearn
 * @param spec what to run, with the option time-from
 * @param network of the run, built
 * @return simulated time from which the times of options and results count
 */
Time GetOrigin(const RunSpec& spec, const Network& network);

/**
 * @ingroup dlearn
 * @param spec what to run
 * @param learners set up
 * @throw std::invalid_argument when the user wants larger packets than usual and nobody sends them
 */
void RequireMtuCounts(const RunSpec& spec, const std::vector<Ptr<LearnerApplication>>& learners);

} // namespace ns3::dlearn

#endif // DLEARN_RUN_NETWORK_H
