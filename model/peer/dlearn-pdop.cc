/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-pdop.h"

#include "ns3/dlearn-baseline-ledgers.h"
#include "ns3/dlearn-geometric-decay-laplace.h"

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
                                  BallProjection::GetTypeId()},
                                 GeometricStep(0.1, 0.97));
    return tid;
}

std::vector<std::string>
Pdop::FindWarnings() const
{
    std::vector<std::string> warnings = PeerRule::FindWarnings();
    const auto steps = dynamic_cast<const GeometricSchedule*>(&GetStepSchedule());
    if (!steps)
    {
        warnings.push_back("alpha_t = c q^t (PDOP): StepSchedule = " +
                           GetStepSchedule().GetInstanceTypeId().GetName());
    }
    const auto decay = DynamicCast<const GeometricDecayLaplace>(GetNoiseMechanism());
    if (steps && decay && decay->GetScale(0) > 0 && !(steps->GetRatio() < decay->GetRatio()))
    {
        std::ostringstream text;
        text << "q < p < 1 (PDOP): q = StepRatio = " << steps->GetRatio()
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

ModelVector
Pdop::Move(const Inbox& inbox) const
{
    const ModelVector mixed = Mix(m_noisy, inbox);
    ModelVector gradient(mixed.size());
    m_context.task->BatchGradient(mixed, m_batch, gradient);
    return mixed - GetStepSize(m_round) * gradient;
}

} // namespace ns3::dlearn
