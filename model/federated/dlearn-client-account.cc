/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-cafcor-account.h"

#include "ns3/dlearn-renyi-accounting.h"

#include <cmath>
#include <utility>

namespace ns3::dlearn
{

CafCorAccount::~CafCorAccount() = default;

CafCorMessageAccount::CafCorMessageAccount(Ptr<RenyiLedger> ledger,
                                           CafCorPlan plan,
                                           Ptr<WorkerNoise> noise,
                                           uint32_t worker,
                                           Exposed exposed)
    : m_ledger(ledger),
      m_plan(std::move(plan)),
      m_noise(noise),
      m_worker(worker),
      m_exposed(std::move(exposed))
{
    if (m_noise)
    {
        m_noise->TraceConnectWithoutContext(
            "Reveal",
            MakeCallback(&CafCorMessageAccount::HandleReveal, this));
    }
}

CafCorMessageAccount::~CafCorMessageAccount()
{
    if (m_noise)
    {
        m_noise->TraceDisconnectWithoutContext(
            "Reveal",
            MakeCallback(&CafCorMessageAccount::HandleReveal, this));
    }
}

double
CafCorMessageAccount::GetRate(uint32_t round) const
{
    if (!m_noise || m_noise->GetRevealed(round).empty())
    {
        return CafCorRate(m_plan);
    }
    const std::set<uint32_t>& revealed = m_noise->GetRevealed(round);
    return revealed.count(m_worker) > 0 ? CafCorExposedRate(m_plan)
                                        : CafCorRepairedRate(m_plan, revealed.size());
}

bool
CafCorMessageAccount::CanAfford(uint32_t round) const
{
    // Whatever is revealed later, no round costs more than with the worker's own noise alone.
    const bool exposable = m_noise && m_noise->CanRepair();
    return m_ledger->CanAfford(round,
                               CafCorRate(m_plan),
                               exposable ? CafCorExposedRate(m_plan) : 0);
}

void
CafCorMessageAccount::Send(uint32_t round)
{
    m_ledger->Release(round, {CafCorRate(m_plan), GetRate(round), true});
}

void
CafCorMessageAccount::Settle(uint32_t round, bool transmitted)
{
    if (!transmitted)
    {
        m_ledger->Withdraw(round);
    }
}

void
CafCorMessageAccount::HandleReveal(const std::vector<uint32_t>& rounds)
{
    bool grew = false;
    for (const uint32_t round : rounds)
    {
        grew = m_ledger->Raise(round, GetRate(round)) || grew;
    }
    if (grew)
    {
        m_exposed(rounds.back());
    }
}

CafCorReleaseAccount::CafCorReleaseAccount(Ptr<RenyiLedger> ledger,
                                           CafCorPlan plan,
                                           Ptr<ServerNoise> noise,
                                           LearnerId worker,
                                           double momentum,
                                           Exposed exposed)
    : m_ledger(ledger),
      m_plan(std::move(plan)),
      m_noise(noise),
      m_worker(worker),
      m_momentum(momentum),
      m_exposed(std::move(exposed))
{
    m_noise->AddListener(this);
}

CafCorReleaseAccount::~CafCorReleaseAccount()
{
    m_noise->RemoveListener(this);
}

bool
CafCorReleaseAccount::CanAfford(uint32_t /* round */) const
{
    // What the network makes of it shows when the server is about to tell; it asks then.
    const double rate = CafCorRate(m_plan);
    return m_ledger->CanAfford(m_noise->Plan({}).step, {rate, rate, true});
}

void
CafCorReleaseAccount::Send(uint32_t round)
{
    m_drawn.push_back(round);
}

void
CafCorReleaseAccount::Settle(uint32_t /* round */, bool /* transmitted */)
{
    // The server is trusted: its models tell, not what is sent to it.
}

std::vector<double>
CafCorReleaseAccount::GetWeights(const ServerRelease& release) const
{
    std::vector<double> weights(m_drawn.size(), 0.0);
    const auto own = release.messages.find(m_worker);
    for (size_t k = 0; own != release.messages.end() && k < m_drawn.size(); ++k)
    {
        if (m_drawn[k] <= own->second)
        {
            weights[k] = (1 - m_momentum) * std::pow(m_momentum, own->second - m_drawn[k]) /
                         static_cast<double>(release.messages.size());
        }
    }
    return weights;
}

RenyiCost
CafCorReleaseAccount::GetCost(const ServerRelease& release,
                              const std::vector<double>& weights) const
{
    constexpr double ROUNDING = 1e-12;
    const double beta = m_noise->GetMomentum();
    const double kept = std::pow(beta, release.step - m_last);
    double moved = 0;
    size_t gradients = 0; // that take part
    size_t fresh = 0;     // of these, drawn since the last release
    for (size_t k = 0; k < weights.size(); ++k)
    {
        const double before = k < m_weights.size() ? kept * m_weights[k] : 0;
        const double difference = std::abs(weights[k] - before);
        if (difference > ROUNDING * before)
        {
            moved += difference;
            ++gradients;
            fresh += k >= m_weights.size() ? 1 : 0;
        }
    }
    RenyiCost cost;
    cost.sampled = gradients == 1 && fresh == 1;
    const bool drew = !m_drawn.empty() && m_drawn.back() == release.step;
    cost.planned = drew ? CafCorRate(m_plan) : 0;
    cost.realised =
        GaussianRate(moved * CafCorSensitivity(m_plan), (1 - beta) * m_noise->GetScale());
    return cost;
}

bool
CafCorReleaseAccount::CanAfford(const ServerRelease& release) const
{
    return m_ledger->CanAfford(release.step, GetCost(release, GetWeights(release)));
}

void
CafCorReleaseAccount::Record(const ServerRelease& release)
{
    const std::vector<double> weights = GetWeights(release);
    const RenyiCost cost = GetCost(release, weights);
    m_weights = weights;
    m_last = release.step;
    if (cost.planned > 0 || cost.realised > 0)
    {
        m_ledger->Release(release.step, cost);
    }
    if (cost.realised > 0)
    {
        m_exposed(release.step);
    }
}

} // namespace ns3::dlearn
