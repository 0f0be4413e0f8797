/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-cafcor-worker.h"

#include "ns3/dlearn-check.h"
#include "ns3/double.h"

#include <algorithm>

namespace ns3
{
namespace dlearn
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
    m_noise = nullptr;
    m_data = nullptr;
    ClientRule::DoDispose();
}

void
CafCorWorker::SetNoise(Ptr<WorkerNoise> noise, uint32_t worker)
{
    m_noise = noise;
    m_worker = worker;
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
    m_model = ModelVector::Zero(data->GetTask()->GetDimension());
    m_gradient = m_model;
    m_velocity = m_model;
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
    m_data->GetTask()->BatchGradient(m_model, m_data->GetSamples(), m_gradient);
    const double norm = m_gradient.norm();
    if (m_clipNorm > 0 && norm > m_clipNorm)
    {
        m_gradient *= m_clipNorm / norm;
    }
}

ModelVector
CafCorWorker::Send()
{
    if (m_noise)
    {
        m_noise->Add(m_worker, m_round, m_gradient);
    }
    m_velocity = m_momentum * m_velocity + (1 - m_momentum) * m_gradient;
    return m_velocity;
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

uint64_t
CafCorWorker::GetWork() const
{
    return m_data->GetSamples().size();
}

} // namespace dlearn
} // namespace ns3
