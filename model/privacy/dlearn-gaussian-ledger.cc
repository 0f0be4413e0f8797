/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-gaussian-ledger.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-type-id.h"

#include <algorithm>
#include <tuple>

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(GaussianLedger);

TypeId
GaussianLedger::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<GaussianLedger, PrivacyAccount>("ns3::dlearn::GaussianLedger")
            .AddAttribute(
                "Momentum",
                "Whether a message contains the gradients of all earlier rounds.",
                BooleanValue(true),
                MakeBooleanAccessor(&GaussianLedger::SetMomentum, &GaussianLedger::HasMomentum),
                MakeBooleanChecker());
    return tid;
}

void
GaussianLedger::SetSampling(double sampling, std::optional<Adjacency> poisson)
{
    Require(m_entries.empty(), "GaussianLedger: SetSampling() must come before any event");
    Require(sampling > 0 && sampling <= 1,
            "GaussianLedger: sampling must be in (0, 1], got {}",
            sampling);
    m_sampling = sampling;
    m_poisson = poisson;
}

bool
GaussianLedger::CanAfford(uint32_t round, double rate, double raised) const
{
    CheckRelease(round, rate);
    RateCounts counts{{{std::max(rate, raised), true}, 1}};
    for (const Entry& entry : m_entries)
    {
        if (entry.left || m_momentum)
        {
            ++counts[{std::max(entry.rate, raised), entry.sampled}];
        }
    }
    return CanAfford(counts);
}

bool
GaussianLedger::CanAfford(uint32_t round, const GaussianCost& cost) const
{
    CheckRelease(round, cost.realised);
    RateCounts counts = CountTold();
    ++counts[{cost.realised, cost.sampled}];
    return CanAfford(counts);
}

bool
GaussianLedger::CanAfford(const RateCounts& counts) const
{
    return GetBudget() == 0 || IsWithinBudget(GetEpsilon(counts));
}

void
GaussianLedger::Release(uint32_t round, const GaussianCost& cost)
{
    CheckRelease(round, std::min(cost.planned, cost.realised));
    if (cost.planned > 0)
    {
        ++m_nominal[{cost.planned, true}];
    }
    m_entries.push_back({round, cost.realised, cost.sampled, true});
}

void
GaussianLedger::Withdraw(uint32_t round)
{
    for (Entry& entry : m_entries)
    {
        entry.left = entry.left && entry.round != round;
    }
}

bool
GaussianLedger::Raise(uint32_t round, double rate)
{
    const auto entry =
        std::lower_bound(m_entries.begin(),
                         m_entries.end(),
                         round,
                         [](const Entry& one, uint32_t number) { return one.round < number; });
    if (entry == m_entries.end() || entry->round != round || entry->rate >= rate)
    {
        return false;
    }
    entry->rate = rate;
    return true;
}

void
GaussianLedger::SetMomentum(bool momentum)
{
    RequireSame("Momentum", momentum == m_momentum);
    m_momentum = momentum;
}

void
GaussianLedger::CheckRelease(uint32_t round, double rate) const
{
    CheckAttributes();
    Require(m_entries.empty() || round > m_entries.back().round,
            "GaussianLedger: a release of round {} came after round {}; rounds must increase",
            round,
            m_entries.empty() ? 0 : m_entries.back().round);
    Require(rate >= 0, "GaussianLedger: rate must be at least 0, got {}", rate);
}

GaussianLedger::RateCounts
GaussianLedger::CountTold() const
{
    RateCounts counts;
    bool told = false; // by a later message
    for (auto entry = m_entries.rbegin(); entry != m_entries.rend(); ++entry)
    {
        told = entry->left || (told && m_momentum);
        if (told && entry->rate > 0)
        {
            ++counts[{entry->rate, entry->sampled}];
        }
    }
    return counts;
}

double
GaussianLedger::GetEpsilon(const RateCounts& counts) const
{
    std::vector<GaussianRounds> rounds;
    for (const auto& [kind, number] : counts)
    {
        const auto& [rate, sampled] = kind;
        rounds.push_back({rate, sampled ? m_sampling : 1, static_cast<double>(number)});
    }
    if (m_sampling == 1)
    {
        return ComposeGaussians(rounds, GetDelta());
    }
    // With sampling this takes milliseconds, and most clients of a run spend the same.
    using Key = std::tuple<double, std::optional<Adjacency>, double, RateCounts>;
    static thread_local std::map<Key, double> known;
    constexpr size_t MOST = 1000;
    const Key key{m_sampling, m_poisson, GetDelta(), counts};
    const auto found = known.find(key);
    if (found != known.end())
    {
        return found->second;
    }
    if (known.size() == MOST)
    {
        known.clear();
    }
    return known[key] = ComposeGaussians(rounds, GetDelta(), m_poisson);
}

} // namespace ns3::dlearn
