/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-geometric-decay-laplace.h"

#include "dlearn-laplace-mechanism.h"

#include "ns3/dlearn-check.h"
#include "ns3/double.h"

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(GeometricDecayLaplace);

TypeId
GeometricDecayLaplace::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::GeometricDecayLaplace")
            .SetParent<NoiseMechanism>()
            .SetGroupName("Dlearn")
            .AddConstructor<GeometricDecayLaplace>()
            .AddAttribute("BaseScale",
                          "b: scale of the Laplace noise of round 0; 0 for no noise.",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&GeometricDecayLaplace::m_baseScale),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("Ratio",
                          "p: the scale is multiplied by it every round; in (0, 1].",
                          DoubleValue(0.98),
                          MakeDoubleAccessor(&GeometricDecayLaplace::m_ratio),
                          MakeDoubleChecker<double>(0.0, 1.0));
    return tid;
}

GeometricDecayLaplace::GeometricDecayLaplace()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

GeometricDecayLaplace::~GeometricDecayLaplace() = default;

double
GeometricDecayLaplace::DoGetScale(uint32_t round) const
{
    Require(m_ratio > 0 && m_ratio <= 1,
            "GeometricDecayLaplace: Ratio must be in (0, 1], got ",
            m_ratio);
    return m_baseScale * std::pow(m_ratio, round);
}

void
GeometricDecayLaplace::Perturb(uint32_t round, VectorRef vector)
{
    AddLaplaceNoise(*m_random, GetScale(round), vector);
}

int64_t
GeometricDecayLaplace::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

} // namespace ns3::dlearn
