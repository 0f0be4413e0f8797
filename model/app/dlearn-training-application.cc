/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-training-application.h"

#include "ns3/dlearn-part.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/log.h"
#include "ns3/socket.h"
#include "ns3/udp-socket-factory.h"

namespace ns3::dlearn
{

DLEARN_TYPE_WITHOUT_ATTRIBUTES(ByzantineBehavior, Object);

NS_LOG_COMPONENT_DEFINE("DlearnTrainingApplication");
NS_OBJECT_ENSURE_REGISTERED(TrainingApplication);

TypeId
TrainingApplication::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<TrainingApplication, LearnerApplication>("ns3::dlearn::TrainingApplication")
            .AddAttribute(
                "Behavior",
                "The attack of a Byzantine learner; none, the default, for an honest one.",
                StringValue(""),
                MakeOptionalPartAccessor(&TrainingApplication::m_behavior,
                                         &TrainingApplication::HasStarted),
                MakePartChecker<ByzantineBehavior>())
            .AddTraceSource("Outbox",
                            "The learner's rule has made the vectors of a round, which an honest "
                            "learner sends at once.",
                            MakeTraceSourceAccessor(&TrainingApplication::m_outboxTrace),
                            "ns3::dlearn::TrainingApplication::OutboxTracedCallback");
    return tid;
}

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
TrainingApplication::StartApplication()
{
    ClaimPart(m_behavior, *this);
    LearnerApplication::StartApplication();
}

int64_t
TrainingApplication::AssignStreams(int64_t stream)
{
    const int64_t used = LearnerApplication::AssignStreams(stream);
    return used + (m_behavior ? m_behavior->AssignStreams(stream + used) : 0);
}

void
TrainingApplication::Publish(uint32_t round, Outbox outbox)
{
    NS_LOG_FUNCTION(this << m_self << round << outbox.size());
    m_outboxTrace(m_self, round, outbox);
    if (m_behavior)
    {
        GetLearnerRule()->SetReleased(); // the behaviour may send anything at any time
        m_publishing = true;
        m_publishedRound = round;
        m_behavior->Deliver({m_self,
                             round,
                             std::move(outbox),
                             {MakeCallback(&TrainingApplication::Send, this),
                              MakeCallback(&TrainingApplication::SendBytes, this),
                              MakeCallback(&TrainingApplication::SendDatagram, this),
                              MakeCallback(&TrainingApplication::Finished, this)}});
        return;
    }
    for (Outgoing& outgoing : outbox)
    {
        OnSent(*GetExchange()->Send(round, std::move(outgoing)));
    }
    OnPublished();
}

void
TrainingApplication::Send(const Outgoing& outgoing)
{
    if (m_publishing)
    {
        OnSent(*GetExchange()->Send(m_publishedRound, outgoing));
    }
}

void
TrainingApplication::SendBytes(const std::vector<LearnerId>& recipients,
                               const std::vector<uint8_t>& bytes)
{
    if (IsRunning())
    {
        GetExchange()->SendBytes(m_publishedRound, recipients, bytes);
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
    NS_LOG_FUNCTION(this << m_self);
    if (m_publishing)
    {
        m_publishing = false;
        OnPublished();
    }
}

void
TrainingApplication::StopPublishing()
{
    NS_LOG_FUNCTION(this << m_self);
    if (m_publishing)
    {
        m_publishing = false;
        m_behavior->Cancel();
    }
}

void
TrainingApplication::NotifyReceived(const MessageSource& source,
                                    uint32_t round,
                                    const Arrival& arrival)
{
    if (m_behavior)
    {
        m_behavior->Receive(source, round, arrival);
    }
}

} // namespace ns3::dlearn
