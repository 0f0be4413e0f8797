/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-cafcor-worker.h"

#include "ns3/dlearn-check.h"
#include "ns3/double.h"

#include <sstream>
#include <utility>

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(CafCorWorker);

TypeId
CafCorWorker::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::CafCorWorker")
            .SetParent<ClientRule>()
            .SetGroupName("Dlearn")
            .AddConstructor<CafCorWorker>()
            .AddAttribute("ClipNorm",
                          "Largest norm C of the mean gradient of a batch; 0 for no clipping.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&CafCorWorker::m_clipNorm),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("Momentum",
                          "Share beta of the last momentum in the next, from 0 to less than 1.",
                          DoubleValue(0.9),
                          MakeDoubleAccessor(&CafCorWorker::m_momentum),
                          MakeDoubleChecker<double>(0.0, 1.0));
    return tid;
}

void
CafCorWorker::DoDispose()
{
    m_account.reset();
    m_noise = nullptr;
    m_serverNoise = nullptr;
    m_ledger = nullptr;
    m_data = nullptr;
    m_task = nullptr;
    ClientRule::DoDispose();
}

void
CafCorWorker::SetNoise(Ptr<WorkerNoise> noise, uint32_t worker)
{
    m_noise = noise;
    m_worker = worker;
}

void
CafCorWorker::SetServerNoise(Ptr<ServerNoise> noise, LearnerId learner)
{
    m_serverNoise = noise;
    m_learner = learner;
}

void
CafCorWorker::SetLedger(Ptr<RenyiLedger> ledger, CafCorPlan plan)
{
    m_ledger = ledger;
    m_plan = std::move(plan);
}

void
CafCorWorker::CreateAccount()
{
    CafCorSensitivity(m_plan); // refuses a plan that makes no sense
    const bool trusted = m_plan.model->TrustsServer();
    Require(trusted == (m_serverNoise != nullptr),
            "CafCorWorker: threat model ",
            m_plan.model->GetInstanceTypeId().GetName(),
            trusted ? " needs the server's noise" : " does not count on the server's noise");
    // The plan prices what the worker does, so it must do what the plan says.
    const double clip = m_plan.batch == 0 ? m_clipNorm : m_task->GetClipNorm();
    Require(clip > 0 && clip <= m_plan.clip * (1 + 1e-12),
            "CafCorWorker: ",
            m_plan.batch == 0 ? "ClipNorm" : "ClipNorm of the task",
            " must be greater than 0 and at most the ",
            m_plan.clip,
            " of its privacy account, got ",
            clip);
    const auto exposed = [this](uint32_t round) { m_exposureTrace(round); };
    if (trusted)
    {
        m_account = std::make_unique<CafCorReleaseAccount>(m_ledger,
                                                           m_plan,
                                                           m_serverNoise,
                                                           m_learner,
                                                           m_momentum,
                                                           exposed);
    }
    else
    {
        m_account =
            std::make_unique<CafCorMessageAccount>(m_ledger, m_plan, m_noise, m_worker, exposed);
    }
}

void
CafCorWorker::Setup(Ptr<LocalData> data)
{
    Require(m_data == nullptr, "CafCorWorker: Setup() must be called once");
    Require(data != nullptr, "CafCorWorker: a worker needs data, got none");
    RequireNonNegative("CafCorWorker", "ClipNorm", m_clipNorm);
    Require(m_momentum >= 0 && m_momentum < 1,
            "CafCorWorker: Momentum must be in [0, 1), got ",
            m_momentum);
    m_data = data;
    m_task = data->GetTask();
    m_model = ModelVector::Zero(m_task->GetDimension());
    m_gradient = m_model;
    m_velocity = m_model;
    if (m_ledger)
    {
        CreateAccount();
    }
}

void
CafCorWorker::BeginRound(uint32_t round, const ModelVector& model)
{
    Require(m_data != nullptr, "CafCorWorker: Setup() must be called first");
    RequireSize("CafCorWorker", "model", model.size(), m_model.size());
    m_data->BeginRound(round);
    m_round = round;
    m_model = model;
}

