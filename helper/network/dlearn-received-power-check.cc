/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-received-power-check.h"

#include "ns3/dlearn-check.h"
#include "ns3/mobility-model.h"

#include <limits>

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(ReceivedPowerCheck);

TypeId
ReceivedPowerCheck::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::ReceivedPowerCheck")
                            .SetParent<PropagationLossModel>()
                            .SetGroupName("Dlearn"); // no constructor: not for users to choose
    return tid;
}

double
ReceivedPowerCheck::DoCalcRxPower(double power,
                                  Ptr<MobilityModel> from,
                                  Ptr<MobilityModel> to) const
{
    Require(power < std::numeric_limits<double>::infinity(), // nor NaN
            "path-loss and fading must give a power for all places; between ",
            from->GetPosition(),
            " and ",
            to->GetPosition(),
            " the received power is ",
            power,
            " dBm, as heights, distance or attributes are outside of what the model is made for");
    return power;
}

int64_t
ReceivedPowerCheck::DoAssignStreams(int64_t /* stream */)
{
    return 0;
}

} // namespace ns3::dlearn
