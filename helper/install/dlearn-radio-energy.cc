/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-radio-energy.h"

#include "dlearn-learner-battery.h"

#include "ns3/basic-energy-source-helper.h"
#include "ns3/dlearn-attribute-lookup.h"
#include "ns3/dlearn-check.h"
#include "ns3/double.h"
#include "ns3/wifi-phy.h"
#include "ns3/wifi-radio-energy-model-helper.h"

namespace ns3::dlearn
{

namespace
{

/** Joules of a source that never runs out: three years of 0.1 W. */
constexpr double ENDLESS = 1e7;

/** Seconds that ns-3 can count. */
constexpr double LONGEST = 9e9;

/** Refuse currents with which ns-3 cannot count for how long a source would last. */
void
CheckCurrents(const DeviceEnergyModel& model, double voltage)
{
    const TypeId type = model.GetInstanceTypeId();
    for (size_t k = 0; k < type.GetAttributeN(); ++k)
    {
        const TypeId::AttributeInformation info = type.GetAttribute(k);
        const Ptr<AttributeValue> value = info.checker->Create();
        const auto current = dynamic_cast<const DoubleValue*>(PeekPointer(value));
        if (current != nullptr && info.accessor->Get(&model, *value))
        {
            const double least = ENDLESS / LONGEST / voltage;
            Require(current->Get() >= least,
                    type.GetAttributeFullName(k),
                    " must be at least ",
                    least,
                    " A at a supply voltage of ",
                    voltage,
                    " V, got ",
                    current->Get());
        }
    }
}

/** @return the energy sources of a node; null for none */
Ptr<EnergySourceContainer>
FindSources(const Node& node)
{
    return node.GetObject<EnergySourceContainer>();
}

} // namespace

RadioEnergy::RadioEnergy(Ptr<Node> node, std::function<void()> changed)
    : m_changed(std::move(changed)),
      m_ownSources(FindSources(*node) != nullptr)
{
    for (uint32_t k = 0; k < node->GetNDevices(); ++k)
    {
        if (const auto radio = DynamicCast<WifiNetDevice>(node->GetDevice(k)))
        {
            m_radios.push_back({radio, nullptr});
        }
    }
    if (m_ownSources)
    {
        AddModels(*FindSources(*node));
    }
    else if (!m_radios.empty())
    {
        BasicEnergySourceHelper helper;
        helper.Set("BasicEnergySourceInitialEnergyJ", DoubleValue(ENDLESS));
        // These would have no effect: the meter asks when it wants to know, and it is never empty.
        helper.Set("PeriodicEnergyUpdateInterval", TimeValue(Seconds(1)));
        helper.Set("BasicEnergyLowBatteryThreshold", DoubleValue(0.1));
        m_sources.push_back(helper.Install(node).Get(0));
        InstallModels();
    }
}

void
RadioEnergy::AddModels(const EnergySourceContainer& sources)
{
    for (auto source = sources.Begin(); source != sources.End(); ++source)
    {
        m_sources.push_back(*source);
        for (uint16_t k = 0; k < TypeId::GetRegisteredN(); ++k)
        {
            const TypeId type = TypeId::GetRegistered(k);
            if (!type.IsChildOf(DeviceEnergyModel::GetTypeId()) ||
                type == LearnerBattery::GetTypeId()) // whose joules the learner counts
            {
                continue;
            }
            const auto models = (*source)->FindDeviceEnergyModels(type);
            for (auto model = models.Begin(); model != models.End(); ++model)
            {
                m_models.push_back(*model);
            }
        }
    }
}

void
RadioEnergy::InstallModels()
{
    const auto source = m_sources.front();
    const WifiRadioEnergyModelHelper helper;
    for (Radio& radio : m_radios)
    {
        radio.model =
            DynamicCast<WifiRadioEnergyModel>(helper.Install(radio.device, source).Get(0));
        CheckCurrents(*radio.model, source->GetSupplyVoltage());
        m_models.emplace_back(radio.model);
        radio.model->TraceConnectWithoutContext("TotalEnergyConsumption",
                                                MakeCallback(&RadioEnergy::HandleChange, this));
    }
}

void
RadioEnergy::HandleChange(double /* before */, double /* after */)
{
    m_changed();
}

bool
RadioEnergy::Covers(Ptr<NetDevice> device) const
{
    return DynamicCast<WifiNetDevice>(device) != nullptr;
}

double
RadioEnergy::AddUp() const
{
    double joules = 0;
    for (const auto& model : m_models)
    {
        joules += model->GetTotalEnergyConsumption();
    }
    return joules;
}

double
RadioEnergy::GetSpent() const
{
    return m_off ? m_spent : AddUp() - m_skipped;
}

double
RadioEnergy::GetPower() const
{
    double power = 0;
    for (const auto& model : m_models)
    {
        power += m_off ? 0 : model->GetCurrentA() * m_sources.front()->GetSupplyVoltage();
    }
    return power;
}

double
RadioEnergy::GetCharge() const
{
    double charge = 0;
    for (const auto& source : m_sources)
    {
        charge += source->GetRemainingEnergy();
    }
    return charge;
}

void
RadioEnergy::SwitchOff()
{
    if (m_off)
    {
        return;
    }
    m_spent = GetSpent();
    m_off = true;
    for (const Radio& radio : m_radios)
    {
        // The model does not hear that the radio is off: it would never be on again for it.
        const auto phy = radio.device->GetPhy();
        phy->UnregisterListener(radio.model->GetPhyListener());
        radio.model->ChangeState(static_cast<int>(WifiPhyState::IDLE));
        if (phy->IsStateSleep())
        {
            phy->ResumeFromSleep();
        }
        phy->SetOffMode();
    }
}

void
RadioEnergy::SwitchOn()
{
    if (!m_off)
    {
        return;
    }
    m_skipped = AddUp() - m_spent;
    m_off = false;
    for (const Radio& radio : m_radios)
    {
        const auto phy = radio.device->GetPhy();
        phy->RegisterListener(radio.model->GetPhyListener());
        phy->ResumeFromOff();
    }
}

} // namespace ns3::dlearn
