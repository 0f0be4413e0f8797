/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-dola.h"

#include "ns3/dlearn-baseline-ledgers.h"
#include "ns3/dlearn-laplace-mechanism.h"

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
                                  BallProjection::GetTypeId()},
                                 PowerStep(0.1, 0.5));
    return tid;
}

ModelVector
Dola::Move(const Inbox& inbox) const
{
    return Mix(m_noisy, inbox) - GetStepSize(m_round) * m_gradient;
}

} // namespace ns3::dlearn
