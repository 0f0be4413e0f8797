/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-release-account.h"

#include "ns3/dlearn-state-archive.h"

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(ReleaseAccount);

TypeId
ReleaseAccount::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::ReleaseAccount").SetParent<PrivacyAccount>().SetGroupName("Dlearn");
    return tid;
}

ReleaseAccount::ReleaseAccount() = default;

ReleaseAccount::~ReleaseAccount() = default;

void
ReleaseAccount::SetUnits(uint32_t units)
{
    m_nominal = PrivacyLosses(units);
    m_realised = m_nominal;
}

bool
ReleaseAccount::HasBegun() const
{
    return m_underWay || !m_nominal.IsZero();
}

uint32_t
ReleaseAccount::GetUnits() const
{
    return m_realised.GetUnits();
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
ReleaseAccount::Announce(const PrivacyLosses& losses)
{
    m_underWay = losses;
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

void
ReleaseAccount::VisitState(StateArchive& archive)
{
    archive(m_nominal, m_realised, m_underWay);
}

} // namespace ns3::dlearn
