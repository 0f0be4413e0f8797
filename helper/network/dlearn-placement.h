/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PLACEMENT_H
#define DLEARN_PLACEMENT_H

#include "dlearn-network.h"

#include "ns3/node-container.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

/**
 * @file
 * Where the learners of a radio network stand and how they move, the same for all radios.
 */

namespace ns3::dlearn
{

/**
 * Refuse positions that are not one for each learner and inside the square, and a mobility that
 * does not keep learners there.
 *
 * @param network name of the network, for the message
 * @param options with positions, or none
 * @param learners number of learners
 * @param fixed a learner that needs no place in a trace
 * @throw std::invalid_argument naming the learner and the position, or the side
 */
void CheckPositions(const std::string& network,
                    const NetworkOptions& options,
                    uint32_t learners,
                    std::optional<LearnerId> fixed);

/**
 * @param options with positions that passed CheckPositions() or a trace of mobility; without
 *        both, positions are drawn uniformly from the square, with NetworkOptions::positionStream
 * @param learners number of learners
 * @param fixed a learner that stands in the centre of the square when positions are drawn
 * @return start of each learner in metres
 */
std::vector<std::pair<double, double>> PlaceLearners(const NetworkOptions& options,
                                                     uint32_t learners,
                                                     std::optional<LearnerId> fixed);

/**
 * Give each learner's node a mobility model, that of NetworkOptions::mobility.
 *
 * @param network name of the network, for the message
 * @param nodes of the learners, without mobility model
 * @param positions start of each
 * @param options what the user asked for
 * @param fixed a learner that does not move unless a trace says so
 * @param ready when learners start: from then on the times of a trace count, if the options say so
 * @throw std::invalid_argument as CheckMobilityModel()
 */
void InstallMobility(const std::string& network,
                     const NodeContainer& nodes,
                     const std::vector<std::pair<double, double>>& positions,
                     const NetworkOptions& options,
                     std::optional<LearnerId> fixed,
                     Time ready);

/** Parts of equal size of a square. */
struct Grid
{
    uint32_t columns; //!< parts side by side
    uint32_t rows;    //!< parts above each other
};

/**
 * @param count of what is put on the grid, at least 1
 * @return as many columns as rows, or one more; parts of the last row may be empty
 */
Grid ChooseGrid(uint32_t count);

/**
 * Put base stations or access points that are no learners on a grid in the square, each in the
 * middle of its part of the square; a single one in the centre.
 *
 * @param nodes without mobility model
 * @param options what the user asked for
 */
void PlaceOnGrid(const NodeContainer& nodes, const NetworkOptions& options);

} // namespace ns3::dlearn

#endif // DLEARN_PLACEMENT_H
