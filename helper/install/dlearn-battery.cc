/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-battery.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-simulated-time.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/double.h"
#include "ns3/energy-source-container.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <algorithm>
#include <cmath>

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnLearnerBattery");
NS_OBJECT_ENSURE_REGISTERED(Battery);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(LearnerBattery, DeviceEnergyModel);

namespace
{

constexpr double ROUNDING = 1e-12;     //!< share of the capacity that rounding leaves
constexpr double TIME_ROUNDING = 1e-4; //!< part of a nanosecond that is rounding, too

} // namespace

TypeId
Battery::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<Battery, Object>("ns3::dlearn::Battery")
            .AddAttribute("Capacity",
                          "Joules of the full battery, which it has at the beginning.",
                          DoubleValue(10),
                          MakeDoubleAccessor(&Battery::m_capacity),
                          MakeDoubleChecker<double>(LEAST_CAPACITY))
            .AddAttribute(
                "HarvestedPower",
                "Power that charges a battery, in watts: a number, or WATTS@TIME,... for one "
                "from each of these times on, such as 0.5@0s,2@6h.",
                StringValue("0"),
                MakeStringAccessor(&Battery::m_harvested),
                MakeStringChecker())
            .AddAttribute("RestartFraction",
                          "Share of the capacity at which the learner of an empty battery "
                          "restarts.",
                          DoubleValue(0.15),
                          MakeDoubleAccessor(&Battery::m_restartFraction),
                          MakeDoubleChecker<double>(0.001, 1));
    return tid;
}

void
Battery::Begin(Time time)
{
    m_charge = m_capacity;
    m_begin = time;
    m_time = time;
    const std::string& text = m_harvested;
    for (const std::string& step : SplitText(text, ','))
    {
        const size_t at = step.find('@');
        const auto watts = ParseNumber(step.substr(0, at));
        Require(watts && *watts >= 0 && (at != std::string::npos || step == text),
                "Battery: HarvestedPower must be a number of watts of at least 0, or "
                "WATTS@TIME,..., got '",
                text,
                "'");
        const Time from = at == std::string::npos
                              ? Time(0)
                              : ParseTime("Battery: time of '" + step + "' in HarvestedPower",
                                          step.substr(at + 1));
        Require(m_steps.empty() || m_steps.back().first < from,
                "Battery: times of HarvestedPower must increase, got '{}'",
                text);
        m_steps.emplace_back(from, *watts);
    }
}

std::vector<Battery::Step>::const_iterator
Battery::FindStep(Time time) const
{
    const auto next = std::upper_bound(m_steps.begin(),
                                       m_steps.end(),
                                       time - m_begin,
                                       [](Time t, const Step& step) { return t < step.first; });
    return next == m_steps.begin() ? m_steps.end() : next - 1;
}

bool
Battery::IsEmpty() const
{
    return m_charge <= m_capacity * ROUNDING;
}

double
Battery::Use(double joules)
{
    const Time now = Simulator::Now();
    const double span = (now - m_time).GetSeconds();
    if (span <= 0)
    {
        const double given = std::min(m_charge, joules);
        m_charge -= given;
        return given;
    }
    double missing = 0;
    while (m_time < now)
    {
        const auto step = FindStep(m_time);
        const auto next = step == m_steps.end() ? m_steps.begin() : step + 1;
        const Time end = next == m_steps.end() ? now : Min(now, m_begin + next->first);
        const double part = (end - m_time).GetSeconds();
        const double harvested = step == m_steps.end() ? 0 : step->second * part;
        m_charge += harvested - joules * (part / span);
        missing += std::max(0.0, -m_charge);
        m_charge = std::min(m_capacity, std::max(0.0, m_charge));
        m_time = end;
    }
    return joules - missing;
}

std::optional<Time>
Battery::Find(double goal, double watts) const
{
    double charge = m_charge;
    Time time = m_time;
    while (true)
    {
        const auto step = FindStep(time);
        const auto next = step == m_steps.end() ? m_steps.begin() : step + 1;
        const double net = (step == m_steps.end() ? 0 : step->second) - watts;
        const double wait = (goal - charge) / net; // negative or infinite for never
        const double left =
            next == m_steps.end() ? INFINITY : (m_begin + next->first - time).GetSeconds();
        if (wait >= 0 && wait <= left)
        {
            const double delay =
                (time - m_time).GetSeconds() * 1e9 + std::ceil(wait * 1e9 - TIME_ROUNDING);
            return delay < END_OF_TIME ? std::optional<Time>(NanoSeconds(
                                             static_cast<uint64_t>(std::max(1.0, delay))))
                                       : std::nullopt;
        }
        if (next == m_steps.end())
        {
            return std::nullopt;
        }
        charge = std::min(m_capacity, charge + net * left);
        time = m_begin + next->first;
    }
}

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
LearnerBattery::ChangeCurrent(double amperes)
{
    m_source->UpdateEnergySource(); // at the current so far
    m_total = GetTotalEnergyConsumption();
    m_changed = Simulator::Now();
    m_current += amperes;
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
LearnerBattery::HandleEnergyDepletion()
{
    NS_LOG_FUNCTION(this);
    m_depleted = true;
    // Not at once: the radio may be sending.
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
