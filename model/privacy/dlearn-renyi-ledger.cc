/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-renyi-ledger.h"

#include "dlearn-renyi-accounting.h"
#include "dlearn-sampled-gaussian.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-state-archive.h"
#include "ns3/double.h"

#include <algorithm>

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(RenyiLedger);
DLEARN_STATE_ENSURE_REGISTERED(RenyiLedger);

namespace
{

/** Rates of rounds without sampling add up. */
template <typename Counts>
double
GetTotal(const Counts& counts)
{
    double total = 0;
    for (const auto& [kind, rounds] : counts)
    {
        total += kind.first * static_cast<double>(rounds);
    }
    return total;
}

} // namespace

TypeId
RenyiLedger::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::RenyiLedger")
            .SetParent<PrivacyAccount>()
            .SetGroupName("Dlearn")
            .AddConstructor<RenyiLedger>()
            .AddAttribute("Momentum",
                          "Whether a message contains what all earlier rounds added.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&RenyiLedger::SetMomentum, &RenyiLedger::HasMomentum),
                          MakeBooleanChecker());
    return tid;
}

void
RenyiLedger::SetSampling(double sampling)
{
    Require(m_entries.empty(), "RenyiLedger: SetSampling() must come before any event");
    Require(sampling > 0 && sampling <= 1,
            "RenyiLedger: sampling must be in (0, 1], got ",
            sampling);
    m_sampling = sampling;
}

bool
RenyiLedger::CanAfford(uint32_t round, double rate, double raised) const
{
    CheckRelease(round, rate);
    Require(raised >= 0, "RenyiLedger: raised rate must be at least 0, got ", raised);
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
RenyiLedger::CanAfford(uint32_t round, const RenyiCost& cost) const
{
    CheckRelease(round, cost.realised);
    RateCounts counts = CountTold();
    ++counts[{cost.realised, cost.sampled}];
    return CanAfford(counts);
}

bool
RenyiLedger::CanAfford(const RateCounts& counts) const
{
    return GetBudget() == 0 || IsWithinBudget(ConvertClassically(counts));
}

void
RenyiLedger::Release(uint32_t round, double rate, bool transmitted)
{
    Release(round, {rate, rate, true});
    m_entries.back().left = transmitted;
}

void
RenyiLedger::Release(uint32_t round, const RenyiCost& cost)
{
    CheckRelease(round, cost.planned);
    CheckRate(cost.realised);
    if (cost.planned > 0)
    {
        ++m_nominal[{cost.planned, true}];
    }
    m_entries.push_back({round, cost.realised, cost.sampled, true});
}

void
RenyiLedger::Withdraw(uint32_t round)
{
    for (Entry& entry : m_entries)
    {
        entry.left = entry.left && entry.round != round;
    }
}

bool
RenyiLedger::Raise(uint32_t round, double rate)
{
    CheckRate(rate);
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

double
RenyiLedger::GetEpsilon() const
{
    return ConvertClassically(CountTold());
}

double
RenyiLedger::GetTightEpsilon() const
{
    const RateCounts counts = CountTold();
    return counts.empty()    ? 0
           : m_sampling == 1 ? TightGaussianEpsilon(GetTotal(counts), GetDelta()).epsilon
                             : TightEpsilon(DefaultOrders(), GetCurve(counts), GetDelta()).epsilon;
}

bool
RenyiLedger::HasBegun() const
{
    return !m_entries.empty();
}

void
RenyiLedger::SetMomentum(bool momentum)
{
    RequireSame("Momentum", momentum == m_momentum);
    m_momentum = momentum;
}

bool
RenyiLedger::HasMomentum() const
{
    return m_momentum;
}

double
RenyiLedger::GetNominalEpsilon() const
{
    return ConvertClassically(m_nominal);
}

void
RenyiLedger::CheckRelease(uint32_t round, double rate) const
{
    CheckAttributes();
    Require(m_entries.empty() || round > m_entries.back().round,
            "RenyiLedger: a release of round ",
            round,
            " came after round ",
            m_entries.empty() ? 0 : m_entries.back().round,
            "; rounds must increase");
    CheckRate(rate);
}

void
RenyiLedger::CheckRate(double rate) const
{
    Require(rate >= 0, "RenyiLedger: rate must be at least 0, got ", rate);
}

RenyiLedger::RateCounts
RenyiLedger::CountTold() const
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
RenyiLedger::ConvertClassically(const RateCounts& counts) const
{
    if (counts.empty())
    {
        // Nothing was disclosed, whatever the list of orders.
        return 0;
    }
    return m_sampling == 1 ? ClassicGaussianEpsilon(GetTotal(counts), GetDelta()).epsilon
                           : ClassicEpsilon(DefaultOrders(), GetCurve(counts), GetDelta()).epsilon;
}

std::vector<double>
RenyiLedger::GetCurve(const RateCounts& counts) const
{
    const std::vector<double>& orders = DefaultOrders();
    std::vector<double> total(orders.size(), 0.0);
    for (const auto& [kind, rounds] : counts)
    {
        const auto& [rate, sampled] = kind;
        std::vector<double>& curve = m_curves[rate];
        for (size_t k = 0; k < orders.size(); ++k)
        {
            if (sampled && curve.size() == k)
            {
                curve.push_back(SampledGaussianRdp(m_sampling, NoiseMultiplier(rate), orders[k]));
            }
            total[k] += static_cast<double>(rounds) * (sampled ? curve[k] : orders[k] * rate);
        }
    }
    return total;
}

void
RenyiLedger::VisitState(StateArchive& archive)
{
    archive(m_entries, m_nominal);
}

} // namespace ns3::dlearn
