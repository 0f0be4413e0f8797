/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-decaying-coupling-rule.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-power-schedule.h"
#include "ns3/double.h"

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(DecayingCouplingRule);

TypeId
DecayingCouplingRule::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::DecayingCouplingRule").SetParent<PeerRule>().SetGroupName("Dlearn");
    return tid;
}

TypeId
DecayingCouplingRule::AddSchedules(TypeId tid, const Schedules& defaults)
{
    return tid
        .AddAttribute("StepSize",
                      "lambda_0: step on the gradient in round 0.",
                      DoubleValue(defaults.stepSize),
                      MakeDoubleAccessor(&DecayingCouplingRule::m_stepSize),
                      MakeDoubleChecker<double>(0.0))
        .AddAttribute("StepExponent",
                      "v: the step decays as (t+1)^-v.",
                      DoubleValue(defaults.stepExponent),
                      MakeDoubleAccessor(&DecayingCouplingRule::m_stepExponent),
                      MakeDoubleChecker<double>(0.0))
        .AddAttribute("Coupling",
                      "gamma_0: factor on the weights in round 0.",
                      DoubleValue(defaults.coupling),
                      MakeDoubleAccessor(&DecayingCouplingRule::m_coupling),
                      MakeDoubleChecker<double>(0.0))
        .AddAttribute("CouplingExponent",
                      "u: the factor on the weights decays as (t+1)^-u.",
                      DoubleValue(defaults.couplingExponent),
                      MakeDoubleAccessor(&DecayingCouplingRule::m_couplingExponent),
                      MakeDoubleChecker<double>(0.0));
}

void
DecayingCouplingRule::CheckAttributes() const
{
    const std::string full = GetInstanceTypeId().GetName();
    const std::string name = full.substr(full.rfind(':') + 1);
    RequireNonNegative(name, "StepSize", m_stepSize);
    RequireNonNegative(name, "StepExponent", m_stepExponent);
    RequireNonNegative(name, "Coupling", m_coupling);
    RequireNonNegative(name, "CouplingExponent", m_couplingExponent);
}

double
DecayingCouplingRule::GetStepSize(uint32_t round) const
{
    return PowerSchedule(m_stepSize, -m_stepExponent, round);
}

double
DecayingCouplingRule::GetCoupling(uint32_t round) const
{
    return PowerSchedule(m_coupling, -m_couplingExponent, round);
}

StateRecursion
DecayingCouplingRule::GetRecursion() const
{
    return StateRecursion::COUPLED;
}

ModelVector
DecayingCouplingRule::Move(const Inbox& inbox) const
{
    return Mix(m_model, inbox) - GetStepSize(m_round) * m_gradient;
}

} // namespace ns3::dlearn
