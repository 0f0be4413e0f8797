/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-staleness-policy.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <cmath>

namespace ns3::dlearn
{

DLEARN_TYPE_WITHOUT_ATTRIBUTES(StalenessPolicy, Object);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(DiscardStale, StalenessPolicy);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(ConstantStaleness, StalenessPolicy);
NS_OBJECT_ENSURE_REGISTERED(PolynomialStaleness);
NS_OBJECT_ENSURE_REGISTERED(HingeStaleness);

void
StalenessPolicy::CheckAttributes() const
{
}

double
ConstantStaleness::GetWeight(uint32_t /* staleness */) const
{
    return 1;
}

TypeId
PolynomialStaleness::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::PolynomialStaleness")
                            .SetParent<StalenessPolicy>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<PolynomialStaleness>()
                            .AddAttribute("Exponent",
                                          "How fast the weight falls, at least 0.",
                                          DoubleValue(0.5),
                                          MakeDoubleAccessor(&PolynomialStaleness::m_exponent),
                                          MakeDoubleChecker<double>(0.0));
    return tid;
}

void
PolynomialStaleness::CheckAttributes() const
{
    RequireNonNegative("PolynomialStaleness", "Exponent", m_exponent);
}

double
PolynomialStaleness::GetWeight(uint32_t staleness) const
{
    return std::pow(1.0 + staleness, -m_exponent);
}

TypeId
HingeStaleness::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::HingeStaleness")
            .SetParent<StalenessPolicy>()
            .SetGroupName("Dlearn")
            .AddConstructor<HingeStaleness>()
            .AddAttribute("Limit",
                          "Staleness up to which an update is worth as much as a fresh one.",
                          UintegerValue(4),
                          MakeUintegerAccessor(&HingeStaleness::m_limit),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("Slope",
                          "How fast the weight falls beyond Limit, at least 0.",
                          DoubleValue(10),
                          MakeDoubleAccessor(&HingeStaleness::m_slope),
                          MakeDoubleChecker<double>(0.0));
    return tid;
}

void
HingeStaleness::CheckAttributes() const
{
    RequireNonNegative("HingeStaleness", "Slope", m_slope);
}

} // namespace ns3::dlearn
