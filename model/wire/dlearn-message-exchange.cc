/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-message-exchange.h"

#include "dlearn-udp-transport.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-part.h"
#include "ns3/dlearn-state-archive.h"
#include "ns3/log.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <iterator>

namespace ns3::dlearn
{

namespace
{

/// Streams of transports are far from all others, whose draws do not depend on the transport then.
constexpr int64_t TRANSPORT_STREAMS = int64_t{1} << 29;

} // namespace

NS_LOG_COMPONENT_DEFINE("DlearnMessageExchange");
NS_OBJECT_ENSURE_REGISTERED(MessageExchange);
DLEARN_STATE_ENSURE_REGISTERED(MessageExchange);

TypeId
MessageExchange::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::MessageExchange")
            .SetParent<Object>()
            .SetGroupName("Dlearn")
            .AddConstructor<MessageExchange>()
            .AddAttribute(
                "Transport",
                "What carries the fragments.",
                TypeIdValue(UdpTransport::GetTypeId()),
                MakePartAccessor(&MessageExchange::m_transport, &MessageExchange::IsSetUp),
                MakePartChecker<Transport>())
            .AddAttribute("FloatBits",
                          "Bits of a number on the wire: 16, 32 or 64.",
                          UintegerValue(32),
                          MakeUintegerAccessor(&MessageExchange::m_floatBits),
                          MakeUintegerChecker<uint8_t>(16, 64))
            .AddAttribute(
                "Compressor",
                "What makes vectors smaller; ns3::dlearn::Compressor itself for nothing.",
                TypeIdValue(Compressor::GetTypeId()),
                MakeOptionalPartAccessor(&MessageExchange::m_compressor, &MessageExchange::IsSetUp),
                MakePartChecker<Compressor>())
            .AddAttribute("ErrorFeedback",
                          "Whether what compression or rounding took from a "
                          "vector is added to the next one of its channel.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&MessageExchange::m_errorFeedback),
                          MakeBooleanChecker())
            .AddAttribute("UnfinishedLimit",
                          "Unfinished messages that are kept of each sender.",
                          UintegerValue(8),
                          MakeUintegerAccessor(&MessageExchange::m_unfinishedLimit),
                          MakeUintegerChecker<uint32_t>(1))
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
    m_classify = ClassifyCallback();
    m_offer = OfferCallback();
    if (m_transport)
    {
        m_transport->Dispose();
        m_transport = nullptr;
    }
    m_compressor = nullptr;
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
    m_encoder.Setup({m_floatBits, m_compressor, m_errorFeedback}, self, dimension);
    m_self = self;
    m_assembler.emplace(m_unfinishedLimit);
    m_transport->Setup(node, self, peers);
    m_transport->SetCallbacks(MakeCallback(&MessageExchange::HandleFragment, this),
                              MakeCallback(&MessageExchange::HandleMalformed, this));
    m_transport->SetRepairCallbacks(MakeCallback(&MessageExchange::FindMissing, this),
                                    MakeCallback(&MessageExchange::CopyBytes, this));
    m_transport->TraceConnectWithoutContext("Departure",
                                            MakeCallback(&MessageExchange::HandleDeparture, this));
}

