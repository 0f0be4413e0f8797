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
    const std::string keys =
        "<graphml><key id='x' for='node' attr.name='Longitude' attr.type='double'/>"
        "<key id='y' for='node' attr.name='Latitude' attr.type='double'/>"
        "<key id='s' for='edge' attr.name='LinkSpeedRaw' attr.type='double'/>"
        "<key id='w' for='edge' attr.name='weight' attr.type='double'/>";
    const std::string nodes = "<node id='a'><data key='x'>1</data><data key='y'>2</data></node>"
                              "<node id='b'/>";
    return {"0" + keys + "<graph edgedefault='undirected'>" + nodes +
                "<edge source='a' target='b'><data key='s'>1e9</data></edge></graph></graphml>",
            "1" + keys + "<graph edgedefault='directed'>" + nodes +
                "<edge source='a' target='b'><data key='w'>2</data></edge></graph></graphml>"};
}

void
Fuzz(Input& input)
{
    const bool directed = input.TakeByte() % 2 == 1;
    const std::string path = WriteFile(input.TakeRest());
    const GraphmlContent content = directed ? ReadDirectedGraphml(path) : ReadGraphml(path);
    Demand(content.graph.GetSize() >= 1, "a graph has a node");
}

} // namespace ns3::dlearn::fuzz
