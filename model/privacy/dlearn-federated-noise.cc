/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-federated-noise.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-part.h"
#include "ns3/dlearn-seeded-random.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/pointer.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnServerNoise");
NS_OBJECT_ENSURE_REGISTERED(CorrelatedNoise);
NS_OBJECT_ENSURE_REGISTERED(WorkerNoise);
NS_OBJECT_ENSURE_REGISTERED(ServerNoise);

TypeId
CorrelatedNoise::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<CorrelatedNoise, Object>("ns3::dlearn::CorrelatedNoise")
            .AddAttribute("Scale",
                          "s_cor: standard deviation of the noise that each pair of workers "
                          "shares, on every entry; 0 for no noise.",
                          DoubleValue(1.0),
                          MakeDoubleAccessor(&CorrelatedNoise::m_scale),
                          MakeDoubleChecker<double>(0.0));
    return tid;
}

void
CorrelatedNoise::SetWorkers(uint32_t workers)
{
    Require(m_workers == 0, "CorrelatedNoise: the number of workers is set once");
    m_workers = workers;
}

void
CorrelatedNoise::AddTo(uint32_t round, LearnerId worker, double weight, VectorRef vector)
{
    Require(worker < m_workers,
            "CorrelatedNoise: worker must be less than {}, got {}",
            m_workers,
            worker);
    if (const double scale = weight * GetScaleOf(round); scale != 0)
    {
        DoAddTo(round, worker, scale, vector);
    }
}

void
CorrelatedNoise::AddSharedWith(const std::vector<WeightedRound>& /* rounds */,
                               LearnerId /* worker */,
                               const std::vector<LearnerId>& /* others */,
                               VectorRef /* vector */)
{
    Require(false, "{} does not consist of noise that pairs share", GetInstanceTypeId().GetName());
}

int64_t
CorrelatedNoise::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

DLEARN_TYPE_WITHOUT_ATTRIBUTES(PairwiseCorrelatedNoise, CorrelatedNoise);

uint64_t
PairwiseCorrelatedNoise::GetSeed(LearnerId one, LearnerId other)
{
    const uint64_t low = std::min(one, other);
    const uint64_t high = std::max(one, other);
    Require(low != high && high < GetWorkers(),
            "PairwiseCorrelatedNoise: a pair must be of two of {} workers, got {} and {}",
            GetWorkers(),
            one,
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
PairwiseCorrelatedNoise::AddSharedWith(const std::vector<WeightedRound>& rounds,
                                       LearnerId worker,
                                       const std::vector<LearnerId>& others,
                                       VectorRef vector)
{
    for (const auto& [round, weight] : rounds)
    {
        const double scale = weight * GetScaleOf(round);
        for (size_t k = 0; k < others.size() && scale != 0; ++k)
        {
            AddPair(round, worker, others[k], scale, vector);
        }
    }
}

DLEARN_TYPE_WITHOUT_ATTRIBUTES(JointCorrelatedNoise, CorrelatedNoise);

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
JointCorrelatedNoise::DoAddTo(uint32_t round, LearnerId worker, double scale, VectorRef vector)
{
    const auto addNormals = [key = GetRoundKey(round)](LearnerId of, double by, VectorRef to) {
        NormalStream(MixKey(key, of)).AddTo(by, to);
    };
    if (m_meanRound != round || m_mean.size() != vector.size())
    {
        m_meanRound = round;
        m_mean.setZero(vector.size());
        for (LearnerId other = 0; other < GetWorkers(); ++other)
        {
            addNormals(other, 1.0 / GetWorkers(), m_mean);
        }
    }
    const double factor = scale * std::sqrt(GetWorkers());
    addNormals(worker, factor, vector);
    vector -= factor * m_mean;
}

TypeId
WorkerNoise::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<WorkerNoise, Object>("ns3::dlearn::WorkerNoise")
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
                          "The noise that workers share, see SetCorrelated(); none by default.",
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
            "WorkerNoise: each worker needs its own number, got {} twice",
            worker);
    Require(!m_recovery || !m_correlated || m_correlated->HasPairs(),
            "WorkerNoise: NoiseRecovery needs noise of pairs, such as "
            "ns3::dlearn::PairwiseCorrelatedNoise, got {}",
            m_correlated ? m_correlated->GetInstanceTypeId().GetName() : "none");
}

void
WorkerNoise::Add(uint32_t worker, uint32_t round, VectorRef gradient)
{
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

TypeId
ServerNoise::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<ServerNoise, Object>("ns3::dlearn::ServerNoise")
            .AddAttribute("Scale",
                          "Standard deviation of the noise of a round on the aggregate, at "
                          "least 0.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&ServerNoise::m_scale),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("Momentum",
                          "Share of the last noise in the next, from 0 to less than 1; that of the "
                          "workers.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&ServerNoise::m_momentum),
                          MakeDoubleChecker<double>(0.0, 1.0));
    return tid;
}

void
ServerNoise::DoDispose()
{
    m_listeners.clear();
    Object::DoDispose();
}

double
ServerNoise::GetMomentum() const
{
    Require(m_momentum >= 0 && m_momentum < 1,
            "ServerNoise: Momentum must be in [0, 1), got {}",
            m_momentum);
    return m_momentum;
}

void
ServerNoise::RemoveListener(ServerReleaseListener* listener)
{
    m_listeners.erase(std::remove(m_listeners.begin(), m_listeners.end(), listener),
                      m_listeners.end());
}

bool
ServerNoise::Release(ReleasedMessages messages, double total)
{
    RequirePositive("ServerNoise", "total of the messages", total);
    ServerRelease release{m_next, std::move(messages), total};
    for (const auto& [client, message] : release.messages)
    {
        release.step = std::max(release.step, message.round);
    }
    const auto affords = [&](const auto* one) { return one->CanAfford(release); };
    if (!std::all_of(m_listeners.begin(), m_listeners.end(), affords))
    {
        NS_LOG_INFO("step " << release.step << " is not released: a budget forbids it");
        return false;
    }
    m_next = release.step + 1;
    for (ServerReleaseListener* listener : m_listeners)
    {
        listener->Record(release);
    }
    return true;
}

bool
ServerNoise::Release(ReleasedMessages messages, double total, VectorRef aggregate)
{
    uint32_t step = m_next;
    if (!Release(std::move(messages), total))
    {
        return false;
    }
    if (m_noise.size() == 0)
    {
        m_key = DrawKey(*m_random);
        m_noise = ModelVector::Zero(aggregate.size());
    }
    for (; step < m_next; ++step)
    {
        m_noise *= GetMomentum();
        NormalStream(MixKey(m_key, step)).AddTo((1 - GetMomentum()) * m_scale, m_noise);
    }
    aggregate += m_noise;
    return true;
}

int64_t
ServerNoise::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

} // namespace ns3::dlearn
