/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-baseline-ledgers.h"

#include "ns3/dlearn-type-id.h"

#include <cmath>

namespace ns3::dlearn
{

DLEARN_TYPE_WITHOUT_ATTRIBUTES(DsgdLedger, PrivacyLedger);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(DolaLedger, PrivacyLedger);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(PdopLedger, PrivacyLedger);

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

PrivacyLedger::Step
DolaLedger::NextStep(const UpdateEvent& event, double coupling, bool released) const
{
    const double own = released ? 0 : std::abs(1 - coupling);
    return {own + event.stepSize * m_smoothness, event.stepSize, 0};
}

PrivacyLedger::Step
PdopLedger::NextStep(const UpdateEvent& event, double coupling, bool released) const
{
    const double own = released ? 0 : std::abs(1 - coupling);
    return {own * (1 + event.stepSize * m_smoothness), event.stepSize, 0};
}

} // namespace ns3::dlearn
