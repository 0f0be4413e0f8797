/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-local-training.h"

#include "ns3/dlearn-check.h"
#include "ns3/double.h"
#include "ns3/log.h"

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnLocalTraining");
NS_OBJECT_ENSURE_REGISTERED(LocalTraining);

TypeId
LocalTraining::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::LocalTraining")
            .SetParent<ClientRule>()
            .SetGroupName("Dlearn")
            .AddAttribute("ClipNorm",
                          "Largest norm C of the difference of models that is returned; 0 for no "
                          "clipping.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&LocalTraining::m_clipNorm),
                          MakeDoubleChecker<double>(0.0));
    return tid;
}

void
LocalTraining::DoDispose()
{
    m_release->Dispose();
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
    const Ptr<const ThreatModel> model = m_release->GetTerms().model;
    Require(!model || DynamicCast<const LocalDp>(model) || DynamicCast<const CentralDp>(model),
            name,
            ": the threat model must be ns3::dlearn::LocalDp or ns3::dlearn::CentralDp, got ",
            model ? model->GetInstanceTypeId().GetName() : "none");
    m_release->Setup(name, m_clipNorm, 0, [this](uint32_t round) { m_exposureTrace(round); });
    m_start = ModelVector::Zero(m_task->GetDimension());
    m_model = m_start;
}

void
LocalTraining::BeginRound(uint32_t round, const ModelVector& model)
{
    Require(m_data != nullptr, GetInstanceTypeId().GetName(), ": Setup() must be called first");
    RequireSize(GetInstanceTypeId().GetName(), "model", model.size(), m_start.size());
    NS_LOG_FUNCTION(this << round);
    m_data->BeginRound(round);
    m_round = round;
    m_start = model;
    m_model = model;
    DoBeginRound();
}

void
LocalTraining::DoBeginRound()
{
}

void
LocalTraining::Compute()
{
    m_model = Train(m_start, m_data->GetSamples());
    RequireSize(GetInstanceTypeId().GetName(),
                "the model that Train() returns",
                m_model.size(),
                m_start.size());
}

ModelVector
LocalTraining::Send()
{
    NS_LOG_FUNCTION(this << m_round);
    ModelVector update = m_model - m_start;
    if (!m_release->Begin(m_round, m_clipNorm, 0, IsObserved()))
    {
        return update; // not to be used
    }
    NS_LOG_INFO("round " << m_round << ": " << m_data->GetSamples().size()
                         << " samples move the model by " << update.norm());
    NoteDraw(m_round, m_data->GetSamples());
    ClientRelease::Clip(m_clipNorm, update);
    m_release->AddNoise(m_round, update);
    return update;
}

void
LocalTraining::EndRound(bool transmitted)
{
    m_release->End(m_round, transmitted || IsReleased());
}

Ptr<ClientRelease>
LocalTraining::GetRelease() const
{
    return m_release;
}

bool
LocalTraining::CanContinue() const
{
    return !m_release->IsExhausted();
}

Ptr<const PrivacyAccount>
LocalTraining::GetLedger() const
{
    return m_release->GetLedger();
}

std::vector<std::string>
LocalTraining::GetWarnings() const
{
    return m_release->GetWarnings(IsObserved());
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
