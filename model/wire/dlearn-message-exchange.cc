/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-message-exchange.h"

#include "dlearn-udp-transport.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-fixed-accessor.h"
#include "ns3/dlearn-part.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/log.h"
#include "ns3/pointer.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <iterator>

namespace ns3::dlearn
{

namespace
{

/// Streams of transports are far from all others, so that their draws do not depend on it.
constexpr int64_t TRANSPORT_STREAMS = int64_t{1} << 29;
constexpr int64_t AIR_STREAMS = TRANSPORT_STREAMS + (int64_t{1} << 28);

} // namespace

NS_LOG_COMPONENT_DEFINE("DlearnMessageExchange");
NS_OBJECT_ENSURE_REGISTERED(MessageExchange);

TypeId
MessageExchange::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<MessageExchange, Object>("ns3::dlearn::MessageExchange")
            .AddAttribute(
                "Transport",
                "Carries the fragments.",
                TypeIdValue(UdpTransport::GetTypeId()),
                MakePartAccessor(&MessageExchange::m_transport, &MessageExchange::IsSetUp),
                MakePartChecker<Transport>())
            .AddAttribute("FloatBits",
                          "Bits of a number on the wire: 16, 32 or 64.",
                          UintegerValue(32),
                          MakeFixedAccessor(MakeUintegerAccessor(&MessageExchange::m_floatBits),
                                            &MessageExchange::IsSetUp),
                          MakeUintegerChecker<uint8_t>(16, 64))
            .AddAttribute(
                "Compressor",
                "Makes vectors smaller; ns3::dlearn::Compressor itself: no compression.",
                TypeIdValue(Compressor::GetTypeId()),
                MakeOptionalPartAccessor(&MessageExchange::m_compressor, &MessageExchange::IsSetUp),
                MakePartChecker<Compressor>())
            .AddAttribute(
                "ErrorFeedback",
                "Whether the error of compression or rounding of a vector is added to the "
                "next one of its channel.",
                BooleanValue(false),
                MakeFixedAccessor(MakeBooleanAccessor(&MessageExchange::m_errorFeedback),
                                  &MessageExchange::IsSetUp),
                MakeBooleanChecker())
            .AddAttribute(
                "UnfinishedLimit",
                "Unfinished messages that are kept of each sender.",
                UintegerValue(8),
                MakeFixedAccessor(MakeUintegerAccessor(&MessageExchange::m_unfinishedLimit),
                                  &MessageExchange::IsSetUp),
                MakeUintegerChecker<uint32_t>(1))
            .AddAttribute(
                "Air",
                "The ns3::dlearn::MultipleAccessChannel on which updates add up, for clients and "
                "their server; by default none, and updates are packets.",
                PointerValue(),
                MakeGivenPartAccessor(&MessageExchange::m_air, &MessageExchange::IsSetUp),
                MakePartChecker<MultipleAccessChannel>())
            .AddTraceSource("Radiation",
                            "A message begins to leave on the air: the joules that it radiates.",
                            MakeTraceSourceAccessor(&MessageExchange::m_radiationTrace),
                            "ns3::dlearn::MessageExchange::RadiationTracedCallback")
            .AddTraceSource("MessageTx",
                            "The first byte of a message was handed to a socket.",
                            MakeTraceSourceAccessor(&MessageExchange::m_messageTxTrace),
                            "ns3::dlearn::MessageExchange::MessageTracedCallback")
            .AddTraceSource("MessageWithdrawn",
                            "No byte of a message has left, and none will.",
                            MakeTraceSourceAccessor(&MessageExchange::m_messageWithdrawnTrace),
                            "ns3::dlearn::MessageExchange::MessageTracedCallback");
    return tid;
}

void
MessageExchange::DoDispose()
{
    m_receiver.SetSink(ClassifyCallback(), OfferCallback());
    if (m_transport)
    {
        m_transport->Dispose();
        m_transport = nullptr;
    }
    m_compressor = nullptr;
    m_air = nullptr;
    Object::DoDispose();
}

void
MessageExchange::Setup(Ptr<Node> node,
                       LearnerId self,
                       const Transport::Peers& peers,
                       uint32_t dimension)
{
    NS_LOG_FUNCTION(this << node << self << peers.size() << dimension);
    ClaimPart(m_transport, *this);
    ClaimPart(m_compressor, *this);
    m_encoder.Setup({m_floatBits, m_compressor, m_errorFeedback, m_corrected}, self, dimension);
    m_self = self;
    m_receiver.Setup(self,
                     m_unfinishedLimit,
                     {[this](ModelChannel channel) { return m_encoder.GetLength(channel); },
                      [this](ModelChannel channel) { return m_encoder.CountFigures(channel); },
                      [this] { return m_transport->RepeatsFragments(); }});
    m_transport->Setup(node, self, peers);
    m_transport->SetCallbacks(MakeCallback(&MessageReceiver::HandleFragment, &m_receiver),
                              MakeCallback(&MessageReceiver::HandleMalformed, &m_receiver));
    m_transport->SetRepairCallbacks(MakeCallback(&MessageReceiver::FindMissing, &m_receiver),
                                    MakeCallback(&MessageReceiver::CopyBytes, &m_receiver));
    m_transport->TraceConnectWithoutContext("Departure",
                                            MakeCallback(&MessageExchange::HandleDeparture, this));
    if (m_air)
    {
        Require(!m_compressor ||
                    (m_air->IsProjecting() && DynamicCast<SparseCompressor>(m_compressor)),
                "MessageExchange: on the air updates are not encoded, so that Compressor must be "
                "none, or a sparse one with Projection of the air below 1, got {}",
                m_compressor ? m_compressor->GetInstanceTypeId().GetName() : "");
        m_air->Attach(self, node, [this](const EncodedMessage& message, double joules) {
            HandleRadiation(message, joules);
        });
    }
}

