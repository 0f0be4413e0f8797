/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-baseline-ledgers.h"

#include "ns3/dlearn-state-archive.h"

#include <cmath>

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(DsgdLedger);
DLEARN_STATE_ENSURE_REGISTERED(DsgdLedger);
NS_OBJECT_ENSURE_REGISTERED(DolaLedger);
DLEARN_STATE_ENSURE_REGISTERED(DolaLedger);
NS_OBJECT_ENSURE_REGISTERED(PdopLedger);
DLEARN_STATE_ENSURE_REGISTERED(PdopLedger);

TypeId
DsgdLedger::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::DsgdLedger")
                            .SetParent<PrivacyLedger>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<DsgdLedger>();
    return tid;
}

bool
DsgdLedger::Bounds(StateRecursion recursion) const
{
    return recursion == StateRecursion::HALF_STEP;
}

PrivacyLedger::Step
DsgdLedger::ReleasedStep(const ReleaseEvent& event) const
{
    return {1 + event.stepSize * m_smoothness, event.stepSize, 0};
}

PrivacyLedger::Step
DsgdLedger::NextStep(const UpdateEvent& event, double coupling, bool /* released */) const
{
    const double own = std::abs(1 - coupling);
    return {own * (1 + event.stepSize * m_smoothness), own * event.stepSize, 0};
}

TypeId
DolaLedger::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::DolaLedger")
                            .SetParent<PrivacyLedger>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<DolaLedger>();
    return tid;
}

bool
DolaLedger::Bounds(StateRecursion recursion) const
{
    return recursion == StateRecursion::OWN_NOISY;
}

PrivacyLedger::Step
DolaLedger::NextStep(const UpdateEvent& event, double coupling, bool released) const
{
    const double own = released ? 0 : std::abs(1 - coupling);
    return {own + event.stepSize * m_smoothness, event.stepSize, 0};
}

TypeId
PdopLedger::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::PdopLedger")
                            .SetParent<PrivacyLedger>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<PdopLedger>();
    return tid;
}

bool
PdopLedger::Bounds(StateRecursion recursion) const
{
    return recursion == StateRecursion::STEP_BEHIND;
}

PrivacyLedger::Step
PdopLedger::NextStep(const UpdateEvent& event, double coupling, bool released) const
{
    const double own = released ? 0 : std::abs(1 - coupling);
    return {own * (1 + event.stepSize * m_smoothness), event.stepSize, 0};
}

} // namespace ns3::dlearn
