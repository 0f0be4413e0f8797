/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-noise-mechanism.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-power-law.h"

#include <cmath>

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(NoiseMechanism);

TypeId
NoiseMechanism::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::NoiseMechanism").SetParent<Object>().SetGroupName("Dlearn");
    return tid;
}

double
NoiseMechanism::GetPowerScale(const char* name, double base, double exponent, uint32_t round)
{
    const double scale = PowerLaw(base, exponent, round);
    // An attribute value inside a factory string is not checked by ns-3: check it here.
    Require(std::isfinite(scale) && scale >= 0,
            name,
            ": scale of round ",
            round,
            " must be finite and at least 0, got ",
            scale,
            " from BaseScale ",
            base,
            " and GrowthExponent ",
            exponent);
    return scale;
}

} // namespace ns3::dlearn