void
MessageExchange::SetFormat(ModelChannel channel, const MessageFormat& format)
{
    Require(!m_air || channel != ModelChannel::UPDATE || format.figures.empty(),
            "MessageExchange: on the air updates have no figures, got {}",
            JoinNames(format.figures));
    m_encoder.SetFormat(channel, format);
}

MessageExchange::MessageSize
MessageExchange::GetMessageSize(ModelChannel channel) const
{
    const uint64_t payload = m_encoder.GetPayloadSize(channel);
    const uint64_t fragments = (payload - 1) / m_transport->GetFragmentSize() + 1;
    MessageSize size;
    size.bytes = payload + fragments * ModelHeader::SIZE;
    size.packets = (size.bytes - 1) / m_transport->GetPacketSize() + 1;
    return size;
}

int64_t
MessageExchange::AssignStreams(int64_t stream)
{
    const int64_t used = m_compressor ? m_compressor->AssignStreams(stream) : 0;
    m_transport->AssignStreams(TRANSPORT_STREAMS + stream + m_self);
    if (m_air && m_air->IsReceiver(m_self))
    {
        m_air->AssignStreams(AIR_STREAMS + stream);
    }
    return used;
}

void
MessageExchange::Open()
{
    NS_LOG_FUNCTION(this << m_self);
    m_transport->Open();
}

void
MessageExchange::Close()
{
    NS_LOG_FUNCTION(this << m_self);
    m_transport->Close();
    if (m_air)
    {
        m_air->Leave(m_self);
    }
    ForgetWithdrawn();
    m_receiver.Clear();
}

Transport::Message
MessageExchange::Send(uint32_t round, Outgoing outgoing)
{
    NS_LOG_FUNCTION(this << m_self << round << ToString(outgoing.channel)
                         << outgoing.recipients.size() << outgoing.values.size());
    const auto message = m_encoder.Encode(round, outgoing, m_transport->GetFragmentSize());
    Publish(message, outgoing.recipients);
    return message;
}

void
MessageExchange::SendBytes(uint32_t round,
                           const std::vector<LearnerId>& recipients,
                           const std::vector<uint8_t>& bytes)
{
    NS_LOG_FUNCTION(this << m_self << round << recipients.size() << bytes.size());
    Require(!bytes.empty(), "MessageExchange: bytes to send must not be empty");
    Publish(std::make_shared<const EncodedMessage>(round, bytes), recipients);
}

void
MessageExchange::Publish(Transport::Message message, const std::vector<LearnerId>& recipients)
{
    ForgetWithdrawn(); // messages that a full queue gave up
    if (!recipients.empty())
    {
        m_waiting.push_back({message, recipients});
    }
    if (m_air && message->GetChannel() == ModelChannel::UPDATE)
    {
        m_air->Send(m_self, message);
        return;
    }
    m_transport->Send(message, recipients);
}

void
MessageExchange::HandleRadiation(const EncodedMessage& message, double joules)
{
    m_radiated.insert(message.GetRound());
    m_radiationTrace(joules);
    HandleDeparture(message);
}

void
MessageExchange::HandleDeparture(const EncodedMessage& message)
{
    const auto found = std::find_if(m_waiting.begin(), m_waiting.end(), [&](const Waiting& w) {
        return w.message.get() == &message;
    });
    if (found != m_waiting.end())
    {
        const Waiting left = std::move(*found);
        m_waiting.erase(found);
        m_messageTxTrace(message, left.recipients);
    }
}

void
MessageExchange::ForgetWithdrawn()
{
    // The transport keeps every message that it may still send.
    const auto kept =
        std::stable_partition(m_waiting.begin(), m_waiting.end(), [](const Waiting& w) {
            return w.message.use_count() > 1;
        });
    const std::vector<Waiting> withdrawn(std::make_move_iterator(kept),
                                         std::make_move_iterator(m_waiting.end()));
    m_waiting.erase(kept, m_waiting.end());
    for (const Waiting& waiting : withdrawn)
    {
        m_messageWithdrawnTrace(*waiting.message, waiting.recipients);
    }
}

bool
MessageExchange::Settle(uint32_t round)
{
    NS_LOG_FUNCTION(this << m_self << round);
    bool left = m_transport->Settle(round);
    if (m_air)
    {
        m_air->Settle(m_self, round);
        left = m_radiated.erase(round) > 0 || left;
    }
    m_encoder.Settle(round, left);
    ForgetWithdrawn();
    return left;
}

void
MessageExchange::Count(std::map<std::string, uint64_t>& totals) const
{
    m_receiver.Count(totals);
    m_transport->Count(totals);
    if (m_air && m_air->IsReceiver(m_self))
    {
        m_air->Count(totals);
    }
}

} // namespace ns3::dlearn