void
CafCorWorker::Compute()
{
    m_task->BatchGradient(m_model, m_data->GetSamples(), m_gradient);
    const double norm = m_gradient.norm();
    if (m_clipNorm > 0 && norm > m_clipNorm)
    {
        m_gradient *= m_clipNorm / norm;
    }
}

ModelVector
CafCorWorker::Send()
{
    if (m_account)
    {
        m_exhausted = m_exhausted || !m_account->CanAfford(m_round);
        if (m_exhausted)
        {
            return m_velocity; // not to be used
        }
        m_account->Send(m_round);
    }
    CatchUp();
    if (m_noise)
    {
        m_noise->Add(m_worker, m_round, m_gradient);
    }
    NoteDraw(m_round, m_data->GetSamples());
    m_velocity = m_momentum * m_velocity + (1 - m_momentum) * m_gradient;
    m_next = m_round + 1;
    return m_velocity;
}

void
CafCorWorker::CatchUp()
{
    if (m_next == m_round)
    {
        return;
    }
    ModelVector noise(m_velocity.size());
    for (; m_next < m_round; ++m_next)
    {
        noise.setZero();
        if (m_noise)
        {
            m_noise->Add(m_worker, m_next, noise);
        }
        m_velocity = m_momentum * m_velocity + (1 - m_momentum) * noise;
    }
}

void
CafCorWorker::EndRound(bool transmitted)
{
    if (m_account)
    {
        m_account->Settle(m_round, transmitted || IsObserved());
    }
}

ModelVector
CafCorWorker::Correct(const std::vector<uint32_t>& lost)
{
    // Where repairs are planned, Send() has set their cost aside. Nobody may ask a worker about
    // itself or about all others: nothing would be left that hides its data.
    const size_t workers = m_noise ? m_noise->GetWorkers() : 0;
    if (workers == 0 || !m_noise->CanRepair() || lost.empty() || lost.size() + 1 >= workers ||
        lost.back() >= workers || std::binary_search(lost.begin(), lost.end(), m_worker))
    {
        return {};
    }
    // Older rounds than these are below rounding.
    constexpr double NEGLIGIBLE = 1e-20;
    std::vector<WeightedRound> rounds;
    double weight = 1 - m_momentum;
    for (uint64_t age = 0; age <= m_round && weight > NEGLIGIBLE; ++age, weight *= m_momentum)
    {
        rounds.push_back({m_round - static_cast<uint32_t>(age), weight});
    }
    ModelVector correction = ModelVector::Zero(m_velocity.size());
    m_noise->AddSharedWith(rounds, m_worker, lost, correction);
    return correction;
}

bool
CafCorWorker::CanContinue() const
{
    return !m_exhausted;
}

Ptr<const PrivacyAccount>
CafCorWorker::GetLedger() const
{
    return m_ledger;
}

Ptr<const LocalData>
CafCorWorker::GetData() const
{
    return m_data;
}

const ModelVector&
CafCorWorker::GetModel() const
{
    return m_model;
}

std::vector<std::string>
CafCorWorker::GetWarnings() const
{
    if (!m_ledger || m_plan.model->GetTranscriptModel() == m_plan.model)
    {
        return {};
    }
    const double planned = PlanCafCorEpsilon(m_plan).classic;
    const double whole = PlanTranscriptEpsilon(m_plan).classic;
    if (whole <= planned * (1 + 1e-9))
    {
        return {};
    }
    std::ostringstream text;
    text << "epsilon (planned: " << planned << ") is that of lemma A.4, whose server sees no "
         << "message of a Byzantine worker; whoever sees all messages of workers that follow the "
         << "protocol has epsilon " << whole;
    return {text.str()};
}

uint64_t
CafCorWorker::GetWork() const
{
    return m_data->GetSamples().size();
}

} // namespace ns3::dlearn
