/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-client-release.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-part.h"
#include "ns3/log.h"
#include "ns3/pointer.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnClientRelease");
NS_OBJECT_ENSURE_REGISTERED(ClientRelease);

namespace
{

constexpr double ROUNDING = 1e-12; //!< part of a number that is rounding

} // namespace

TypeId
ClientRelease::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::ClientRelease")
            .SetParent<Object>()
            .SetGroupName("Dlearn")
            .AddConstructor<ClientRelease>()
            .AddAttribute("Noise",
                          "What the client adds to its vectors, as SetNoise() says; none by "
                          "default.",
                          TypeId::ATTR_GET,
                          PointerValue(),
                          MakePointerAccessor(&ClientRelease::m_noise),
                          MakePartChecker<WorkerNoise>())
            .AddAttribute("ServerNoise",
                          "What the client's trusted server adds, as SetServerNoise() says; none "
                          "by default.",
                          TypeId::ATTR_GET,
                          PointerValue(),
                          MakePointerAccessor(&ClientRelease::m_serverNoise),
                          MakePartChecker<ServerNoise>())
            .AddAttribute("Ledger",
                          "The client's own privacy account, as SetLedger() says; none by default.",
                          TypeId::ATTR_GET,
                          PointerValue(),
                          MakePointerAccessor(&ClientRelease::m_ledger),
                          MakePartChecker<GaussianLedger>());
    return tid;
}

void
ClientRelease::RequireBeforeSetup(const char* what) const
{
    Require(m_owner.empty(), m_owner, ": ", what, " cannot be replaced after set-up");
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
ClientRelease::CheckNoise(const NoiseScales& added) const
{
    const bool trusted = m_terms.model->TrustsServer();
    Require(trusted == (m_serverNoise != nullptr),
            m_owner,
            ": threat model ",
            m_terms.model->GetInstanceTypeId().GetName(),
            trusted ? " needs the server's noise" : " does not count on the server's noise");
    if (trusted)
    {
        return;
    }
    const auto check = [&](const char* name, double scale, double counted) {
        Require(scale >= counted * (1 - ROUNDING),
                m_owner,
                ": ",
                name,
                " noise must be at least the ",
                counted,
                " that its privacy account counts on, got ",
                scale);
    };
    check("independent", added.independent, m_terms.noise.independent);
    check("correlated", added.correlated, m_terms.noise.correlated);
}

void
ClientRelease::CheckClip(double clip) const
{
    Require(clip > 0 && clip <= m_terms.clip * (1 + ROUNDING),
            m_owner,
            ": ",
            m_terms.perSample ? "ClipNorm of the task" : "ClipNorm",
            " must be greater than 0 and at most the ",
            m_terms.clip,
            " of its privacy account, got ",
            clip);
}

void
ClientRelease::CheckMomentum(double momentum) const
{
    Require(momentum == m_momentum,
            m_owner,
            ": Momentum must stay the ",
            m_momentum,
            " that its privacy account counts on, got ",
            momentum);
    Require(momentum == 0 || m_ledger->HasMomentum(),
            m_owner,
            ": Momentum of its GaussianLedger must be true, as that of the client is ",
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
    RequireNonNegative(owner, "ClipNorm", clip);
    if (m_noise)
    {
        m_noise->Claim(m_worker);
    }
    if (!m_ledger)
    {
        return;
    }
    Require(bool(m_terms.model), owner, ": a privacy account needs a threat model, got none");
    ClaimPart(m_ledger, *this);
    CheckNoise(m_noise ? m_noise->GetScales() : NoiseScales{});
    CheckClip(clip);
    CheckMomentum(momentum);
    if (m_terms.model->TrustsServer())
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
        CheckNoise(m_noise ? m_noise->GetScalesOf(round) : NoiseScales{});
        CheckClip(clip);
        CheckMomentum(momentum);
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
    // Where this is planned, Begin() has set its cost aside.
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
    if (!observed || !m_ledger || !m_terms.model->TrustsServer())
    {
        return {};
    }
    return {"epsilon is infinite: omniscient attackers see the vectors before the trusted server "
            "adds noise, and what they make of these reaches the model (set omniscient to false)"};
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
