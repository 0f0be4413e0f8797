/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-pairwise-correlated-noise.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-seeded-random.h"
#include "ns3/dlearn-type-id.h"

#include <algorithm>

namespace ns3::dlearn
{

DLEARN_TYPE_WITHOUT_ATTRIBUTES(PairwiseCorrelatedNoise, CorrelatedNoise);

PairwiseCorrelatedNoise::PairwiseCorrelatedNoise()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

PairwiseCorrelatedNoise::~PairwiseCorrelatedNoise() = default;

int64_t
PairwiseCorrelatedNoise::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

uint64_t
PairwiseCorrelatedNoise::GetSeed(LearnerId one, LearnerId other)
{
    const uint64_t low = std::min(one, other);
    const uint64_t high = std::max(one, other);
    Require(low != high && high < GetWorkers(),
            "PairwiseCorrelatedNoise: a pair must be of two of ",
            GetWorkers(),
            " workers, got ",
            one,
            " and ",
            other);
    if (m_seeds.empty())
    {
        const uint64_t workers = GetWorkers();
        m_seeds.resize(workers * (workers - 1) / 2);
        for (uint64_t& seed : m_seeds)
        {
            seed = DrawKey(*m_random);
        }
    }
    return m_seeds[high * (high - 1) / 2 + low];
}

void
PairwiseCorrelatedNoise::AddPair(uint32_t round,
                                 LearnerId worker,
                                 LearnerId other,
                                 double scale,
                                 VectorRef vector)
{
    NormalStream normals(MixKey(GetSeed(worker, other), round));
    normals.AddTo(worker < other ? scale : -scale, vector);
}

void
PairwiseCorrelatedNoise::DoAddTo(uint32_t round, LearnerId worker, double scale, VectorRef vector)
{
    for (LearnerId other = 0; other < GetWorkers(); ++other)
    {
        if (other != worker)
        {
            AddPair(round, worker, other, scale, vector);
        }
    }
}

void
PairwiseCorrelatedNoise::DoAddSharedWith(const std::vector<WeightedRound>& rounds,
                                         LearnerId worker,
                                         const std::vector<LearnerId>& others,
                                         VectorRef vector)
{
    for (const WeightedRound& term : rounds)
    {
        for (LearnerId other : others)
        {
            AddPair(term.round, worker, other, term.weight, vector);
        }
    }
}

} // namespace ns3::dlearn
