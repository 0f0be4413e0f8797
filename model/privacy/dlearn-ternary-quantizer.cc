/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-ternary-quantizer.h"

#include "ns3/dlearn-types.h"
#include "ns3/double.h"

#include <cmath>

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(TernaryQuantizer);

TypeId
TernaryQuantizer::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::TernaryQuantizer")
                            .SetParent<NoiseMechanism>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<TernaryQuantizer>()
                            .AddAttribute("BaseScale",
                                          "s_0: entries become -s, 0 or s; no entry should be "
                                          "larger. 0 does not change them.",
                                          DoubleValue(10),
                                          MakeDoubleAccessor(&TernaryQuantizer::m_baseScale),
                                          MakeDoubleChecker<double>(0.0))
                            .AddAttribute("GrowthExponent",
                                          "s grows as (t+1)^GrowthExponent; negative to decay.",
                                          DoubleValue(0),
                                          MakeDoubleAccessor(&TernaryQuantizer::m_growthExponent),
                                          MakeDoubleChecker<double>());
    return tid;
}

TernaryQuantizer::TernaryQuantizer()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

TernaryQuantizer::~TernaryQuantizer() = default;

double
TernaryQuantizer::DoGetScale(uint32_t round) const
{
    return PowerLaw(m_baseScale, m_growthExponent, round);
}

void
TernaryQuantizer::Perturb(uint32_t round, VectorRef vector)
{
    const double scale = GetScale(round);
    if (scale == 0)
    {
        return;
    }
    for (double& entry : vector)
    {
        m_saturated += std::abs(entry) > scale ? 1 : 0;
        // One draw an entry, whatever it is: a stream that ran faster for some data would tie
        // later roundings to them.
        const bool keep = m_random->GetValue(0.0, 1.0) * scale < std::abs(entry);
        entry = keep ? std::copysign(scale, entry) : 0;
    }
}

int64_t
TernaryQuantizer::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

} // namespace ns3::dlearn
