/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-learner-battery.h"

#include "ns3/dlearn-type-id.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnLearnerBattery");

DLEARN_TYPE_WITHOUT_ATTRIBUTES(LearnerBattery, DeviceEnergyModel);

void
LearnerBattery::DoDispose()
{
    m_learner = nullptr;
    m_source = nullptr;
    DeviceEnergyModel::DoDispose();
}

double
LearnerBattery::GetTotalEnergyConsumption() const
{
    return m_total +
           m_current * m_source->GetSupplyVoltage() * (Simulator::Now() - m_changed).GetSeconds();
}

void
LearnerBattery::ChangeCurrent(double change)
{
    m_source->UpdateEnergySource(); // which takes the current for that since the last time
    m_total = GetTotalEnergyConsumption();
    m_changed = Simulator::Now();
    m_current += change;
}

void
LearnerBattery::Draw(double joules)
{
    const Time burst = MicroSeconds(1);
    const double current = joules / burst.GetSeconds() / m_source->GetSupplyVoltage();
    ChangeCurrent(current);
    Simulator::Schedule(burst, &LearnerBattery::ChangeCurrent, Ptr<LearnerBattery>(this), -current);
}

void
LearnerBattery::BeginDraw(double joules, Time time)
{
    EndDraw();
    if (time.IsZero())
    {
        Draw(joules);
        return;
    }
    m_steady = joules / time.GetSeconds() / m_source->GetSupplyVoltage();
    ChangeCurrent(m_steady);
}

void
LearnerBattery::EndDraw()
{
    ChangeCurrent(-m_steady);
    m_steady = 0;
}

void
LearnerBattery::ChangeState(int /* newState */)
{
}

void
LearnerBattery::HandleEnergyDepletion()
{
    NS_LOG_FUNCTION(this);
    m_depleted = true;
    // Not at once: the radio may be in the middle of sending what the learner gave it.
    Simulator::ScheduleNow(&LearnerApplication::LosePower, m_learner);
}

void
LearnerBattery::HandleEnergyRecharged()
{
    NS_LOG_FUNCTION(this);
    m_depleted = false;
    Simulator::ScheduleNow(&LearnerApplication::RestorePower, m_learner);
}

void
LearnerBattery::HandleEnergyChanged()
{
}

void
InstallBatteries(const std::vector<Ptr<LearnerApplication>>& learners)
{
    for (const auto& learner : learners)
    {
        const auto sources = learner->GetNode()->GetObject<EnergySourceContainer>();
        for (uint32_t k = 0; sources && k < sources->GetN(); ++k)
        {
            const auto battery = CreateObject<LearnerBattery>();
            battery->SetLearner(learner);
            battery->SetEnergySource(sources->Get(k));
            sources->Get(k)->AppendDeviceEnergyModel(battery);
        }
    }
}

Ptr<LearnerBattery>
FindLearnerBattery(const LearnerApplication& learner)
{
    const auto sources = learner.GetNode()->GetObject<EnergySourceContainer>();
    if (!sources || sources->GetN() == 0)
    {
        return nullptr;
    }
    const auto models = sources->Get(0)->FindDeviceEnergyModels(LearnerBattery::GetTypeId());
    for (auto model = models.Begin(); model != models.End(); ++model)
    {
        const auto battery = DynamicCast<LearnerBattery>(*model);
        if (PeekPointer(battery->GetLearner()) == &learner)
        {
            return battery;
        }
    }
    return nullptr;
}

} // namespace ns3::dlearn
