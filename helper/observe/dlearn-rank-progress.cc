/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-rank-progress.h"

namespace ns3::dlearn
{

void
RankProgress::Add(const RankProgress& other)
{
    changed = Max(changed, other.changed);
    closed += other.closed;
    rxBytes += other.rxBytes;
    spent.Add(other.spent);
    down.insert(other.down.begin(), other.down.end());
    closedAll = closedAll || other.closedAll;
    deserted = deserted || other.deserted;
}

} // namespace ns3::dlearn
