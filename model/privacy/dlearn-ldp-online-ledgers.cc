/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-ldp-online-ledgers.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-state-archive.h"

#include <algorithm>

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(LdpOnlineTheorem5Ledger);
DLEARN_STATE_ENSURE_REGISTERED(LdpOnlineTheorem5Ledger);
NS_OBJECT_ENSURE_REGISTERED(LdpOnlineRefinedLedger);
DLEARN_STATE_ENSURE_REGISTERED(LdpOnlineRefinedLedger);
NS_OBJECT_ENSURE_REGISTERED(LdpOnlineConvexLedger);
DLEARN_STATE_ENSURE_REGISTERED(LdpOnlineConvexLedger);

TypeId
LdpOnlineTheorem5Ledger::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::LdpOnlineTheorem5Ledger")
                            .SetParent<PrivacyLedger>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<LdpOnlineTheorem5Ledger>();
    return tid;
}

bool
LdpOnlineTheorem5Ledger::Bounds(StateRecursion recursion) const
{
    return recursion == StateRecursion::COUPLED;
}

PrivacyLedger::Step
LdpOnlineTheorem5Ledger::NextStep(const UpdateEvent& event,
                                  double coupling,
                                  bool /* released */) const
{
    return {std::abs(1 - coupling) + event.stepSize * m_smoothness, 0, event.stepSize};
}

TypeId
LdpOnlineRefinedLedger::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::LdpOnlineRefinedLedger")
                            .SetParent<PrivacyLedger>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<LdpOnlineRefinedLedger>();
    return tid;
}

bool
LdpOnlineRefinedLedger::Bounds(StateRecursion recursion) const
{
    return recursion == StateRecursion::COUPLED;
}

PrivacyLedger::Step
LdpOnlineRefinedLedger::NextStep(const UpdateEvent& event,
                                 double coupling,
                                 bool /* released */) const
{
    return {std::abs(1 - coupling) + event.stepSize * m_smoothness, event.stepSize, 0};
}

TypeId
LdpOnlineConvexLedger::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::LdpOnlineConvexLedger")
                            .SetParent<PrivacyLedger>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<LdpOnlineConvexLedger>();
    return tid;
}

void
LdpOnlineConvexLedger::CheckConstants() const
{
    Require(m_curvature >= 0,
            "LdpOnlineConvexLedger: needs a convex loss whose gradients are not clipped (curvature "
            "mu at "
            "least 0), got ",
            m_curvature,
            "; use LdpOnlineRefinedLedger");
}

bool
LdpOnlineConvexLedger::Bounds(StateRecursion recursion) const
{
    return recursion == StateRecursion::COUPLED;
}

PrivacyLedger::Step
LdpOnlineConvexLedger::NextStep(const UpdateEvent& event,
                                double coupling,
                                bool /* released */) const
{
    const double factor = std::max(std::abs(1 - coupling - event.stepSize * m_curvature),
                                   std::abs(1 - coupling - event.stepSize * m_smoothness));
    return {factor, event.stepSize, 0};
}

} // namespace ns3::dlearn
