/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-cafcor-worker.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/double.h"
#include "ns3/log.h"

#include <algorithm>
#include <utility>

namespace ns3::dlearn
{

ModelVector
MakeDropoutRequest(const std::vector<LearnerId>& clients, const std::vector<LearnerId>& dropouts)
{
    ModelVector request = ModelVector::Zero(clients.size());
    for (size_t place = 0; place < clients.size(); ++place)
    {
        request[place] =
            std::binary_search(dropouts.begin(), dropouts.end(), clients[place]) ? 1 : 0;
    }
    return request;
}

std::vector<uint32_t>
ReadDropoutRequest(const ModelVector& request)
{
    std::vector<uint32_t> dropouts;
    for (Eigen::Index place = 0; place < request.size(); ++place)
    {
        if (request[place] != 0 && request[place] != 1) // which every encoding of numbers keeps
        {
            return {};
        }
        if (request[place] == 1)
        {
            dropouts.push_back(place);
        }
    }
    return dropouts;
}

NS_LOG_COMPONENT_DEFINE("DlearnCafCorWorker");
NS_OBJECT_ENSURE_REGISTERED(CafCorWorker);

TypeId
CafCorWorker::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<CafCorWorker, ClientRule>("ns3::dlearn::CafCorWorker")
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
CafCorWorker::SetLedger(Ptr<GaussianLedger> ledger, CafCorPlan plan)
{
    m_release->SetLedger(ledger, GetReleaseTerms(plan)); // refuses a plan that makes no sense
    m_plan = std::move(plan);
}

void
CafCorWorker::Setup(Ptr<LocalData> data)
{
    Require(m_momentum >= 0 && m_momentum < 1,
            "CafCorWorker: Momentum must be in [0, 1), got {}",
            m_momentum);
    CheckSampling(*data);
    m_data = data;
    m_task = data->GetTask();
    m_model = ModelVector::Zero(m_task->GetDimension());
    m_gradient = m_model;
    m_velocity = m_model;
    m_clip = m_clipNorm;
    if (m_release->GetLedger())
    {
        m_task->FixConstants();
    }
    SetUpRelease("CafCorWorker", GetClip(), m_momentum);
}

void
CafCorWorker::CheckSampling(const LocalData& data) const
{
    constexpr double ROUNDING = 1e-12;
    if (!m_release->GetLedger() || m_plan.batch == 0)
    {
        return;
    }
    Require(data.GetSampleCount() >= m_plan.batch,
            "CafCorWorker: the data must give the {} samples a round that its privacy account "
            "counts on, got {}",
            m_plan.batch,
            data.GetSampleCount());
    Require(data.GetSamplingShare() <= CafCorSampling(m_plan) * (1 + ROUNDING),
            "CafCorWorker: a sample must take part in a round with a probability of at most the {} "
            "that its privacy account counts on, got {}",
            CafCorSampling(m_plan),
            data.GetSamplingShare());
}

double
CafCorWorker::GetClip() const
{
    return m_release->GetTerms().perSample ? m_task->GetClipNorm() : m_clip;
}

void
CafCorWorker::BeginRound(uint32_t round, const Message& message)
{
    NS_LOG_FUNCTION(this << round);
    m_data->BeginRound(round);
    m_round = round;
    m_model = message.values;
    m_clip = m_clipNorm; // the gradient may be computed by another thread
}

void
CafCorWorker::Compute()
{
    m_task->BatchGradient(m_model, m_data->GetSamples(), m_gradient);
    ClientRelease::Clip(m_clip, m_gradient);
}

Message
CafCorWorker::Send()
{
    NS_LOG_FUNCTION(this << m_round);
    if (!m_release->Begin(m_round, GetClip(), m_momentum, IsObserved()))
    {
        return m_velocity; // not to be used
    }
    CatchUp();
    m_release->AddNoise(m_round, m_gradient);
    NoteDraw(m_round, m_data->GetSamples());
    m_velocity = m_momentum * m_velocity + (1 - m_momentum) * m_gradient;
    m_next = m_round + 1;
    NS_LOG_INFO("round " << m_round << ": " << m_data->GetSamples().size()
                         << " samples make a momentum of norm " << m_velocity.norm());
    return m_velocity;
}

void
CafCorWorker::CatchUp()
{
    ModelVector noise(m_velocity.size());
    for (; m_next < m_round; ++m_next)
    {
        noise.setZero();
        m_release->AddNoise(m_next, noise);
        m_velocity = m_momentum * m_velocity + (1 - m_momentum) * noise;
    }
}

Message
CafCorWorker::Answer(uint32_t step, const Message& request)
{
    NS_LOG_FUNCTION(this << m_round << step);
    if (step > 1) // there is one such step only
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
    return m_release->RevealSharedNoise(rounds,
                                        ReadDropoutRequest(request.values),
                                        m_velocity.size());
}

std::vector<std::string>
CafCorWorker::GetWarnings() const
{
    if (!m_release->GetLedger() || m_plan.model->GetTranscriptModel() == m_plan.model)
    {
        return ReleasingClient::GetWarnings();
    }
    const double planned = PlanCafCorEpsilon(m_plan);
    const double whole = PlanTranscriptEpsilon(m_plan);
    if (whole <= planned * (1 + 1e-9))
    {
        return {};
    }
    return {
        FormatText("epsilon (planned: {}) is that of lemma A.4, whose server sees no message of a "
                   "Byzantine worker; whoever sees all messages of workers that follow the "
                   "protocol has epsilon {}",
                   planned,
                   whole)};
}
} // namespace ns3::dlearn
