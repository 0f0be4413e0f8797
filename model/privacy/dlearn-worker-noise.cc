/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-worker-noise.h"

#include "dlearn-normal-stream.h"

#include "ns3/dlearn-check.h"
#include "ns3/double.h"

namespace ns3
{
namespace dlearn
{

NS_OBJECT_ENSURE_REGISTERED(WorkerNoise);

namespace
{

constexpr uint64_t COMMON = ~uint64_t{0}; //!< in place of a worker's number

} // namespace

TypeId
WorkerNoise::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::WorkerNoise")
            .SetParent<Object>()
            .SetGroupName("Dlearn")
            .AddConstructor<WorkerNoise>()
            .AddAttribute("Independent",
                          "Standard deviation s_ind of a worker's own noise, at least 0.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&WorkerNoise::m_independent),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("Common",
                          "Standard deviation of noise that is the same for all, at least 0.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&WorkerNoise::m_common),
                          MakeDoubleChecker<double>(0.0));
    return tid;
}

WorkerNoise::WorkerNoise()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

WorkerNoise::~WorkerNoise() = default;

void
WorkerNoise::DoDispose()
{
    m_correlated = nullptr;
    Object::DoDispose();
}

void
WorkerNoise::SetCorrelated(Ptr<CorrelatedNoise> noise)
{
    m_correlated = noise;
}

void
WorkerNoise::Add(uint32_t worker, uint32_t round, VectorRef gradient)
{
    RequireNonNegative("WorkerNoise", "Independent", m_independent);
    RequireNonNegative("WorkerNoise", "Common", m_common);
    if (!m_hasKey)
    {
        m_hasKey = true;
        m_key = DrawKey(*m_random);
    }
    const uint64_t key = MixKey(m_key, round);
    if (m_independent > 0)
    {
        NormalStream(MixKey(key, worker)).AddTo(m_independent, gradient);
    }
    if (m_common > 0)
    {
        NormalStream(MixKey(key, COMMON)).AddTo(m_common, gradient);
    }
    if (m_correlated)
    {
        m_correlated->AddTo(round, worker, 1, gradient);
    }
}

void
WorkerNoise::AddSharedWith(const std::vector<WeightedRound>& rounds,
                           uint32_t worker,
                           const std::vector<uint32_t>& others,
                           VectorRef vector)
{
    if (m_correlated)
    {
        m_correlated->AddSharedWith(rounds, worker, others, vector);
    }
}

int64_t
WorkerNoise::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1 + (m_correlated ? m_correlated->AssignStreams(stream + 1) : 0);
}

} // namespace dlearn
} // namespace ns3
