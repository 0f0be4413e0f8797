/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-coupled-rule.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-power-schedule.h"
#include "ns3/double.h"

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(CoupledRule);

TypeId
CoupledRule::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::CoupledRule").SetParent<PeerRule>().SetGroupName("Dlearn");
    return tid;
}

TypeId
CoupledRule::AddSchedules(TypeId tid, const Schedules& defaults)
{
    return tid
        .AddAttribute("StepSize",
                      "lambda_0: step on the gradient in round 0.",
                      DoubleValue(defaults.stepSize),
                      MakeDoubleAccessor(&CoupledRule::m_stepSize),
                      MakeDoubleChecker<double>(0.0))
        .AddAttribute("StepExponent",
                      "v: the step decays as (t+1)^-v.",
                      DoubleValue(defaults.stepExponent),
                      MakeDoubleAccessor(&CoupledRule::m_stepExponent),
                      MakeDoubleChecker<double>(0.0))
        .AddAttribute("Coupling",
                      "gamma_0: factor on the weights in round 0.",
                      DoubleValue(defaults.coupling),
                      MakeDoubleAccessor(&CoupledRule::m_coupling),
                      MakeDoubleChecker<double>(0.0))
        .AddAttribute("CouplingExponent",
                      "u: the factor on the weights decays as (t+1)^-u.",
                      DoubleValue(defaults.couplingExponent),
                      MakeDoubleAccessor(&CoupledRule::m_couplingExponent),
                      MakeDoubleChecker<double>(0.0));
}

void
CoupledRule::CheckAttributes() const
{
    const std::string full = GetInstanceTypeId().GetName();
    const std::string name = full.substr(full.rfind(':') + 1);
    RequireNonNegative(name, "StepSize", m_stepSize);
    RequireNonNegative(name, "StepExponent", m_stepExponent);
    RequireNonNegative(name, "Coupling", m_coupling);
    RequireNonNegative(name, "CouplingExponent", m_couplingExponent);
}

double
CoupledRule::GetStepSize(uint32_t round) const
{
    return PowerSchedule(m_stepSize, -m_stepExponent, round);
}

double
CoupledRule::GetCoupling(uint32_t round) const
{
    return PowerSchedule(m_coupling, -m_couplingExponent, round);
}

StateRecursion
CoupledRule::GetRecursion() const
{
    return StateRecursion::COUPLED;
}

ModelVector
CoupledRule::Move(const Inbox& inbox) const
{
    return Mix(m_model, inbox) - GetStepSize(m_round) * m_gradient;
}

} // namespace ns3::dlearn
