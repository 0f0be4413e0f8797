/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-ldp-online-ledgers.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-type-id.h"

#include <algorithm>

namespace ns3::dlearn
{

DLEARN_TYPE_WITHOUT_ATTRIBUTES(LdpOnlineTheorem5Ledger, PrivacyLedger);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(LdpOnlineRefinedLedger, PrivacyLedger);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(LdpOnlineConvexLedger, PrivacyLedger);

PrivacyLedger::Step
LdpOnlineTheorem5Ledger::NextStep(const UpdateEvent& event,
                                  double coupling,
                                  bool /* released */) const
{
    return {std::abs(1 - coupling) + event.stepSize * m_smoothness, 0, event.stepSize};
}

PrivacyLedger::Step
LdpOnlineRefinedLedger::NextStep(const UpdateEvent& event,
                                 double coupling,
                                 bool /* released */) const
{
    return {std::abs(1 - coupling) + event.stepSize * m_smoothness, event.stepSize, 0};
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
