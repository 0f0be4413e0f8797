/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-round-policy.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/double.h"

#include <cmath>

namespace ns3::dlearn
{

DLEARN_TYPE_WITHOUT_ATTRIBUTES(RoundPolicy, Object);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(AllPolicy, RoundPolicy);
NS_OBJECT_ENSURE_REGISTERED(DeadlinePolicy);
NS_OBJECT_ENSURE_REGISTERED(QuorumPolicy);
NS_OBJECT_ENSURE_REGISTERED(AsynchronousPolicy);

bool
RoundPolicy::ShouldClose(const RoundStatus& status) const
{
    return (status.waitable == 0 && !IsAsynchronous()) || DoShouldClose(status);
}

uint32_t
RoundPolicy::CountEnough(uint32_t expected) const
{
    RoundStatus status;
    status.expected = expected;
    for (; status.received < expected; ++status.received)
    {
        status.waitable = expected - status.received;
        if (ShouldClose(status))
        {
            break;
        }
    }
    return status.received;
}

bool
AllPolicy::DoShouldClose(const RoundStatus& /* status */) const
{
    return false;
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
QuorumPolicy::DoShouldClose(const RoundStatus& status) const
{
    // The tolerance keeps 0.3 of 10 at 3 in spite of binary fractions.
    return status.received >= std::ceil(m_fraction * status.expected - 1e-9);
}

Time
QuorumPolicy::GetDeadline() const
{
    return Time(0);
}

TypeId
AsynchronousPolicy::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::AsynchronousPolicy")
            .SetParent<RoundPolicy>()
            .SetGroupName("Dlearn")
            .AddConstructor<AsynchronousPolicy>()
            .AddAttribute("Period",
                          "Shortest time from one round to the next; 0: as long as it computes.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&AsynchronousPolicy::m_period),
                          MakeTimeChecker(Time(0)));
    return tid;
}

bool
AsynchronousPolicy::DoShouldClose(const RoundStatus& status) const
{
    Require(status.elapsed.IsStrictlyPositive() || m_period.IsStrictlyPositive(),
            "AsynchronousPolicy: a round must take some time, but neither computation nor Period "
            "does");
    return status.elapsed >= m_period;
}

} // namespace ns3::dlearn
