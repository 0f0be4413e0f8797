/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-decaying-coupling-rule.h"

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
