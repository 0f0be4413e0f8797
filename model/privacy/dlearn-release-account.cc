/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-release-account.h"

#include "ns3/dlearn-type-id.h"

namespace ns3::dlearn
{

DLEARN_TYPE_WITHOUT_ATTRIBUTES(ReleaseAccount, PrivacyAccount);

ReleaseAccount::ReleaseAccount() = default;

ReleaseAccount::~ReleaseAccount() = default;

void
ReleaseAccount::SetUnits(uint32_t units)
{
    m_nominal = PrivacyLosses(units);
    m_realised = m_nominal;
}

double
ReleaseAccount::GetEpsilon() const
{
    PrivacyLosses losses = m_realised;
    if (m_underWay)
    {
        losses += *m_underWay;
    }
    return losses.GetEpsilon(GetDelta());
}

double
ReleaseAccount::GetNominalEpsilon() const
{
    return m_nominal.GetEpsilon(GetDelta());
}

double
ReleaseAccount::GetTernaryDelta() const
{
    PrivacyLosses losses = m_realised;
    if (m_underWay)
    {
        losses += *m_underWay;
    }
    return losses.GetTernaryDelta();
}

bool
ReleaseAccount::IsAffordable(const PrivacyLosses& losses) const
{
    if (GetBudget() == 0)
    {
        return true;
    }
    PrivacyLosses after = m_realised;
    after += losses;
    return IsWithinBudget(after.GetEpsilon(GetDelta()));
}

void
ReleaseAccount::RecordRelease(const PrivacyLosses& nominal,
                              const PrivacyLosses& realised,
                              bool transmitted)
{
    m_underWay.reset();
    m_nominal += nominal;
    if (transmitted)
    {
        m_realised += realised;
    }
}

} // namespace ns3::dlearn
