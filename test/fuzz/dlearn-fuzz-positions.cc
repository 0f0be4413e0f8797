/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-fuzz.h"

#include "ns3/dlearn-position-trace.h"
#include "ns3/mobility-model.h"
#include "ns3/simulator.h"

namespace ns3::dlearn::fuzz
{

std::vector<std::string>
GetSeeds()
{
    const std::string table(1, '\0');
    const std::string movements(1, '\1');
    const std::string cars(1, '\2');
    return {table + "time_s,node,x_m,y_m,z_m\n0,0,1,2,0\n1.5,0,3,4,0\n0,1,5,5,0\n",
            table + "time_s,node,x_m,y_m\n0,0,1,2\n",
            movements + "$node_(0) set X_ 10.0\n$node_(0) set Y_ 20.0\n"
                        "$ns_ at 2.5 \"$node_(0) setdest 30.0 20.0 1.5\"\n"
                        "$ns_ at 3 \"$node_(0) setdest 0 0 0\"\n",
            movements + "$ns_ at 0 \"$node_(0) set X_ 1\";\n$ns_ at 0 \"$node_(0) set Y_ 2\"\n"
                        "$ns_ at 4 \"$node_(0) set Z_ 2\"\n$node_(0) set X_ 5\n",
            cars + "<fcd-export><timestep time=\"1\"><vehicle id=\"a\" x=\"1\" y=\"2\"/></timestep>"
                   "<timestep time=\"2\"><vehicle id=\"a\" x=\"2\" y=\"2\" z=\"1\"/></timestep>"
                   "</fcd-export>"};
}

void
Fuzz(Input& input)
{
    const auto read = std::vector{&ReadPositionTable,
                                  &ReadNs2Movements,
                                  &ReadFloatingCarData}[input.TakeByte() % 3];
    const PositionTrace trace = read(WriteFile(input.TakeRest()));
    if (trace.Has(0))
    {
        const auto model = trace.CreateModel(0);
        const Vector at = model->GetPosition();
        const auto [x, y] = trace.GetStart(0);
        Demand(at.x == x && at.y == y, "a learner begins where the trace begins");
    }
    Simulator::Destroy();
}

} // namespace ns3::dlearn::fuzz
