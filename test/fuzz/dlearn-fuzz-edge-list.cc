/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-fuzz.h"

#include "ns3/dlearn-graph-reader.h"

namespace ns3::dlearn::fuzz
{

std::vector<std::string>
GetSeeds()
{
    return {"0,1\n1,0\n", "sender,receiver,weight\n0,1,0.5\n1,0,2\n", "# none\n 0 , 1 \n"};
}

void
Fuzz(Input& input)
{
    const std::string text = input.TakeRest();
    if (!HasLongNumber(text))
    {
        const DirectedGraph read = ReadEdgeList(WriteFile(text), 0);
        Demand(read.graph.GetSize() >= 2, "an edge has two ends");
    }
}

} // namespace ns3::dlearn::fuzz
