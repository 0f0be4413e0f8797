/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-dsgd.h"

#include "ns3/dlearn-baseline-ledgers.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-laplace-mechanism.h"
#include "ns3/dlearn-power-schedule.h"
#include "ns3/double.h"

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(Dsgd);

TypeId
Dsgd::GetTypeId()
{
    static TypeId tid =
        AddParts(TypeId("ns3::dlearn::Dsgd")
                     .SetParent<PeerRule>()
                     .SetGroupName("Dlearn")
                     .AddConstructor<Dsgd>(),
                 {LaplaceMechanism::GetTypeId(),
                  DsgdLedger::GetTypeId(),
                  LearnerUnit::GetTypeId(),
                  NoProjection::GetTypeId()})
            .AddAttribute("StepSize",
                          "alpha_0: step on the gradient in round 0.",
                          DoubleValue(0.1),
                          MakeDoubleAccessor(&Dsgd::m_stepSize),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("StepExponent",
                          "The step decays as (t+1)^-StepExponent; 0 for a constant step.",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&Dsgd::m_stepExponent),
                          MakeDoubleChecker<double>(0.0));
    return tid;
}

void
Dsgd::CheckAttributes() const
{
    RequireNonNegative("Dsgd", "StepSize", m_stepSize);
    RequireNonNegative("Dsgd", "StepExponent", m_stepExponent);
}

StateRecursion
Dsgd::GetRecursion() const
{
    return StateRecursion::HALF_STEP;
}

ModelVector
Dsgd::GetReleased() const
{
    return m_model - GetStepSize(m_round) * m_gradient;
}

double
Dsgd::GetReleasedStep() const
{
    return GetStepSize(m_round);
}

double
Dsgd::GetStepSize(uint32_t round) const
{
    return PowerSchedule(m_stepSize, -m_stepExponent, round);
}

ModelVector
Dsgd::Move(const Inbox& inbox) const
{
    return Mix(GetReleased(), inbox);
}

} // namespace ns3::dlearn
