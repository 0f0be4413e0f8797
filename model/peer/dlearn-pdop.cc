/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-pdop.h"

#include "ns3/dlearn-baseline-ledgers.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-geometric-decay-laplace.h"
#include "ns3/double.h"

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(Pdop);

TypeId
Pdop::GetTypeId()
{
    static TypeId tid = AddParts(TypeId("ns3::dlearn::Pdop")
                                     .SetParent<PeerRule>()
                                     .SetGroupName("Dlearn")
                                     .AddConstructor<Pdop>(),
                                 {GeometricDecayLaplace::GetTypeId(),
                                  PdopLedger::GetTypeId(),
                                  LearnerUnit::GetTypeId(),
                                  BallProjection::GetTypeId()})
                            .AddAttribute("StepSize",
                                          "c: step on the gradient in round 0.",
                                          DoubleValue(0.1),
                                          MakeDoubleAccessor(&Pdop::m_stepSize),
                                          MakeDoubleChecker<double>(0.0))
                            .AddAttribute("StepRatio",
                                          "q: the step is multiplied by it every round; in (0, 1].",
                                          DoubleValue(0.97),
                                          MakeDoubleAccessor(&Pdop::m_stepRatio),
                                          MakeDoubleChecker<double>(0.0, 1.0));
    return tid;
}

void
Pdop::CheckAttributes() const
{
    RequireNonNegative("Pdop", "StepSize", m_stepSize);
    Require(m_stepRatio > 0 && m_stepRatio <= 1,
            "Pdop: StepRatio must be in (0, 1], got ",
            m_stepRatio);
}

std::vector<std::string>
Pdop::FindWarnings() const
{
    std::vector<std::string> warnings = PeerRule::FindWarnings();
    const auto decay = DynamicCast<const GeometricDecayLaplace>(GetNoise());
    if (decay && decay->GetScale(0) > 0 && !(m_stepRatio < decay->GetRatio()))
    {
        std::ostringstream text;
        text << "q < p < 1 (PDOP): q = StepRatio = " << m_stepRatio
             << ", p = Ratio of the noise = " << decay->GetRatio();
        warnings.push_back(text.str());
    }
    return warnings;
}

void
Pdop::ComputeGradient(VectorRef) const
{
    // It is taken at the mixed point, see Move().
}

double
Pdop::GetStepSize(uint32_t round) const
{
    return m_stepSize * std::pow(m_stepRatio, round);
}

StateRecursion
Pdop::GetRecursion() const
{
    return StateRecursion::STEP_BEHIND;
}

ModelVector
Pdop::Move(const Inbox& inbox) const
{
    const ModelVector mixed = Mix(m_noisy, inbox);
    ModelVector gradient(mixed.size());
    m_context.task->BatchGradient(mixed, m_batch, gradient);
    return mixed - GetStepSize(m_round) * gradient;
}

} // namespace ns3::dlearn
