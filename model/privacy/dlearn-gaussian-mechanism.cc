/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-gaussian-mechanism.h"

#include "ns3/dlearn-seeded-random.h"
#include "ns3/dlearn-types.h"
#include "ns3/double.h"

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(GaussianMechanism);

TypeId
GaussianMechanism::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::GaussianMechanism")
            .SetParent<NoiseMechanism>()
            .SetGroupName("Dlearn")
            .AddConstructor<GaussianMechanism>()
            .AddAttribute("BaseScale",
                          "Standard deviation of the noise on every entry in round 0; 0 for no "
                          "noise.",
                          DoubleValue(1.0),
                          MakeDoubleAccessor(&GaussianMechanism::m_baseScale),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("GrowthExponent",
                          "s: the standard deviation grows as (t+1)^s; negative to decay.",
                          DoubleValue(0.0),
                          MakeDoubleAccessor(&GaussianMechanism::m_growthExponent),
                          MakeDoubleChecker<double>());
    return tid;
}

GaussianMechanism::GaussianMechanism()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

GaussianMechanism::~GaussianMechanism() = default;

double
GaussianMechanism::DoGetScale(uint32_t round) const
{
    return PowerLaw(m_baseScale, m_growthExponent, round);
}

void
GaussianMechanism::Perturb(uint32_t round, VectorRef vector)
{
    const double scale = GetScale(round);
    if (scale == 0)
    {
        return;
    }
    if (!m_drawn)
    {
        m_key = DrawKey(*m_random);
        m_drawn = true;
    }
    NormalStream(MixKey(m_key, round)).AddTo(scale, vector);
}

int64_t
GaussianMechanism::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

} // namespace ns3::dlearn
