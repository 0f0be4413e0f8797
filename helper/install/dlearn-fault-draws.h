/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_FAULT_DRAWS_H
#define DLEARN_FAULT_DRAWS_H

#include "dlearn-fault-schedule.h"

#include "ns3/random-variable-stream.h"

#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Draw a schedule of faults at random. Each kind of fault occurs with probability 1/2, at least one
 * does: a partition, a link down, bursts of losses, flipped bits, copies, packets held back, one or
 * two learners that crash, and a clock that is up to 10 % wrong. A fault begins in the first half
 * of a span of time and has ended when it is over, but for the clock, which stays wrong.
 *
 * @param graph which learners exchange messages, at least one pair
 * @param begin of the span
 * @param end of the span, later
 * @param reorder whether packets may be held back, which TCP of ns-3 does not survive
 * @param random draws
 * @return the events, one a line of a file of faults
 */
std::vector<std::string> DrawFaults(const Graph& graph,
                                    Time begin,
                                    Time end,
                                    bool reorder,
                                    UniformRandomVariable& random);

} // namespace ns3::dlearn

#endif // DLEARN_FAULT_DRAWS_H
