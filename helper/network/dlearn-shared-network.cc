/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-shared-network.h"

#include "dlearn-neighbor-table.h"

#include "ns3/dlearn-check.h"
#include "ns3/log.h"

#include <vector>

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnSharedNetwork");

namespace
{

/**
 * @param id a learner
 * @return its address
 */
Ipv4Address
AddressOf(LearnerId id)
{
    return Ipv4Address(Ipv4Address("10.0.0.0").Get() + id + 1);
}

} // namespace

Ipv4Address
SharedNetwork::GetAddress(LearnerId from, LearnerId to) const
{
    CheckLearner(from);
    CheckLearner(to);
    return AddressOf(to);
}

MtuRange
SharedNetwork::GetMtuRange() const
{
    return FRAME_MTU;
}

void
SharedNetwork::CheckFits(const Graph& graph, const NetworkOptions& options) const
{
    Require(graph.GetSize() <= MAX_LEARNERS,
            GetName(),
            ": there are addresses for ",
            MAX_LEARNERS,
            " learners, the graph has ",
            graph.GetSize());
    RequireLossOnly(options);
}

void
SharedNetwork::Connect(const Graph& graph, const NetworkOptions& options)
{
    NS_LOG_FUNCTION(this << graph.GetSize());
    const NetDeviceContainer devices = MakeDevices(options);
    for (LearnerId id = 0; id < graph.GetSize(); ++id)
    {
        devices.Get(id)->SetMtu(GetMtu());
        AddInterface(devices.Get(id), AddressOf(id), Ipv4Mask("255.255.0.0"));
    }
    std::vector<NeighborTable> tables(graph.GetSize());
    for (const auto& [a, b] : graph.GetPairs())
    {
        tables[a][AddressOf(b)] = devices.Get(b)->GetAddress();
        tables[b][AddressOf(a)] = devices.Get(a)->GetAddress();
    }
    for (LearnerId id = 0; id < graph.GetSize(); ++id)
    {
        KeepNeighborTable(devices.Get(id), tables[id]);
    }
}

} // namespace ns3::dlearn
