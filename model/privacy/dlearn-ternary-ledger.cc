/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-ternary-ledger.h"

#include "ns3/dlearn-check.h"
#include "ns3/double.h"

#include <algorithm>
#include <limits>

namespace ns3
{
namespace dlearn
{

NS_OBJECT_ENSURE_REGISTERED(TernaryLedger);

TypeId
TernaryLedger::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::TernaryLedger")
                            .SetParent<Theorem5Ledger>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<TernaryLedger>()
                            .AddAttribute("Delta",
                                          "Largest realised delta at which epsilon is reported as "
                                          "0; beyond it, as infinite. In (0, 1). Budget limits "
                                          "delta itself.",
                                          DoubleValue(1e-4),
                                          MakeDoubleAccessor(&TernaryLedger::m_delta),
                                          MakeDoubleChecker<double>(0.0, 1.0));
    return tid;
}

void
TernaryLedger::CheckConstants() const
{
    Require(m_delta > 0 && m_delta < 1, "TernaryLedger: Delta must be in (0, 1), got ", m_delta);
}

double
TernaryLedger::GetDelta() const
{
    // The base class adds up sqrt(d) Phi / scale, which is the price of a release here as well.
    return std::min(1.0, Theorem5Ledger::GetEpsilon());
}

double
TernaryLedger::GetNominalDelta() const
{
    return std::min(1.0, Theorem5Ledger::GetNominalEpsilon());
}

double
TernaryLedger::GetEpsilon() const
{
    return GetDelta() <= m_delta ? 0 : std::numeric_limits<double>::infinity();
}

double
TernaryLedger::GetNominalEpsilon() const
{
    return GetNominalDelta() <= m_delta ? 0 : std::numeric_limits<double>::infinity();
}

} // namespace dlearn
} // namespace ns3
