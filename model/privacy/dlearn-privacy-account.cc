/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-privacy-account.h"

#include "ns3/dlearn-check.h"
#include "ns3/double.h"

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(PrivacyAccount);

TypeId
PrivacyAccount::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::PrivacyAccount")
            .SetParent<Object>()
            .SetGroupName("Dlearn")
            .AddAttribute("Budget",
                          "Largest realised epsilon that the learner may spend; it stops sending "
                          "before it would exceed it. 0 for none.",
                          DoubleValue(0.0),
                          MakeDoubleAccessor(&PrivacyAccount::m_budget),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("Delta",
                          "delta of every epsilon, in (0, 1); not used while all noise is "
                          "Laplace noise.",
                          DoubleValue(1e-4),
                          MakeDoubleAccessor(&PrivacyAccount::SetDelta, &PrivacyAccount::GetDelta),
                          MakeDoubleChecker<double>(0.0, 1.0));
    return tid;
}

void
PrivacyAccount::RequireSame(const std::string& attribute, bool same) const
{
    Require(same || !HasBegun(), GetName(), ": ", attribute, " cannot change during a run");
}

void
PrivacyAccount::SetDelta(double delta)
{
    RequireSame("Delta", delta == m_delta);
    m_delta = delta;
}

void
PrivacyAccount::CheckAttributes() const
{
    RequireNonNegative(GetName(), "Budget", m_budget);
    Require(m_delta > 0 && m_delta < 1, GetName(), ": Delta must be in (0, 1), got ", m_delta);
}

void
PrivacyAccount::RequireIncreasing(const char* event, uint32_t round, uint64_t next) const
{
    Require(round >= next,
            GetName(),
            ": ",
            event,
            " of round ",
            round,
            " came after one of round ",
            static_cast<double>(next) - 1,
            "; rounds must increase");
}

std::string
PrivacyAccount::GetName() const
{
    const std::string full = GetInstanceTypeId().GetName();
    return full.substr(full.rfind(':') + 1);
}

} // namespace ns3::dlearn
