/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-joint-correlated-noise.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-normal-stream.h"
#include "ns3/dlearn-state-archive.h"

#include <algorithm>
#include <cmath>

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(JointCorrelatedNoise);
DLEARN_STATE_ENSURE_REGISTERED(JointCorrelatedNoise);

namespace
{

/** Add a standard normal number that belongs to key and worker, times scale, to each entry. */
void
AddNormals(uint64_t key, LearnerId worker, double scale, VectorRef vector)
{
    NormalStream(MixKey(key, worker)).AddTo(scale, vector);
}

/** Key of the y_i of a round and a set. */
uint64_t
GetSetKey(uint64_t roundKey, const std::vector<LearnerId>& others)
{
    // A number that no worker has, so that the y_i are not the z_i.
    uint64_t key = MixKey(roundKey, ~uint64_t{0});
    for (LearnerId other : others)
    {
        key = MixKey(key, other);
    }
    return key;
}

/** Whether two lists of rounds and weights are the same. */
bool
AreSame(const std::vector<WeightedRound>& a, const std::vector<WeightedRound>& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
        return x.round == y.round && x.weight == y.weight;
    });
}

} // namespace

TypeId
JointCorrelatedNoise::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::JointCorrelatedNoise")
                            .SetParent<CorrelatedNoise>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<JointCorrelatedNoise>();
    return tid;
}

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
JointCorrelatedNoise::PreparePart(const std::vector<WeightedRound>& rounds,
                                  const std::vector<LearnerId>& others,
                                  Eigen::Index size)
{
    if (m_part.value.size() == size && m_part.others == others && AreSame(m_part.rounds, rounds))
    {
        return;
    }
    m_part.rounds = rounds;
    m_part.others = others;
    m_part.value.setZero(size);
    const double n = GetWorkers();
    const auto lost = static_cast<double>(others.size());
    const double spread = std::sqrt(lost / (n - lost) / n); // sqrt(|S| |L| / n) / |S|
    for (const WeightedRound& term : rounds)
    {
        const uint64_t key = GetRoundKey(term.round);
        const uint64_t setKey = GetSetKey(key, others);
        for (LearnerId worker = 0; worker < GetWorkers(); ++worker)
        {
            if (std::binary_search(others.begin(), others.end(), worker))
            {
                AddNormals(key, worker, term.weight / std::sqrt(n), m_part.value);
            }
            else
            {
                AddNormals(setKey, worker, term.weight * spread, m_part.value);
            }
        }
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

void
JointCorrelatedNoise::DoAddSharedWith(const std::vector<WeightedRound>& rounds,
                                      LearnerId worker,
                                      const std::vector<LearnerId>& others,
                                      VectorRef vector)
{
    PreparePart(rounds, others, vector.size());
    const double n = GetWorkers();
    const auto lost = static_cast<double>(others.size());
    const double scale = GetScale();
    const double own = scale * lost / std::sqrt(n);
    const double spread = scale * std::sqrt((n - lost) * lost / n);
    for (const WeightedRound& term : rounds)
    {
        const uint64_t key = GetRoundKey(term.round);
        AddNormals(key, worker, term.weight * own, vector);
        AddNormals(GetSetKey(key, others), worker, term.weight * spread, vector);
    }
    vector -= scale * m_part.value;
}

void
JointCorrelatedNoise::VisitState(StateArchive& archive)
{
    archive(m_random, m_drawn, m_key);
}

} // namespace ns3::dlearn
