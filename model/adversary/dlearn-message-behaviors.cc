/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-message-behaviors.h"

#include "ns3/dlearn-type-id.h"
#include "ns3/double.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <utility>

namespace ns3::dlearn
{

DLEARN_TYPE_WITHOUT_ATTRIBUTES(HonestBehavior, ByzantineBehavior);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(SilentBehavior, ByzantineBehavior);
NS_OBJECT_ENSURE_REGISTERED(DelayBehavior);
NS_OBJECT_ENSURE_REGISTERED(ReplayBehavior);
NS_OBJECT_ENSURE_REGISTERED(ScaleBehavior);
NS_OBJECT_ENSURE_REGISTERED(FloodBehavior);
NS_OBJECT_ENSURE_REGISTERED(EquivocateBehavior);

namespace
{

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

void
HonestBehavior::Deliver(const AttackContext& context)
{
    SendAll(context.outbox, context.port);
}

TypeId
DelayBehavior::GetTypeId()
{
    static TypeId tid = MakeTypeId<DelayBehavior, ByzantineBehavior>("ns3::dlearn::DelayBehavior")
                            .AddAttribute("Delay",
                                          "Time from computing the vectors to sending them.",
                                          TimeValue(MilliSeconds(100)),
                                          MakeTimeAccessor(&DelayBehavior::m_delay),
                                          MakeTimeChecker(Time(0)));
    return tid;
}

void
DelayBehavior::DoDispose()
{
    Cancel();
    ByzantineBehavior::DoDispose();
}

void
DelayBehavior::Deliver(const AttackContext& context)
{
    m_event = Simulator::Schedule(m_delay, &SendAll, context.outbox, context.port);
}

TypeId
ReplayBehavior::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<ReplayBehavior, ByzantineBehavior>("ns3::dlearn::ReplayBehavior")
            .AddAttribute("Age",
                          "Age of the vectors that are sent, in rounds of the attacker.",
                          UintegerValue(5),
                          MakeUintegerAccessor(&ReplayBehavior::m_age),
                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

void
ReplayBehavior::Deliver(const AttackContext& context)
{
    m_past[m_made++] = context.outbox;
    if (m_past.size() > uint64_t{m_age} + 1)
    {
        m_past.erase(m_past.begin());
    }
    const bool enough = m_past.size() == uint64_t{m_age} + 1;
    SendAll(enough ? m_past.begin()->second : context.outbox, context.port);
}

TypeId
ScaleBehavior::GetTypeId()
{
    static TypeId tid = MakeTypeId<ScaleBehavior, ByzantineBehavior>("ns3::dlearn::ScaleBehavior")
                            .AddAttribute("Factor",
                                          "Factor on the vector that is sent: the number of "
                                          "clients replaces a mean, 0 is a free rider.",
                                          DoubleValue(10),
                                          MakeDoubleAccessor(&ScaleBehavior::m_factor),
                                          MakeDoubleChecker<double>());
    return tid;
}

void
ScaleBehavior::Deliver(const AttackContext& context)
{
    Outbox scaled = context.outbox;
    for (Outgoing& outgoing : scaled)
    {
        outgoing.values *= m_factor;
    }
    SendAll(scaled, context.port);
}

TypeId
FloodBehavior::GetTypeId()
{
    static TypeId tid = MakeTypeId<FloodBehavior, ByzantineBehavior>("ns3::dlearn::FloodBehavior")
                            .AddAttribute("Copies",
                                          "Messages sent instead of one.",
                                          UintegerValue(10),
                                          MakeUintegerAccessor(&FloodBehavior::m_copies),
                                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

void
FloodBehavior::Deliver(const AttackContext& context)
{
    for (uint32_t copy = 0; copy < m_copies; ++copy)
    {
        for (const Outgoing& outgoing : context.outbox)
        {
            // All differ, so that it would show when a receiver takes a later one.
            context.port.send({outgoing.channel,
                               outgoing.recipients,
                               (copy + 1.0) * outgoing.values,
                               outgoing.figures});
        }
    }
    context.port.done();
}

TypeId
EquivocateBehavior::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<EquivocateBehavior, ByzantineBehavior>("ns3::dlearn::EquivocateBehavior")
            .AddAttribute("Scale",
                          "Distance of the forged vectors from the true one: "
                          "standard deviation of each entry, at least 0.",
                          DoubleValue(1.0),
                          MakeDoubleAccessor(&EquivocateBehavior::m_scale),
                          MakeDoubleChecker<double>(0.0));
    return tid;
}

void
EquivocateBehavior::Deliver(const AttackContext& context)
{
    for (const Outgoing& outgoing : context.outbox)
    {
        if (m_direction.size() == 0)
        {
            m_direction = ModelVector::NullaryExpr(outgoing.values.size(), [this](Eigen::Index) {
                return m_random->GetValue();
            });
        }
        Outgoing messages[2]; // one for each half of the recipients
        for (size_t k = 0; k < outgoing.recipients.size(); ++k)
        {
            messages[k % 2].recipients.push_back(outgoing.recipients[k]);
        }
        for (const int half : {0, 1})
        {
            messages[half].channel = outgoing.channel;
            messages[half].figures = outgoing.figures;
            messages[half].values = outgoing.values + (half == 0 ? 1 : -1) * m_scale * m_direction;
            if (!messages[half].recipients.empty())
            {
                context.port.send(messages[half]);
            }
        }
    }
    context.port.done();
}

} // namespace ns3::dlearn
