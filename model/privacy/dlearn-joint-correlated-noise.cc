/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-joint-correlated-noise.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-seeded-random.h"
#include "ns3/dlearn-type-id.h"

#include <cmath>

namespace ns3::dlearn
{

DLEARN_TYPE_WITHOUT_ATTRIBUTES(JointCorrelatedNoise, CorrelatedNoise);

namespace
{

/** Add a standard normal number that belongs to key and worker, times scale, to each entry. */
void
AddNormals(uint64_t key, LearnerId worker, double scale, VectorRef vector)
{
    NormalStream(MixKey(key, worker)).AddTo(scale, vector);
}

} // namespace

JointCorrelatedNoise::JointCorrelatedNoise()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

JointCorrelatedNoise::~JointCorrelatedNoise() = default;

int64_t
JointCorrelatedNoise::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

uint64_t
JointCorrelatedNoise::GetRoundKey(uint32_t round)
{
    if (!m_drawn)
    {
        m_key = DrawKey(*m_random);
        m_drawn = true;
    }
    return MixKey(m_key, round);
}

void
JointCorrelatedNoise::PrepareMean(uint32_t round, Eigen::Index size)
{
    if (m_meanRound == round && m_mean.size() == size)
    {
        return;
    }
    m_meanRound = round;
    m_mean.setZero(size);
    const uint64_t key = GetRoundKey(round);
    for (LearnerId worker = 0; worker < GetWorkers(); ++worker)
    {
        AddNormals(key, worker, 1.0 / GetWorkers(), m_mean);
    }
}

void
JointCorrelatedNoise::DoAddTo(uint32_t round, LearnerId worker, double scale, VectorRef vector)
{
    PrepareMean(round, vector.size());
    const double factor = scale * std::sqrt(GetWorkers());
    AddNormals(GetRoundKey(round), worker, factor, vector);
    vector -= factor * m_mean;
}

} // namespace ns3::dlearn
