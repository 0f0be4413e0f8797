/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-run-option-groups.h"

namespace ns3::dlearn
{

using namespace run_kinds;

void
AddFaultOptions(RunSpec& s, OptionTable& table)
{
    table.Begin("Faults", TheoryEffect::DISTURBS);
    table.Add(
        "churn",
        P | D | F,
        &s.churn,
        "crash:LEARNER@TIME,leave:LEARNER@TIME,restart:LEARNER@TIME,...; times: see time-from");
    table.Add(
        "links",
        P | D | F,
        &s.links,
        "down:A-B@TIME,up:A-B@TIME,loss=P:A-B@TIME,... on the link of learners A and B, where "
        "neighbours have links of their own, as on p2p; AtoB: only what A sends to B");
    table.Add("faults",
              P | D | F,
              &s.faults,
              "file of faults, one a line: partitions, links down, bursts of losses, flipped bits, "
              "copies, other orders, crashes, wrong clocks; see doc/faults.rst");
}

} // namespace ns3::dlearn
