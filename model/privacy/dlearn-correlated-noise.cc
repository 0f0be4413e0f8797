/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-correlated-noise.h"

#include "ns3/dlearn-check.h"
#include "ns3/double.h"

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(CorrelatedNoise);

TypeId
CorrelatedNoise::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::CorrelatedNoise")
            .SetParent<Object>()
            .SetGroupName("Dlearn")
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
    Require(workers > 0, "CorrelatedNoise: workers must be at least 1, got 0");
    Require(m_workers == 0, "CorrelatedNoise: the number of workers is set once");
    m_workers = workers;
}

double
CorrelatedNoise::GetScale() const
{
    RequireNonNegative("CorrelatedNoise", "Scale", m_scale);
    return m_scale;
}

double
CorrelatedNoise::GetScaleOf(uint32_t round)
{
    return m_scales.try_emplace(round, GetScale()).first->second;
}

void
CorrelatedNoise::AddTo(uint32_t round, LearnerId worker, double weight, VectorRef vector)
{
    CheckTerms(worker, weight);
    if (const double scale = weight * GetScaleOf(round); scale != 0)
    {
        DoAddTo(round, worker, scale, vector);
    }
}

void
CorrelatedNoise::AddSharedWith(const std::vector<WeightedRound>& rounds,
                               LearnerId worker,
                               const std::vector<LearnerId>& others,
                               VectorRef vector)
{
    Require(HasPairs(),
            GetInstanceTypeId().GetName(),
            " has no part that some workers share, as it is not made of what pairs share");
    CheckTerms(worker, 0);
    std::vector<WeightedRound> scaled;
    for (const WeightedRound& term : rounds)
    {
        CheckTerms(worker, term.weight);
        if (const double scale = term.weight * GetScaleOf(term.round); scale != 0)
        {
            scaled.push_back({term.round, scale});
        }
    }
    uint64_t next = 0;
    for (LearnerId other : others)
    {
        Require(other < m_workers && other >= next && other != worker,
                "CorrelatedNoise: other workers than ",
                worker,
                ", less than ",
                m_workers,
                " and in increasing order are needed, got ",
                other);
        next = uint64_t{other} + 1;
    }
    if (!scaled.empty() && !others.empty())
    {
        DoAddSharedWith(scaled, worker, others, vector);
    }
}

void
CorrelatedNoise::DoAddSharedWith(const std::vector<WeightedRound>& /* rounds */,
                                 LearnerId /* worker */,
                                 const std::vector<LearnerId>& /* others */,
                                 VectorRef /* vector */)
{
}

void
CorrelatedNoise::CheckTerms(LearnerId worker, double weight) const
{
    Require(m_workers > 0, "CorrelatedNoise: SetWorkers() must come before any noise");
    Require(worker < m_workers,
            "CorrelatedNoise: worker must be less than ",
            m_workers,
            ", got ",
            worker);
    Require(std::isfinite(weight), "CorrelatedNoise: weight must be finite, got ", weight);
}

} // namespace ns3::dlearn
