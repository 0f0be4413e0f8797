/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-ldp-online-ledgers.h"

#include "ns3/dlearn-check.h"

#include <algorithm>

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(Theorem5Ledger);
NS_OBJECT_ENSURE_REGISTERED(RefinedLedger);
NS_OBJECT_ENSURE_REGISTERED(ConvexLedger);

TypeId
Theorem5Ledger::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::Theorem5Ledger")
                            .SetParent<PrivacyLedger>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<Theorem5Ledger>();
    return tid;
}

bool
Theorem5Ledger::Bounds(StateRecursion recursion) const
{
    return recursion == StateRecursion::COUPLED;
}

PrivacyLedger::Step
Theorem5Ledger::NextStep(const UpdateEvent& event, double coupling, bool /* released */) const
{
    return {std::abs(1 - coupling) + event.stepSize * m_smoothness, 0, event.stepSize};
}

TypeId
RefinedLedger::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::RefinedLedger")
                            .SetParent<PrivacyLedger>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<RefinedLedger>();
    return tid;
}

bool
RefinedLedger::Bounds(StateRecursion recursion) const
{
    return recursion == StateRecursion::COUPLED;
}

PrivacyLedger::Step
RefinedLedger::NextStep(const UpdateEvent& event, double coupling, bool /* released */) const
{
    return {std::abs(1 - coupling) + event.stepSize * m_smoothness, event.stepSize, 0};
}

TypeId
ConvexLedger::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::ConvexLedger")
                            .SetParent<PrivacyLedger>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<ConvexLedger>();
    return tid;
}

void
ConvexLedger::CheckConstants() const
{
    Require(m_curvature >= 0,
            "ConvexLedger: needs a convex loss whose gradients are not clipped (curvature mu at "
            "least 0), got ",
            m_curvature,
            "; use RefinedLedger");
}

bool
ConvexLedger::Bounds(StateRecursion recursion) const
{
    return recursion == StateRecursion::COUPLED;
}

PrivacyLedger::Step
ConvexLedger::NextStep(const UpdateEvent& event, double coupling, bool /* released */) const
{
    const double factor = std::max(std::abs(1 - coupling - event.stepSize * m_curvature),
                                   std::abs(1 - coupling - event.stepSize * m_smoothness));
    return {factor, event.stepSize, 0};
}

} // namespace ns3::dlearn
