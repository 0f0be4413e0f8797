/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-worker-noise.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-part.h"
#include "ns3/dlearn-seeded-random.h"
#include "ns3/double.h"
#include "ns3/pointer.h"

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(WorkerNoise);

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
            .AddAttribute("NoiseRecovery",
                          "Whether workers may reveal noise that they share with others; their "
                          "budgets then allow for it.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&WorkerNoise::m_recovery),
                          MakeBooleanChecker())
            .AddAttribute("Correlated",
                          "The noise that workers share, as SetCorrelated() says; none by default.",
                          TypeId::ATTR_GET,
                          PointerValue(),
                          MakePointerAccessor(&WorkerNoise::m_correlated),
                          MakePartChecker<CorrelatedNoise>())
            .AddTraceSource("Reveal",
                            "Workers have revealed noise that they share with others.",
                            MakeTraceSourceAccessor(&WorkerNoise::m_revealTrace),
                            "ns3::dlearn::WorkerNoise::RevealTracedCallback");
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
WorkerNoise::Claim(uint32_t worker)
{
    Require(m_claimed.insert(worker).second,
            "WorkerNoise: each worker needs a number of its own, got ",
            worker,
            " twice");
    Require(!m_recovery || !m_correlated || m_correlated->HasPairs(),
            "WorkerNoise: NoiseRecovery needs noise of pairs, such as "
            "ns3::dlearn::PairwiseCorrelatedNoise, got ",
            m_correlated ? m_correlated->GetInstanceTypeId().GetName() : "none");
}

void
WorkerNoise::Add(uint32_t worker, uint32_t round, VectorRef gradient)
{
    RequireNonNegative("WorkerNoise", "Independent", m_independent);
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
    Require(m_recovery, "WorkerNoise: noise is revealed with the attribute NoiseRecovery only");
    if (!m_correlated)
    {
        return;
    }
    m_correlated->AddSharedWith(rounds, worker, others, vector);
    std::set<uint32_t> grown;
    for (const WeightedRound& term : rounds)
    {
        std::set<uint32_t>& revealed = m_revealed[term.round];
        const size_t before = revealed.size();
        revealed.insert(others.begin(), others.end());
        if (revealed.size() > before)
        {
            grown.insert(term.round);
        }
    }
    if (!grown.empty())
    {
        m_revealTrace({grown.begin(), grown.end()});
    }
}

NoiseScales
WorkerNoise::GetScales() const
{
    return {m_correlated ? m_correlated->GetScale() : 0, m_independent};
}

NoiseScales
WorkerNoise::GetScalesOf(uint32_t round)
{
    return {m_correlated ? m_correlated->GetScaleOf(round) : 0, m_independent};
}

uint32_t
WorkerNoise::GetWorkers() const
{
    return m_correlated ? m_correlated->GetWorkers() : 0;
}

const std::set<uint32_t>&
WorkerNoise::GetRevealed(uint32_t round) const
{
    static const std::set<uint32_t> none;
    const auto found = m_revealed.find(round);
    return found == m_revealed.end() ? none : found->second;
}

int64_t
WorkerNoise::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1 + (m_correlated ? m_correlated->AssignStreams(stream + 1) : 0);
}

} // namespace ns3::dlearn
