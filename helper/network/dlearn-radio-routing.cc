/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-radio-routing.h"

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(RadioRouting);

TypeId
RadioRouting::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::RadioRouting")
                            .SetParent<Object>()
                            .SetGroupName("Dlearn")
                            .AddAttribute("ReadyTime",
                                          "Simulated time before which learners do not send; 0: "
                                          "as long as the protocol takes on a line of as many "
                                          "nodes",
                                          TimeValue(Time(0)),
                                          MakeTimeAccessor(&RadioRouting::m_readyTime),
                                          MakeTimeChecker(Time(0)));
    return tid;
}

void
RadioRouting::SetUp(const NodeContainer& /* nodes */, const Graph& /* reach */) const
{
}

Time
RadioRouting::GetReadyTime(uint32_t nodes) const
{
    return m_readyTime.IsZero() ? MeasureReadyTime(nodes) : m_readyTime;
}

Time
RadioRouting::MeasureReadyTime(uint32_t /* nodes */) const
{
    return Time(0);
}

int64_t
RadioRouting::AssignStreams(const NodeContainer& /* nodes */, int64_t /* stream */) const
{
    return 0;
}

const ComponentFamily&
GetRadioRoutingFamily()
{
    static const ComponentFamily family{"routing", RadioRouting::GetTypeId(), {"Routing"}, true};
    return family;
}

} // namespace ns3::dlearn
