/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-fuzz.h"

#include "ns3/dlearn-trace-network.h"

namespace ns3::dlearn::fuzz
{

std::vector<std::string>
GetSeeds()
{
    return {"0\n1\n1\n5\n", "4294967295\n", "7"};
}

void
Fuzz(Input& input)
{
    const CellularTrace trace(WriteFile(input.TakeRest()));
    Demand(trace.GetPeriod() > Time(0), "a trace takes some time");
    for (uint64_t k = 0; k < 2 * trace.GetCount(); ++k)
    {
        const Time time = trace.GetTime(k);
        Demand(trace.FindFrom(time) <= k, "an opportunity is found at its time");
    }
}

} // namespace ns3::dlearn::fuzz