void
MessageExchange::SetLength(ModelChannel channel, uint32_t length)
{
    m_encoder.SetLength(channel, length);
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

bool
MessageExchange::IsSetUp() const
{
    return m_assembler.has_value();
}

int64_t
MessageExchange::AssignStreams(int64_t stream)
{
    const int64_t used = m_compressor ? m_compressor->AssignStreams(stream) : 0;
    m_transport->AssignStreams(TRANSPORT_STREAMS + stream + m_self);
    return used;
}

void
MessageExchange::SetSink(ClassifyCallback classify, OfferCallback offer)
{
    m_classify = classify;
    m_offer = offer;
}

void
MessageExchange::PreferNewest()
{
    m_transport->PreferNewest();
}

void
MessageExchange::Open()
{
    NS_LOG_FUNCTION(this << m_self);
    m_transport->Open();
    m_open = true;
}

void
MessageExchange::Close()
{
    NS_LOG_FUNCTION(this << m_self);
    m_transport->Close();
    m_open = false;
    ForgetWithdrawn();
    m_assembler->Clear();
}

void
MessageExchange::Send(uint32_t round, Outgoing outgoing)
{
    NS_LOG_FUNCTION(this << m_self << round << ToString(outgoing.channel)
                         << outgoing.recipients.size() << outgoing.values.size());
    const auto message = m_encoder.Encode(round, outgoing, m_transport->GetFragmentSize());
    Publish(message, outgoing.recipients);
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
    ForgetWithdrawn(); // what a full queue gave up
    if (!recipients.empty())
    {
        m_waiting.push_back({message, recipients});
    }
    m_transport->Send(message, recipients);
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
    // The transport keeps every message of which it may still send something.
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
    const bool left = m_transport->Settle(round);
    m_encoder.Settle(round, left);
    ForgetWithdrawn();
    return left;
}

void
MessageExchange::HandleFragment(std::optional<LearnerId> from,
                                const ModelHeader& header,
                                const uint8_t* payload)
{
    NS_LOG_FUNCTION(this << m_self << header.sender << header.round << header.fragmentOffset);
    if (from != header.sender)
    {
        NS_LOG_INFO("learner " << m_self << " refuses a fragment that claims to be of learner "
                               << header.sender);
        ++(from ? m_counters.wrongSender : m_counters.unknownSender);
        return;
    }
    const Source source{header.sender, header.channel};
    const Disposition disposition = m_classify(source, header.round);
    // What is too early can not be used, but when it is whole it tells where the sender is.
    const bool wanted =
        disposition != Disposition::DUPLICATE && disposition != Disposition::UNEXPECTED;
    if (!wanted)
    {
        ++m_counters.unwanted;
        const bool repair =
            disposition == Disposition::DUPLICATE && m_transport->RepeatsFragments();
        if (header.fragmentOffset == 0 && !repair)
        {
            std::optional<Arrival> nothing;
            m_offer(source, header.round, nothing); // tell once a message, not a fragment
        }
        return;
    }
    if (header.vectorLength != m_encoder.GetLength(header.channel))
    {
        NS_LOG_INFO("learner " << m_self << " refuses a vector of " << header.vectorLength
                               << " entries from learner " << header.sender);
        ++m_counters.wrongLength;
        std::optional<Arrival> nothing;
        m_offer(source, header.round, nothing);
        return;
    }
    const auto result = m_assembler->Add(header, payload);
    if (result == MessageAssembler::Result::CONTRADICTORY)
    {
        ++m_counters.contradictory;
    }
    if (result != MessageAssembler::Result::COMPLETE)
    {
        return;
    }
    const MessageAssembler::Key key{header.sender, header.channel, header.round};
    const bool usable = IsUsable(key);
    auto arrival = m_assembler->Take(key);
    if (!usable)
    {
        arrival = std::nullopt;
    }
    m_offer(source, header.round, arrival);
}

void
MessageExchange::HandleMalformed(uint32_t size)
{
    NS_LOG_INFO("learner " << m_self << " refuses " << size << " malformed bytes");
    ++m_counters.malformed;
}

std::vector<ByteRange>
MessageExchange::FindMissing(LearnerId from, ModelChannel channel, uint32_t round, uint32_t length)
{
    const Disposition disposition = m_classify({from, channel}, round);
    if (disposition != Disposition::ON_TIME && disposition != Disposition::EARLY)
    {
        return {};
    }
    return m_assembler->GetMissing({from, channel, round}, length);
}

std::vector<uint8_t>
MessageExchange::CopyBytes(LearnerId from, ModelChannel channel, uint32_t round, ByteRange range)
{
    return m_assembler->CopyBytes({from, channel, round}, range);
}

std::optional<Arrival>
MessageExchange::TakePartial(const Source& source, uint32_t round)
{
    const MessageAssembler::Key key{source.first, source.second, round};
    const bool usable = IsUsable(key);
    auto arrival = m_assembler->Take(key);
    return usable ? std::move(arrival) : std::nullopt;
}

bool
MessageExchange::IsUsable(const MessageAssembler::Key& key)
{
    const auto flaw = m_assembler->GetFlaw(key);
    m_counters.undecodable += flaw == MessageAssembler::Flaw::UNDECODABLE ? 1 : 0;
    m_counters.notFinite += flaw == MessageAssembler::Flaw::NOT_FINITE ? 1 : 0;
    return flaw == MessageAssembler::Flaw::NONE;
}

uint64_t
MessageExchange::GetEvicted() const
{
    return m_assembler ? m_assembler->GetEvicted() : 0;
}

void
MessageExchange::Count(std::map<std::string, uint64_t>& totals) const
{
    totals["malformed"] += m_counters.malformed;
    totals["unknown_sender"] += m_counters.unknownSender;
    totals["wrong_sender"] += m_counters.wrongSender;
    totals["contradictory_fragments"] += m_counters.contradictory;
    totals["unwanted_fragments"] += m_counters.unwanted;
    totals["wrong_length_fragments"] += m_counters.wrongLength;
    totals["not_finite"] += m_counters.notFinite;
    totals["undecodable"] += m_counters.undecodable;
    totals["evicted"] += GetEvicted();
    m_transport->Count(totals);
}

void
MessageExchange::VisitState(StateArchive& archive)
{
    bool open = m_open;
    archive(open);
    if (open != m_open)
    {
        open ? Open() : Close();
    }
    archive(*m_assembler, m_encoder, m_counters, m_transport, m_compressor);
}

} // namespace ns3::dlearn
