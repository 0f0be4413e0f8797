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

/// Longest message in bytes: leaves room for one more fragment, so that offsets do not wrap
/// while sending.
constexpr uint32_t LONGEST = uint32_t{1} << 31;

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
    Require(m_floatBits == 16 || m_floatBits == 32 || m_floatBits == 64,
            "MessageExchange: FloatBits must be 16, 32 or 64, got ",
            +m_floatBits);
    Require(dimension >= 1, "MessageExchange: dimension must be at least 1, got ", dimension);
    m_encoding = m_floatBits == 16   ? Encoding::FLOAT16
                 : m_floatBits == 32 ? Encoding::FLOAT32
                                     : Encoding::FLOAT64;
    const uint32_t longest = LONGEST / GetNumberSize(m_encoding);
    Require(dimension <= longest,
            "MessageExchange: dimension must be at most ",
            longest,
            ", got ",
            dimension);
    ClaimPart(m_transport, *this);
    ClaimPart(m_compressor, *this);
    if (m_compressor)
    {
        m_compressor->Setup(dimension, m_encoding, m_errorFeedback);
        Require(m_compressor->GetPackedSize() <= LONGEST,
                "MessageExchange: a compressed vector must have at most ",
                LONGEST,
                " bytes, got ",
                m_compressor->GetPackedSize());
    }
    m_self = self;
    m_dimension = dimension;
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
    const uint32_t longest = LONGEST / sizeof(double);
    Require(length >= 1 && length <= longest,
            "MessageExchange: length of a vector must be from 1 to ",
            longest,
            ", got ",
            length);
    m_lengths[channel] = length;
}

uint32_t
MessageExchange::GetLength(ModelChannel channel) const
{
    const auto found = m_lengths.find(channel);
    return found == m_lengths.end() ? m_dimension : found->second;
}

MessageExchange::MessageSize
MessageExchange::GetMessageSize(ModelChannel channel) const
{
    const bool packed = m_compressor && m_lengths.count(channel) == 0;
    const uint64_t payload =
        packed ? m_compressor->GetPackedSize()
               : static_cast<uint64_t>(GetLength(channel)) * GetNumberSize(m_encoding);
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
    RequireSize("MessageExchange",
                "outgoing vector",
                outgoing.values.size(),
                GetLength(outgoing.channel));
    if (!m_errorFeedback || m_lengths.count(outgoing.channel) > 0)
    {
        Publish(Encode(round, outgoing), outgoing.recipients);
        return;
    }
    Feedback& feedback = m_feedback[outgoing.channel];
    if (feedback.round != round)
    {
        feedback.before = feedback.error;
        feedback.round = round;
    }
    feedback.error.Correct(outgoing.values);
    const ModelVector wanted = outgoing.values;
    const auto message = Encode(round, outgoing);
    feedback.error.Keep(wanted, message->Decode());
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

std::shared_ptr<const EncodedMessage>
MessageExchange::Encode(uint32_t round, Outgoing& outgoing)
{
    const uint32_t fragmentSize = m_transport->GetFragmentSize();
    if (m_compressor && m_lengths.count(outgoing.channel) == 0)
    {
        return std::make_shared<const EncodedMessage>(m_self,
                                                      round,
                                                      outgoing.channel,
                                                      m_compressor->Compress(outgoing.values),
                                                      m_dimension,
                                                      fragmentSize);
    }
    return std::make_shared<const EncodedMessage>(m_self,
                                                  round,
                                                  outgoing.channel,
                                                  m_encoding,
                                                  std::move(outgoing.values),
                                                  fragmentSize);
}

bool
MessageExchange::Settle(uint32_t round)
{
    NS_LOG_FUNCTION(this << m_self << round);
    const bool left = m_transport->Settle(round);
    for (auto& [channel, feedback] : m_feedback)
    {
        if (feedback.round == round)
        {
            if (!left)
            {
                feedback.error = feedback.before; // as if the vectors had never been
            }
            feedback.round.reset();
        }
    }
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
        if (header.fragmentOffset == 0)
        {
            std::optional<Arrival> nothing;
            m_offer(source, header.round, nothing); // tell once a message, not a fragment
        }
        return;
    }
    if (header.vectorLength != GetLength(header.channel))
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
MessageExchange::VisitState(StateArchive& archive)
{
    bool open = m_open;
    archive(open);
    if (open != m_open)
    {
        open ? Open() : Close();
    }
    archive(*m_assembler, m_feedback, m_counters, m_transport, m_compressor);
}

} // namespace ns3::dlearn
