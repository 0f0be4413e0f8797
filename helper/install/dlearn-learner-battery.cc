/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-learner-battery.h"

#include "ns3/energy-source-container.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnLearnerBattery");

NS_OBJECT_ENSURE_REGISTERED(LearnerBattery);

TypeId
LearnerBattery::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::LearnerBattery")
                            .SetParent<DeviceEnergyModel>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<LearnerBattery>();
    return tid;
}

void
LearnerBattery::DoDispose()
{
    m_learner = nullptr;
    DeviceEnergyModel::DoDispose();
}

void
LearnerBattery::SetLearner(Ptr<LearnerApplication> learner)
{
    m_learner = learner;
}

void
LearnerBattery::SetEnergySource(Ptr<EnergySource> /* source */)
{
}

double
LearnerBattery::GetTotalEnergyConsumption() const
{
    return 0;
}

void
LearnerBattery::ChangeState(int /* newState */)
{
}

void
LearnerBattery::HandleEnergyDepletion()
{
    NS_LOG_FUNCTION(this);
    // Not at once: the radio may be in the middle of sending what the learner gave it.
    Simulator::ScheduleNow(&LearnerApplication::Crash, m_learner);
}

void
LearnerBattery::HandleEnergyRecharged()
{
    NS_LOG_FUNCTION(this);
    Simulator::ScheduleNow(&LearnerApplication::Restart, m_learner);
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
            sources->Get(k)->AppendDeviceEnergyModel(battery);
        }
    }
}

} // namespace ns3::dlearn
