/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-dsgd.h"

#include "ns3/dlearn-baseline-ledgers.h"
#include "ns3/dlearn-laplace-mechanism.h"

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(Dsgd);

TypeId
Dsgd::GetTypeId()
{
    static TypeId tid = AddParts(TypeId("ns3::dlearn::Dsgd")
                                     .SetParent<PeerRule>()
                                     .SetGroupName("Dlearn")
                                     .AddConstructor<Dsgd>(),
                                 {LaplaceMechanism::GetTypeId(),
                                  DsgdLedger::GetTypeId(),
                                  LearnerUnit::GetTypeId(),
                                  NoProjection::GetTypeId()},
                                 PowerStep(0.1, 0.5));
    return tid;
}

double
Dsgd::GetReleasedStep() const
{
    return GetStepSize(m_round);
}

ModelVector
Dsgd::Move(const Inbox& inbox) const
{
    return Mix(GetReleased(), inbox);
}

} // namespace ns3::dlearn
