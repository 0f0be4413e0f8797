/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-dola.h"

#include "ns3/dlearn-baseline-ledgers.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-laplace-mechanism.h"
#include "ns3/dlearn-power-schedule.h"
#include "ns3/double.h"

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(Dola);

TypeId
Dola::GetTypeId()
{
    static TypeId tid = AddParts(TypeId("ns3::dlearn::Dola")
                                     .SetParent<PeerRule>()
                                     .SetGroupName("Dlearn")
                                     .AddConstructor<Dola>(),
                                 {LaplaceMechanism::GetTypeId(),
                                  DolaLedger::GetTypeId(),
                                  LearnerUnit::GetTypeId(),
                                  BallProjection::GetTypeId()})
                            .AddAttribute("StepSize",
                                          "alpha_0: step on the gradient in round 0.",
                                          DoubleValue(0.1),
                                          MakeDoubleAccessor(&Dola::m_stepSize),
                                          MakeDoubleChecker<double>(0.0))
                            .AddAttribute("StepExponent",
                                          "The step decays as (t+1)^-StepExponent.",
                                          DoubleValue(0.5),
                                          MakeDoubleAccessor(&Dola::m_stepExponent),
                                          MakeDoubleChecker<double>(0.0));
    return tid;
}

void
Dola::CheckAttributes() const
{
    RequireNonNegative("Dola", "StepSize", m_stepSize);
    RequireNonNegative("Dola", "StepExponent", m_stepExponent);
}

double
Dola::GetStepSize(uint32_t round) const
{
    return PowerSchedule(m_stepSize, -m_stepExponent, round);
}

StateRecursion
Dola::GetRecursion() const
{
    return StateRecursion::OWN_NOISY;
}

ModelVector
Dola::Move(const Inbox& inbox) const
{
    return Mix(m_noisy, inbox) - GetStepSize(m_round) * m_gradient;
}

} // namespace ns3::dlearn
