/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-ternary-sgd.h"

#include "ns3/dlearn-ldp-online-ledgers.h"
#include "ns3/dlearn-ternary-quantizer.h"

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(TernarySgd);

TypeId
TernarySgd::GetTypeId()
{
    static TypeId tid = AddCoupling(AddParts(TypeId("ns3::dlearn::TernarySgd")
                                                 .SetParent<PeerRule>()
                                                 .SetGroupName("Dlearn")
                                                 .AddConstructor<TernarySgd>(),
                                             {TernaryQuantizer::GetTypeId(),
                                              LdpOnlineTheorem5Ledger::GetTypeId(),
                                              LearnerUnit::GetTypeId(),
                                              NoProjection::GetTypeId()},
                                             PowerStep(0.1, 0.9)),
                                    1,
                                    0.6);
    return tid;
}

ModelVector
TernarySgd::Move(const Inbox& inbox) const
{
    return MixAndDescend(inbox);
}

} // namespace ns3::dlearn
