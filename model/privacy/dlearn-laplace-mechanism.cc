/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-laplace-mechanism.h"

#include "ns3/dlearn-types.h"
#include "ns3/double.h"

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(LaplaceMechanism);

void
AddLaplaceNoise(UniformRandomVariable& random, double scale, VectorRef vector)
{
    if (scale == 0)
    {
        return;
    }
    for (Eigen::Index k = 0; k < vector.size(); ++k)
    {
        // Twice the mass beyond the draw: 1 - u is exact for u >= 1/2, so is the doubling.
        // The generator does not return 0 or 1, but an attribute could change that.
        double uniform;
        double tail;
        do
        {
            uniform = random.GetValue(0.0, 1.0);
            tail = uniform < 0.5 ? 2 * uniform : 2 * (1 - uniform);
        } while (!(tail > 0));
        const double magnitude = -scale * std::log(tail);
        vector[k] += uniform < 0.5 ? -magnitude : magnitude;
    }
}

TypeId
LaplaceMechanism::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::LaplaceMechanism")
                            .SetParent<NoiseMechanism>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<LaplaceMechanism>()
                            .AddAttribute("BaseScale",
                                          "Scale of the Laplace noise of round 0; sigma/sqrt(2) "
                                          "in the paper. 0 for no noise.",
                                          DoubleValue(1.0),
                                          MakeDoubleAccessor(&LaplaceMechanism::m_baseScale),
                                          MakeDoubleChecker<double>(0.0))
                            .AddAttribute("GrowthExponent",
                                          "s: the scale grows as (t+1)^s; negative to decay.",
                                          DoubleValue(0.1),
                                          MakeDoubleAccessor(&LaplaceMechanism::m_growthExponent),
                                          MakeDoubleChecker<double>());
    return tid;
}

LaplaceMechanism::LaplaceMechanism()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

LaplaceMechanism::~LaplaceMechanism() = default;

double
LaplaceMechanism::DoGetScale(uint32_t round) const
{
    return PowerLaw(m_baseScale, m_growthExponent, round);
}

void
LaplaceMechanism::Perturb(uint32_t round, VectorRef vector)
{
    AddLaplaceNoise(*m_random, GetScale(round), vector);
}

int64_t
LaplaceMechanism::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

} // namespace ns3::dlearn
