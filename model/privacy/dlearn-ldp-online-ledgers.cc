/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-ldp-online-ledgers.h"

#include "ns3/dlearn-check.h"

#include <algorithm>

namespace ns3
{
namespace dlearn
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

double
Theorem5Ledger::NextSensitivity(const Account& account,
                                const UpdateEvent& event,
                                double coupling) const
{
    return (std::abs(1 - coupling) + event.stepSize * m_smoothness) * account.sensitivity +
           event.stepSize * m_gradientSensitivity;
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

double
RefinedLedger::NextSensitivity(const Account& account,
                               const UpdateEvent& event,
                               double coupling) const
{
    return (std::abs(1 - coupling) + event.stepSize * m_smoothness) * account.sensitivity +
           event.stepSize * m_gradientSensitivity / event.batches;
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

double
ConvexLedger::NextSensitivity(const Account& account,
                              const UpdateEvent& event,
                              double coupling) const
{
    const double factor = std::max(std::abs(1 - coupling - event.stepSize * m_curvature),
                                   std::abs(1 - coupling - event.stepSize * m_smoothness));
    return factor * account.sensitivity + event.stepSize * m_gradientSensitivity / event.batches;
}

} // namespace dlearn
} // namespace ns3
