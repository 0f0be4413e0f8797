/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-client-account.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-gaussian-accounting.h"
#include "ns3/dlearn-part.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ns3::dlearn
{

ClientAccount::~ClientAccount() = default;

ClientMessageAccount::ClientMessageAccount(Ptr<GaussianLedger> ledger,
                                           ReleaseTerms terms,
                                           Ptr<WorkerNoise> noise,
                                           uint32_t worker,
                                           Exposed exposed)
    : m_ledger(ledger),
      m_terms(std::move(terms)),
      m_noise(noise),
      m_worker(worker),
      m_exposed(std::move(exposed))
{
    if (m_noise)
    {
        m_noise->TraceConnectWithoutContext(
            "Reveal",
            MakeCallback(&ClientMessageAccount::HandleReveal, this));
    }
}

ClientMessageAccount::~ClientMessageAccount()
{
    if (m_noise)
    {
        m_noise->TraceDisconnectWithoutContext(
            "Reveal",
            MakeCallback(&ClientMessageAccount::HandleReveal, this));
    }
}

double
ClientMessageAccount::GetRate(uint32_t round) const
{
    if (!m_noise || m_noise->GetRevealed(round).empty())
    {
        return m_terms.planned;
    }
    const std::set<uint32_t>& revealed = m_noise->GetRevealed(round);
    return revealed.count(m_worker) > 0 ? m_terms.GetExposedRate()
                                        : m_terms.GetRecoveredRate(revealed.size());
}

bool
ClientMessageAccount::CanAfford(uint32_t round) const
{
    // Whatever is revealed later, no round costs more than with the worker's own noise alone.
    const bool exposable = m_noise && m_noise->CanRecover();
    return m_ledger->CanAfford(round, m_terms.planned, exposable ? m_terms.GetExposedRate() : 0);
}

void
ClientMessageAccount::Send(uint32_t round, bool /* observed */)
{
    m_ledger->Release(round, {m_terms.planned, GetRate(round), true});
}

void
ClientMessageAccount::Settle(uint32_t round, bool transmitted)
{
    if (!transmitted)
    {
        m_ledger->Withdraw(round);
    }
}

void
ClientMessageAccount::HandleReveal(const std::vector<uint32_t>& rounds)
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

ServerReleaseAccount::ServerReleaseAccount(Ptr<GaussianLedger> ledger,
                                           ReleaseTerms terms,
                                           Ptr<ServerNoise> noise,
                                           LearnerId worker,
                                           double momentum,
                                           Exposed exposed)
    : m_ledger(ledger),
      m_terms(std::move(terms)),
      m_noise(noise),
      m_worker(worker),
      m_momentum(momentum),
      m_exposed(std::move(exposed))
{
    m_noise->AddListener(this);
}

ServerReleaseAccount::~ServerReleaseAccount()
{
    m_noise->RemoveListener(this);
}

bool
ServerReleaseAccount::CanAfford(uint32_t /* round */) const
{
    // What the network makes of it shows when the server is about to tell; it asks then.
    const double rate = m_observed ? INFINITY : m_terms.planned;
    return m_ledger->CanAfford(m_noise->GetNextStep(), {m_terms.planned, rate, true});
}

void
ServerReleaseAccount::Send(uint32_t round, bool observed)
{
    Require(IsClaimed(*m_noise), // by the rule that adds it
            "no server adds the noise that the privacy account of client ",
            m_worker,
            " counts on");
    m_drawn.push_back(round);
    m_observed = m_observed || observed;
}

void
ServerReleaseAccount::Settle(uint32_t /* round */, bool /* transmitted */)
{
    // The server is trusted: its models tell, not what is sent to it.
}

std::vector<double>
ServerReleaseAccount::GetWeights(const ServerRelease& release) const
{
    std::vector<double> weights(m_drawn.size(), 0.0);
    const auto [first, last] = release.messages.equal_range(m_worker);
    for (auto own = first; own != last; ++own)
    {
        const ReleasedMessage& message = own->second;
        // Without momentum a message holds the data of its own round only.
        const auto oldest = m_momentum > 0
                                ? m_drawn.begin()
                                : std::lower_bound(m_drawn.begin(), m_drawn.end(), message.round);
        for (auto drawn = oldest; drawn != m_drawn.end() && *drawn <= message.round; ++drawn)
        {
            weights[drawn - m_drawn.begin()] += message.share * (1 - m_momentum) *
                                                std::pow(m_momentum, message.round - *drawn) /
                                                release.total;
        }
    }
    return weights;
}

GaussianCost
ServerReleaseAccount::GetCost(const ServerRelease& release,
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
    GaussianCost cost;
    cost.sampled = gradients == 1 && fresh == 1;
    // Without momentum an old update, as in a buffer, is one of the planned ones, too.
    const bool drew =
        (!m_drawn.empty() && m_drawn.back() == release.step) || (m_momentum == 0 && moved > 0);
    cost.planned = drew ? m_terms.planned : 0;
    cost.realised =
        m_observed ? INFINITY
                   : GaussianRate(moved * m_terms.sensitivity, (1 - beta) * m_noise->GetScale());
    return cost;
}

bool
ServerReleaseAccount::CanAfford(const ServerRelease& release) const
{
    return m_ledger->CanAfford(release.step, GetCost(release, GetWeights(release)));
}

void
ServerReleaseAccount::Record(const ServerRelease& release)
{
    const std::vector<double> weights = GetWeights(release);
    const GaussianCost cost = GetCost(release, weights);
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
