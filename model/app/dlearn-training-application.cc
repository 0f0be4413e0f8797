/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-training-application.h"

#include "ns3/socket.h"
#include "ns3/udp-socket-factory.h"

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(TrainingApplication);

TypeId
TrainingApplication::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::TrainingApplication")
            .SetParent<LearnerApplication>()
            .SetGroupName("Dlearn")
            .AddTraceSource("Outbox",
                            "The learner's rule has made the vectors of a round, which an honest "
                            "learner sends at once.",
                            MakeTraceSourceAccessor(&TrainingApplication::m_outboxTrace),
                            "ns3::dlearn::TrainingApplication::OutboxTracedCallback");
    return tid;
}

TrainingApplication::TrainingApplication() = default;

TrainingApplication::~TrainingApplication() = default;

void
TrainingApplication::DoDispose()
{
    if (m_behavior)
    {
        m_behavior->Dispose();
    }
    m_behavior = nullptr;
    LearnerApplication::DoDispose();
}

void
TrainingApplication::SetBehavior(Ptr<LearnerBehavior> behavior)
{
    m_behavior = behavior;
}

Ptr<LearnerBehavior>
TrainingApplication::GetBehavior() const
{
    return m_behavior;
}

bool
TrainingApplication::IsByzantine() const
{
    return m_behavior != nullptr;
}

bool
TrainingApplication::IsHandingOver() const
{
    return m_handingOver;
}

void
TrainingApplication::HandOver(uint32_t round, Outbox outbox)
{
    const State state = GetState();
    m_outboxTrace(m_self, round, outbox);
    if (GetState() != state)
    {
        return; // whoever listens to the trace stopped the learner
    }
    if (m_behavior)
    {
        GetLearnerRule()->SetObserved(); // when and as what a vector leaves is up to the behaviour
        m_handingOver = true;
        m_handedRound = round;
        m_behavior->Deliver(m_self,
                            round,
                            outbox,
                            {MakeCallback(&TrainingApplication::Send, this),
                             MakeCallback(&TrainingApplication::SendBytes, this),
                             MakeCallback(&TrainingApplication::SendDatagram, this),
                             MakeCallback(&TrainingApplication::Finished, this)});
        return;
    }
    for (Outgoing& outgoing : outbox)
    {
        GetExchange()->Send(round, std::move(outgoing));
    }
    HandedOver();
}

void
TrainingApplication::Send(const Outgoing& outgoing)
{
    if (m_handingOver)
    {
        GetExchange()->Send(m_handedRound, outgoing);
    }
}

void
TrainingApplication::SendBytes(const std::vector<LearnerId>& recipients,
                               const std::vector<uint8_t>& bytes)
{
    if (IsRunning())
    {
        GetExchange()->SendBytes(m_handedRound, recipients, bytes);
    }
}

void
TrainingApplication::SendDatagram(const Address& to, const std::vector<uint8_t>& bytes)
{
    if (IsRunning())
    {
        const auto socket = Socket::CreateSocket(GetNode(), UdpSocketFactory::GetTypeId());
        socket->Bind();
        socket->SendTo(Create<Packet>(bytes.data(), bytes.size()), 0, to);
        socket->Close();
    }
}

void
TrainingApplication::Finished()
{
    if (m_handingOver)
    {
        m_handingOver = false;
        HandedOver();
    }
}

void
TrainingApplication::StopHandingOver()
{
    if (m_handingOver)
    {
        m_handingOver = false;
        m_behavior->Cancel();
    }
}

void
TrainingApplication::Overhear(const RoundWindow::Source& source,
                              uint32_t round,
                              const Arrival& arrival)
{
    if (m_behavior)
    {
        m_behavior->Receive(source, round, arrival);
    }
}

} // namespace ns3::dlearn
