/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-client-release.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-gaussian-accounting.h"
#include "ns3/dlearn-part.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/log.h"
#include "ns3/pointer.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ns3::dlearn
{

namespace
{

/**
 * The account against those who see the messages: LDP, SecLDP, ByzLDP.
 *
 * Each round has the rate of ThreatModel, given the noise that all noise recoveries so far revealed
 * (WorkerNoise::GetRevealed()):
 *
 * - a worker that was named a dropout has only its own noise left, whether it was named before or
 * after it sent, or is training still;
 * - the others pay as if all that were ever named for the round had never taken part. With
 *   momentum an answer holds noise of all rounds so far, so that is the union of the sets that were
 *   named in this round and in later ones: to know less than all noise shared between two
 *   groups cannot cost more.
 */
class ClientMessageAccount : public ClientAccount
{
  public:
    ClientMessageAccount(Ptr<GaussianLedger> ledger,
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

    ~ClientMessageAccount() override
    {
        if (m_noise)
        {
            m_noise->TraceDisconnectWithoutContext(
                "Reveal",
                MakeCallback(&ClientMessageAccount::HandleReveal, this));
        }
    }

    bool CanAfford(uint32_t round) const override
    {
        // Whatever is revealed later, no round costs more than with the worker's own noise alone.
        const bool exposable = m_noise && m_noise->CanRecover();
        return m_ledger->CanAfford(round,
                                   m_terms.planned,
                                   exposable ? m_terms.GetExposedRate() : 0);
    }

    void Send(uint32_t round, bool /* observed */) override
    {
        m_ledger->Release(round, {m_terms.planned, GetRate(round), true});
    }

    void Settle(uint32_t round, bool transmitted) override
    {
        if (!transmitted)
        {
            m_ledger->Withdraw(round);
        }
    }

  private:
    /** @return rate of a round, given the revealed noise */
    double GetRate(uint32_t round) const
    {
        if (!m_noise || m_noise->GetRevealed(round).empty())
        {
            return m_terms.planned;
        }
        const std::set<uint32_t>& revealed = m_noise->GetRevealed(round);
        return revealed.count(m_worker) > 0 ? m_terms.GetExposedRate()
                                            : m_terms.GetRecoveredRate(revealed.size());
    }

    void HandleReveal(const std::vector<uint32_t>& rounds)
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

    Ptr<GaussianLedger> m_ledger; //!< adds up
    ReleaseTerms m_terms;
    Ptr<WorkerNoise> m_noise; //!< null: none
    uint32_t m_worker;        //!< number within the noise
    Exposed m_exposed;        //!< called when others reveal noise of rounds accounted for
};

/**
 * The account against those who see the models of a trusted server: CDP.
 *
 * The aggregate of the messages that came holds gradient j of this worker with a weight c_j (the
 * worker's share of the aggregate, see ServerRelease, times the remaining momentum). Less
 * Momentum^g times the mean of g steps before, it has fresh noise of standard deviation (1 -
 * Momentum) Scale, and gradient j with weight d_j = c_j - Momentum^g c_j'. So the release is worth
 * (D sum_j |d_j|)^2 / 2 over the square of that. When all messages come, only the newest gradient
 * is left, with weight (1 - Momentum)/n: that is the plan. A message that is lost takes a whole
 * momentum out of the mean and puts it back later. Where older gradients take part, sampling
 * amplifies nothing.
 *
 * An update of FedAvg is such a message without momentum: each costs (D c)^2 / 2 over the square of
 * the noise, c the sum of the weights of all updates of this client in the aggregate. That holds
 * for old updates, too: each was made of models that were released before.
 *
 * Attackers that see a client's messages carry information into the model that the server's noise
 * does not hide: every later release costs infinity. The paper's omniscient attackers are of this
 * kind.
 *
 * Where it is secret who takes part (ReleaseTerms::secretShare), every release costs every client
 * the same, with an update or without one, and the probability to take part amplifies privacy.
 *
 * On the air (AirDp) the release is what the server hears in a slot, with the exposures of
 * MultipleAccessChannel::Protect() for weights and noise of scale 1.
 *
 * With another aggregate than the mean this is the paper's convention and not a bound: nothing
 * limits how far one worker moves a robust aggregate to its share.
 */
class ServerReleaseAccount : public ClientAccount, public ServerReleaseListener
{
  public:
    ServerReleaseAccount(Ptr<GaussianLedger> ledger,
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

    ~ServerReleaseAccount() override { m_noise->RemoveListener(this); }

    bool CanAfford(uint32_t /* round */) const override
    {
        // The server asks again before it releases an aggregate.
        const double rate = m_observed ? INFINITY : m_terms.planned;
        return m_ledger->CanAfford(m_noise->GetNextStep(), {m_terms.planned, rate, true});
    }

    void Send(uint32_t round, bool observed) override
    {
        Require(IsClaimed(*m_noise), // by the rule that adds it
                "no server adds the noise that the privacy account of client ",
                m_worker,
                " counts on");
        m_drawn.push_back(round);
        m_observed = m_observed || observed;
    }

    /** The server is trusted: only its models cost privacy. */
    void Settle(uint32_t /* round */, bool /* transmitted */) override {}

    bool CanAfford(const ServerRelease& release) const override
    {
        return m_ledger->CanAfford(release.step, GetCost(release, GetWeights(release)));
    }

    void Record(const ServerRelease& release) override
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

  private:
    /** @return the weight of each of this client's gradients in a release */
    std::vector<double> GetWeights(const ServerRelease& release) const
    {
        std::vector<double> weights(m_drawn.size(), 0.0);
        const auto [first, last] = release.messages.equal_range(m_worker);
        for (auto own = first; own != last; ++own)
        {
            const ReleasedMessage& message = own->second;
            // Without momentum a message holds the data of its round only.
            const auto oldest =
                m_momentum > 0 ? m_drawn.begin()
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

    /** @return the cost of a release with these weights of this client's gradients */
    GaussianCost GetCost(const ServerRelease& release, const std::vector<double>& weights) const
    {
        constexpr double ROUNDING = 1e-12;
        const double beta = m_noise->GetMomentum();
        const double kept = std::pow(beta, release.step - m_last);
        double moved = 0;
        size_t gradients = 0; // that take part
        size_t fresh = 0;     // gradients drawn since the last release
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
        const bool secret = m_terms.secretShare > 0;
        moved = std::max(moved, m_terms.secretShare);
        GaussianCost cost;
        cost.sampled = secret || (gradients == 1 && fresh == 1);
        // Without momentum an old update, as in a buffer, is one of the planned ones, too.
        const bool drew = secret || (!m_drawn.empty() && m_drawn.back() == release.step) ||
                          (m_momentum == 0 && moved > 0);
        cost.planned = drew ? m_terms.planned : 0;
        cost.realised = m_observed ? INFINITY
                                   : GaussianRate(moved * m_terms.sensitivity,
                                                  (1 - beta) * m_noise->GetScale());
        return cost;
    }

    Ptr<GaussianLedger> m_ledger; //!< adds up
    ReleaseTerms m_terms;
    Ptr<ServerNoise> m_noise;      //!< of the server
    LearnerId m_worker;            //!< number, as the server knows it
    double m_momentum;             //!< of the worker
    Exposed m_exposed;             //!< called for every release that costs something
    bool m_observed{false};        //!< whether attackers have seen a message
    std::vector<uint32_t> m_drawn; //!< rounds whose gradients are in the momentum
    std::vector<double> m_weights; //!< in the last release; later gradients have none
    uint32_t m_last{0};            //!< its step
};

} // namespace

NS_LOG_COMPONENT_DEFINE("DlearnClientRelease");
NS_OBJECT_ENSURE_REGISTERED(ClientRelease);

TypeId
ClientRelease::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<ClientRelease, Object>("ns3::dlearn::ClientRelease")
            .AddAttribute("Noise",
                          "The noise on the client's vectors, see SetNoise(); none by default.",
                          TypeId::ATTR_GET,
                          PointerValue(),
                          MakePointerAccessor(&ClientRelease::m_noise),
                          MakePartChecker<WorkerNoise>())
            .AddAttribute("ServerNoise",
                          "The noise of the client's trusted server, see SetServerNoise(); none by "
                          "default.",
                          TypeId::ATTR_GET,
                          PointerValue(),
                          MakePointerAccessor(&ClientRelease::m_serverNoise),
                          MakePartChecker<ServerNoise>())
            .AddAttribute("Ledger",
                          "The client's privacy account, see SetLedger(); none by default.",
                          TypeId::ATTR_GET,
                          PointerValue(),
                          MakePointerAccessor(&ClientRelease::m_ledger),
                          MakePartChecker<GaussianLedger>());
    return tid;
}

void
ClientRelease::RequireBeforeSetup(const char* what) const
{
    Require(m_owner.empty(), "{}: {} cannot be replaced after set-up", m_owner, what);
}

void
ClientRelease::SetNoise(Ptr<WorkerNoise> noise, uint32_t worker)
{
    RequireBeforeSetup("the client's noise");
    m_noise = noise;
    m_worker = worker;
}

void
ClientRelease::SetServerNoise(Ptr<ServerNoise> noise, LearnerId client)
{
    RequireBeforeSetup("the server's noise");
    m_serverNoise = noise;
    m_client = client;
}

void
ClientRelease::SetLedger(Ptr<GaussianLedger> ledger, ReleaseTerms terms)
{
    RequireBeforeSetup("the client's ledger");
    m_ledger = ledger;
    m_terms = std::move(terms);
}

void
ClientRelease::Check(const NoiseScales& added, double clip, double momentum) const
{
    constexpr double ROUNDING = 1e-12;
    const bool trusted = m_terms.model->CountsOnSum();
    Require(trusted == (m_serverNoise != nullptr),
            "{}: threat model {}{}",
            m_owner,
            m_terms.model->GetInstanceTypeId().GetName(),
            trusted ? " needs the server's noise" : " does not count on the server's noise");
    const auto check = [&](const char* name, double scale, double counted) {
        Require(trusted || scale >= counted * (1 - ROUNDING),
                "{}: {} noise must be at least the {} that its privacy account counts on, got {}",
                m_owner,
                name,
                counted,
                scale);
    };
    check("independent", added.independent, m_terms.noise.independent);
    check("correlated", added.correlated, m_terms.noise.correlated);
    Require(clip > 0 && clip <= m_terms.clip * (1 + ROUNDING),
            "{}: {} must be greater than 0 and at most the {} of its privacy account, got {}",
            m_owner,
            m_terms.perSample ? "ClipNorm of the task" : "ClipNorm",
            m_terms.clip,
            clip);
    Require(momentum == m_momentum,
            "{}: Momentum must stay the {} that its privacy account counts on, got {}",
            m_owner,
            m_momentum,
            momentum);
    Require(momentum == 0 || m_ledger->HasMomentum(),
            "{}: Momentum of its GaussianLedger must be true, as that of the client is {}",
            m_owner,
            momentum);
}

void
ClientRelease::Setup(const std::string& owner,
                     double clip,
                     double momentum,
                     ClientAccount::Exposed exposed)
{
    m_owner = owner;
    m_momentum = momentum;
    if (m_noise)
    {
        m_noise->Claim(m_worker);
    }
    if (!m_ledger)
    {
        return;
    }
    Require(bool(m_terms.model), "{}: a privacy account needs a threat model, got none", owner);
    ClaimPart(m_ledger, *this);
    Check(m_noise ? m_noise->GetScales() : NoiseScales{}, clip, momentum);
    if (m_terms.model->CountsOnSum())
    {
        m_account = std::make_unique<ServerReleaseAccount>(m_ledger,
                                                           m_terms,
                                                           m_serverNoise,
                                                           m_client,
                                                           momentum,
                                                           std::move(exposed));
    }
    else
    {
        m_account = std::make_unique<ClientMessageAccount>(m_ledger,
                                                           m_terms,
                                                           m_noise,
                                                           m_worker,
                                                           std::move(exposed));
    }
}

void
ClientRelease::Clip(double clip, VectorRef vector)
{
    if (clip <= 0)
    {
        return;
    }
    const double norm = vector.norm();
    if (!std::isfinite(norm))
    {
        vector.setZero();
    }
    else if (norm > clip)
    {
        vector *= clip / norm;
    }
}

bool
ClientRelease::Begin(uint32_t round, double clip, double momentum, bool observed)
{
    if (m_account && !m_exhausted)
    {
        Check(m_noise ? m_noise->GetScalesOf(round) : NoiseScales{}, clip, momentum);
        m_exhausted = !m_account->CanAfford(round);
        if (!m_exhausted)
        {
            m_account->Send(round, observed);
        }
        else
        {
            NS_LOG_INFO("nothing is sent from round " << round << " on: the budget is spent");
        }
    }
    return !m_exhausted;
}

void
ClientRelease::AddNoise(uint32_t round, VectorRef vector)
{
    if (m_noise)
    {
        m_noise->Add(m_worker, round, vector);
    }
}

void
ClientRelease::End(uint32_t round, bool transmitted)
{
    if (m_account)
    {
        m_account->Settle(round, transmitted);
    }
}

ModelVector
ClientRelease::RevealSharedNoise(const std::vector<WeightedRound>& rounds,
                                 const std::vector<uint32_t>& others,
                                 Eigen::Index size)
{
    // Begin() has allowed for this cost.
    const size_t workers = m_noise ? m_noise->GetWorkers() : 0;
    if (workers == 0 || !m_noise->CanRecover() || others.empty() || others.size() + 1 >= workers ||
        others.back() >= workers || std::binary_search(others.begin(), others.end(), m_worker))
    {
        return {};
    }
    ModelVector shared = ModelVector::Zero(size);
    m_noise->AddSharedWith(rounds, m_worker, others, shared);
    return shared;
}

std::vector<std::string>
ClientRelease::GetWarnings(bool observed) const
{
    if (!observed || !m_ledger || !m_terms.model->CountsOnSum())
    {
        return {};
    }
    return {"epsilon is infinite: omniscient attackers see the vectors before the trusted server "
            "adds noise, and their forged vectors reach the model (set omniscient to false)"};
}

void
ClientRelease::DoDispose()
{
    m_account.reset();
    m_noise = nullptr;
    m_serverNoise = nullptr;
    m_ledger = nullptr;
    Object::DoDispose();
}

} // namespace ns3::dlearn
