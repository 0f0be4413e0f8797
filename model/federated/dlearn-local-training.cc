/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-local-training.h"

#include "ns3/dlearn-check.h"

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(LocalTraining);

TypeId
LocalTraining::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::LocalTraining").SetParent<ClientRule>().SetGroupName("Dlearn");
    return tid;
}

void
LocalTraining::DoDispose()
{
    m_data = nullptr;
    m_task = nullptr;
    ClientRule::DoDispose();
}

void
LocalTraining::Setup(Ptr<LocalData> data)
{
    const std::string name = GetInstanceTypeId().GetName();
    Require(m_data == nullptr, name, ": Setup() must be called once");
    Require(data != nullptr, name, ": a client needs data, got none");
    m_data = data;
    m_task = data->GetTask();
    CheckAttributes();
    m_start = ModelVector::Zero(m_task->GetDimension());
    m_model = m_start;
}

void
LocalTraining::BeginRound(uint32_t round, const ModelVector& model)
{
    Require(m_data != nullptr, GetInstanceTypeId().GetName(), ": Setup() must be called first");
    RequireSize(GetInstanceTypeId().GetName(), "model", model.size(), m_start.size());
    m_data->BeginRound(round);
    m_round = round;
    m_start = model;
    m_model = model;
}

void
LocalTraining::Compute()
{
    m_model = Train(m_start, m_data->GetSamples());
}

ModelVector
LocalTraining::Send()
{
    NoteDraw(m_round, m_data->GetSamples());
    return m_model - m_start;
}

Ptr<const LocalData>
LocalTraining::GetData() const
{
    return m_data;
}

const ModelVector&
LocalTraining::GetModel() const
{
    return m_model;
}

} // namespace ns3::dlearn
