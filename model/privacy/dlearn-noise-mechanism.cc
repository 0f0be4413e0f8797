/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-noise-mechanism.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-seeded-random.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/dlearn-types.h"
#include "ns3/double.h"

#include <cmath>

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(NoiseMechanism);
NS_OBJECT_ENSURE_REGISTERED(LaplaceMechanism);
NS_OBJECT_ENSURE_REGISTERED(GeometricDecayLaplace);
NS_OBJECT_ENSURE_REGISTERED(GaussianMechanism);
NS_OBJECT_ENSURE_REGISTERED(TernaryQuantizer);

const char*
ToString(NoiseLaw law)
{
    static const char* const names[] = {"none", "laplace", "gaussian", "ternary"};
    return names[static_cast<uint8_t>(law)];
}

TypeId
NoiseMechanism::GetTypeId()
{
    static TypeId tid = MakeTypeId<NoiseMechanism, Object>("ns3::dlearn::NoiseMechanism")
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
    // ns-3 does not check attribute values in a factory string.
    Require(std::isfinite(scale) && scale >= 0,
            "{}: scale of round {} must be finite and at least 0, got {}",
            GetInstanceTypeId().GetName(),
            round,
            scale);
    return scale;
}

int64_t
ScaledNoise::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

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
    static TypeId tid =
        MakeTypeId<LaplaceMechanism, NoiseMechanism>("ns3::dlearn::LaplaceMechanism")
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

void
LaplaceMechanism::Perturb(uint32_t round, VectorRef vector)
{
    AddLaplaceNoise(*m_random, GetScale(round), vector);
}

TypeId
GeometricDecayLaplace::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<GeometricDecayLaplace, NoiseMechanism>("ns3::dlearn::GeometricDecayLaplace")
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

double
GeometricDecayLaplace::DoGetScale(uint32_t round) const
{
    Require(m_ratio > 0 && m_ratio <= 1,
            "GeometricDecayLaplace: Ratio must be in (0, 1], got {}",
            m_ratio);
    return m_baseScale * std::pow(m_ratio, round);
}

void
GeometricDecayLaplace::Perturb(uint32_t round, VectorRef vector)
{
    AddLaplaceNoise(*m_random, GetScale(round), vector);
}

TypeId
GaussianMechanism::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<GaussianMechanism, NoiseMechanism>("ns3::dlearn::GaussianMechanism")
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

TypeId
TernaryQuantizer::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<TernaryQuantizer, NoiseMechanism>("ns3::dlearn::TernaryQuantizer")
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
        // One draw for any entry, so that later draws do not depend on the data.
        const bool keep = m_random->GetValue(0.0, 1.0) * scale < std::abs(entry);
        entry = keep ? std::copysign(scale, entry) : 0;
    }
}

} // namespace ns3::dlearn
