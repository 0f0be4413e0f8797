/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-byzantine-behavior.h"

#include "ns3/simulator.h"
#include "ns3/uinteger.h"

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(ByzantineBehavior);
NS_OBJECT_ENSURE_REGISTERED(HonestBehavior);
NS_OBJECT_ENSURE_REGISTERED(SilentBehavior);
NS_OBJECT_ENSURE_REGISTERED(DelayingBehavior);
NS_OBJECT_ENSURE_REGISTERED(ReplayingBehavior);
NS_OBJECT_ENSURE_REGISTERED(FloodingBehavior);

namespace
{

/**
 * Send everything and end the round.
 *
 * @param outbox what
 * @param port sends
 */
void
SendAll(const Outbox& outbox, const SendPort& port)
{
    for (const Outgoing& outgoing : outbox)
    {
        port.send(outgoing);
    }
    port.done();
}

} // namespace

TypeId
ByzantineBehavior::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::ByzantineBehavior").SetParent<Object>().SetGroupName("Dlearn");
    return tid;
}

void
ByzantineBehavior::Cancel()
{
}

void
ByzantineBehavior::Receive(const std::pair<LearnerId, ModelChannel>& /* source */,
                           uint32_t /* round */,
                           const Arrival& /* arrival */)
{
}

int64_t
ByzantineBehavior::AssignStreams(int64_t /* stream */)
{
    return 0;
}

TypeId
HonestBehavior::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::HonestBehavior")
                            .SetParent<ByzantineBehavior>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<HonestBehavior>();
    return tid;
}

void
HonestBehavior::Deliver(LearnerId /* learner */,
                        uint32_t /* round */,
                        const Outbox& outbox,
                        const SendPort& port)
{
    SendAll(outbox, port);
}

TypeId
SilentBehavior::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::SilentBehavior")
                            .SetParent<ByzantineBehavior>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<SilentBehavior>();
    return tid;
}

void
SilentBehavior::Deliver(LearnerId /* learner */,
                        uint32_t /* round */,
                        const Outbox& /* outbox */,
                        const SendPort& port)
{
    port.done();
}

TypeId
DelayingBehavior::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::DelayingBehavior")
                            .SetParent<ByzantineBehavior>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<DelayingBehavior>()
                            .AddAttribute("Delay",
                                          "Time between having the vectors and sending them.",
                                          TimeValue(MilliSeconds(100)),
                                          MakeTimeAccessor(&DelayingBehavior::m_delay),
                                          MakeTimeChecker(Time(0)));
    return tid;
}

void
DelayingBehavior::DoDispose()
{
    Cancel();
    ByzantineBehavior::DoDispose();
}

void
DelayingBehavior::Deliver(LearnerId /* learner */,
                          uint32_t /* round */,
                          const Outbox& outbox,
                          const SendPort& port)
{
    m_event = Simulator::Schedule(m_delay, [outbox, port]() { SendAll(outbox, port); });
}

void
DelayingBehavior::Cancel()
{
    m_event.Cancel();
}

TypeId
ReplayingBehavior::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::ReplayingBehavior")
                            .SetParent<ByzantineBehavior>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<ReplayingBehavior>()
                            .AddAttribute("Age",
                                          "How many of its own rounds ago the vectors were made.",
                                          UintegerValue(5),
                                          MakeUintegerAccessor(&ReplayingBehavior::m_age),
                                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

void
ReplayingBehavior::Deliver(LearnerId /* learner */,
                           uint32_t /* round */,
                           const Outbox& outbox,
                           const SendPort& port)
{
    m_past[m_made++] = outbox;
    if (m_past.size() > uint64_t{m_age} + 1)
    {
        m_past.erase(m_past.begin());
    }
    const bool enough = m_past.size() == uint64_t{m_age} + 1;
    SendAll(enough ? m_past.begin()->second : outbox, port);
}

TypeId
FloodingBehavior::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::FloodingBehavior")
                            .SetParent<ByzantineBehavior>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<FloodingBehavior>()
                            .AddAttribute("Copies",
                                          "Messages sent instead of one.",
                                          UintegerValue(10),
                                          MakeUintegerAccessor(&FloodingBehavior::m_copies),
                                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

void
FloodingBehavior::Deliver(LearnerId /* learner */,
                          uint32_t /* round */,
                          const Outbox& outbox,
                          const SendPort& port)
{
    for (uint32_t copy = 0; copy < m_copies; ++copy)
    {
        for (const Outgoing& outgoing : outbox)
        {
            // No two alike: a receiver that takes a later one would show.
            port.send({outgoing.channel, outgoing.recipients, (copy + 1.0) * outgoing.values});
        }
    }
    port.done();
}

} // namespace ns3::dlearn
