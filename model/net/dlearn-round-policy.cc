/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-round-policy.h"

#include "ns3/double.h"

#include <cmath>

namespace ns3
{
namespace dlearn
{

NS_OBJECT_ENSURE_REGISTERED(RoundPolicy);
NS_OBJECT_ENSURE_REGISTERED(AllPolicy);
NS_OBJECT_ENSURE_REGISTERED(DeadlinePolicy);
NS_OBJECT_ENSURE_REGISTERED(QuorumPolicy);

TypeId
RoundPolicy::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::RoundPolicy").SetParent<Object>().SetGroupName("Dlearn");
    return tid;
}

TypeId
AllPolicy::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::AllPolicy")
                            .SetParent<RoundPolicy>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<AllPolicy>();
    return tid;
}

bool
AllPolicy::ShouldClose(const RoundStatus& status) const
{
    return status.waitable == 0;
}

Time
AllPolicy::GetDeadline() const
{
    return Time(0);
}

TypeId
DeadlinePolicy::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::DeadlinePolicy")
            .SetParent<RoundPolicy>()
            .SetGroupName("Dlearn")
            .AddConstructor<DeadlinePolicy>()
            .AddAttribute("Deadline",
                          "Longest time that a round stays open, compute time included.",
                          TimeValue(MilliSeconds(100)),
                          MakeTimeAccessor(&DeadlinePolicy::m_deadline),
                          MakeTimeChecker(NanoSeconds(1)));
    return tid;
}

bool
DeadlinePolicy::ShouldClose(const RoundStatus& status) const
{
    return status.waitable == 0 || status.elapsed >= m_deadline;
}

Time
DeadlinePolicy::GetDeadline() const
{
    return m_deadline;
}

TypeId
QuorumPolicy::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::QuorumPolicy")
                            .SetParent<RoundPolicy>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<QuorumPolicy>()
                            .AddAttribute("Fraction",
                                          "Share of the expected messages that is enough.",
                                          DoubleValue(0.5),
                                          MakeDoubleAccessor(&QuorumPolicy::m_fraction),
                                          MakeDoubleChecker<double>(0, 1));
    return tid;
}

bool
QuorumPolicy::ShouldClose(const RoundStatus& status) const
{
    // The tolerance keeps 0.3 of 10 at 3 in spite of binary fractions.
    return status.waitable == 0 ||
           status.received >= std::ceil(m_fraction * status.expected - 1e-9);
}

Time
QuorumPolicy::GetDeadline() const
{
    return Time(0);
}

} // namespace dlearn
} // namespace ns3
