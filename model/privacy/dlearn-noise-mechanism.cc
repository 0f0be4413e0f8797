/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-noise-mechanism.h"

#include "ns3/dlearn-check.h"
#include "ns3/double.h"

#include <cmath>

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(NoiseMechanism);

TypeId
NoiseMechanism::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::NoiseMechanism")
                            .SetParent<Object>()
                            .SetGroupName("Dlearn")
                            .AddAttribute("Multiplier",
                                          "Multiplies the scale of every round; 0 for no noise.",
                                          DoubleValue(1),
                                          MakeDoubleAccessor(&NoiseMechanism::m_multiplier),
                                          MakeDoubleChecker<double>(0.0));
    return tid;
}

double
NoiseMechanism::GetScale(uint32_t round) const
{
    const double scale = m_multiplier * DoGetScale(round);
    // An attribute value inside a factory string is not checked by ns-3: check it here.
    Require(std::isfinite(scale) && scale >= 0,
            GetInstanceTypeId().GetName(),
            ": scale of round ",
            round,
            " must be finite and at least 0, got ",
            scale);
    return scale;
}

} // namespace ns3::dlearn
