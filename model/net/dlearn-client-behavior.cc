/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-client-behavior.h"

#include "ns3/simulator.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace dlearn
{

NS_OBJECT_ENSURE_REGISTERED(ClientBehavior);
NS_OBJECT_ENSURE_REGISTERED(SilentBehavior);
NS_OBJECT_ENSURE_REGISTERED(DelayingBehavior);
NS_OBJECT_ENSURE_REGISTERED(ReplayingBehavior);
NS_OBJECT_ENSURE_REGISTERED(FloodingBehavior);

TypeId
ClientBehavior::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::ClientBehavior").SetParent<Object>().SetGroupName("Dlearn");
    return tid;
}

void
ClientBehavior::Cancel()
{
}

TypeId
SilentBehavior::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::SilentBehavior")
                            .SetParent<ClientBehavior>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<SilentBehavior>();
    return tid;
}

void
SilentBehavior::Deliver(LearnerId /* client */,
                        uint32_t /* round */,
                        const ModelVector& /* update */,
                        SendCallback /* send */,
                        DoneCallback done)
{
    done();
}

TypeId
DelayingBehavior::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::DelayingBehavior")
                            .SetParent<ClientBehavior>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<DelayingBehavior>()
                            .AddAttribute("Delay",
                                          "Time between having the update and sending it.",
                                          TimeValue(MilliSeconds(100)),
                                          MakeTimeAccessor(&DelayingBehavior::m_delay),
                                          MakeTimeChecker(Time(0)));
    return tid;
}

void
DelayingBehavior::DoDispose()
{
    Cancel();
    ClientBehavior::DoDispose();
}

void
DelayingBehavior::Deliver(LearnerId /* client */,
                          uint32_t /* round */,
                          const ModelVector& update,
                          SendCallback send,
                          DoneCallback done)
{
    m_event = Simulator::Schedule(m_delay, [update, send, done]() {
        send(update);
        done();
    });
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
                            .SetParent<ClientBehavior>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<ReplayingBehavior>()
                            .AddAttribute("Age",
                                          "How many of its own updates ago it was made.",
                                          UintegerValue(5),
                                          MakeUintegerAccessor(&ReplayingBehavior::m_age),
                                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

void
ReplayingBehavior::Deliver(LearnerId /* client */,
                           uint32_t /* round */,
                           const ModelVector& update,
                           SendCallback send,
                           DoneCallback done)
{
    m_past[m_made++] = update;
    if (m_past.size() > uint64_t{m_age} + 1)
    {
        m_past.erase(m_past.begin());
    }
    const bool enough = m_past.size() == uint64_t{m_age} + 1;
    send(enough ? m_past.begin()->second : update);
    done();
}

TypeId
FloodingBehavior::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::FloodingBehavior")
                            .SetParent<ClientBehavior>()
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
FloodingBehavior::Deliver(LearnerId /* client */,
                          uint32_t /* round */,
                          const ModelVector& update,
                          SendCallback send,
                          DoneCallback done)
{
    for (uint32_t copy = 0; copy < m_copies; ++copy)
    {
        send((copy + 1.0) * update); // no two alike: a server that takes a later one would show
    }
    done();
}

} // namespace dlearn
} // namespace ns3
