/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_FAULT_DRAWS_H
#define DLEARN_FAULT_DRAWS_H

#include "dlearn-fault-schedule.h"

#include "ns3/random-variable-stream.h"

#include <optional>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What faults a run can have.
 */
struct DrawableFaults
{
    bool reorder{true};              //!< packets held back, which TCP of ns-3 does not survive
    std::optional<LearnerId> server; //!< that goes back to a checkpoint; none among peers
};

/**
 * @ingroup dlearn
 * Draw a schedule of faults at random. Each kind of fault occurs with probability 1/2, at least one
 * does: a partition, a link down, bursts of losses, flipped bits, copies, packets held back, one or
 * two learners that crash, a clock that is up to 10 % wrong, and a server that crashes and goes
 * back to a checkpoint of up to 20 rounds before. A fault begins in the first half of a span of
 * time and has ended when it is over, but for the clock, which stays wrong, and the checkpoints,
 * which stay that rare.
 *
 * @param graph which learners exchange messages, at least one pair
 * @param begin of the span
 * @param end of the span, later
 * @param drawable what faults the run can have
 * @param random draws
 * @return the events, one a line of a file of faults
 */
std::vector<std::string> DrawFaults(const Graph& graph,
                                    Time begin,
                                    Time end,
                                    const DrawableFaults& drawable,
                                    UniformRandomVariable& random);

} // namespace ns3::dlearn

#endif // DLEARN_FAULT_DRAWS_H
