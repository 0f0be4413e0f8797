/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-encoded-message.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-wide-vectors.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace ns3::dlearn
{

namespace
{

/// Longest message in bytes: one more fragment fits, so that offsets do not wrap while sending.
constexpr uint32_t LONGEST = uint32_t{1} << 31;

} // namespace

EncodedMessage::EncodedMessage(LearnerId sender,
                               uint32_t round,
                               ModelChannel channel,
                               Encoding encoding,
                               ModelVector values,
                               uint32_t fragmentSize)
    : m_values(std::move(values)),
      m_fragmentSize(fragmentSize)
{
    m_header.encoding = encoding;
    m_header.channel = channel;
    m_header.round = round;
    m_header.sender = sender;
    m_header.vectorLength = static_cast<uint32_t>(m_values.size());
    m_header.messageLength = m_header.vectorLength * GetNumberSize(encoding);
}

EncodedMessage::EncodedMessage(LearnerId sender,
                               uint32_t round,
                               ModelChannel channel,
                               PackedVector packed,
                               uint32_t dimension,
                               uint32_t fragmentSize)
    : m_packed(std::move(packed)),
      m_fragmentSize(fragmentSize)
{
    m_header.encoding = m_packed.encoding;
    m_header.channel = channel;
    m_header.round = round;
    m_header.sender = sender;
    m_header.vectorLength = dimension;
    m_header.messageLength = static_cast<uint32_t>(m_packed.bytes.size());
}

EncodedMessage::EncodedMessage(uint32_t round, std::vector<uint8_t> bytes)
    : m_bytes(std::move(bytes)),
      m_fragmentSize(m_bytes.size())
{
    m_header.round = round;
    m_header.messageLength = m_bytes.size();
}

void
EncodedMessage::Append(const Figures& figures)
{
    m_header.figures = static_cast<uint8_t>(figures.size());
    m_figures.resize(ModelHeader::FIGURE_SIZE * figures.size());
    m_header.messageLength += m_figures.size();
    EncodeVector(Eigen::Map<const ModelVector>(figures.data(), figures.size()),
                 Encoding::FLOAT64,
                 m_figures.data());
}

Ptr<Packet>
EncodedMessage::CreateFragment(uint32_t index) const
{
    if (!m_bytes.empty())
    {
        return Create<Packet>(m_bytes.data(), m_bytes.size());
    }
    // Not the size of a fragment for each of many short messages that wait.
    m_scratch.resize(ModelHeader::SIZE + std::min(m_fragmentSize, m_header.messageLength));
    ModelHeader header = m_header;
    header.fragmentOffset = index * m_fragmentSize;
    header.payloadLength = std::min(m_fragmentSize, header.messageLength - header.fragmentOffset);
    uint8_t* payload = m_scratch.data() + ModelHeader::SIZE;
    WritePayload(header, payload);
    header.Seal(payload);
    // One copy of header and payload together; AddHeader() would move the payload once more.
    header.Write(m_scratch.data());
    return Create<Packet>(m_scratch.data(), ModelHeader::SIZE + header.payloadLength);
}

void
EncodedMessage::WritePayload(const ModelHeader& header, uint8_t* payload) const
{
    const uint32_t body = header.GetBodyLength();
    const uint32_t begin = std::min(header.fragmentOffset, body);
    const uint32_t length = std::min(header.fragmentOffset + header.payloadLength, body) - begin;
    if (length < header.payloadLength)
    {
        std::copy_n(m_figures.data() + (header.fragmentOffset + length - body),
                    header.payloadLength - length,
                    payload + length);
    }
    if (!IsDense(header.encoding))
    {
        std::copy_n(m_packed.bytes.data() + begin, length, payload);
        return;
    }
    const uint32_t size = GetNumberSize(header.encoding);
    const Eigen::Index first = begin / size;
    const Eigen::Index count = length / size;
    EncodeVector(m_values.segment(first, count), header.encoding, payload);
    // Until the next fragment is to be sent, its numbers come from memory.
    const Eigen::Index next = first + count;
    Prefetch(m_values.data() + next, std::min(count, m_values.size() - next));
}

std::vector<std::vector<uint8_t>>
EncodedMessage::CopyFragments() const
{
    std::vector<std::vector<uint8_t>> fragments;
    for (uint32_t k = 0; k < GetFragments(); ++k)
    {
        const auto packet = CreateFragment(k);
        fragments.emplace_back(packet->GetSize());
        packet->CopyData(fragments.back().data(), fragments.back().size());
    }
    return fragments;
}

ModelVector
EncodedMessage::Decode() const
{
    ModelVector values(m_header.vectorLength);
    if (IsDense(m_header.encoding))
    {
        std::vector<uint8_t> bytes(m_header.GetBodyLength());
        EncodeVector(m_values, m_header.encoding, bytes.data());
        DecodeVector(bytes.data(), m_header.encoding, values);
    }
    else if (!UnpackVector(m_packed, values))
    {
        values.setConstant(std::numeric_limits<double>::quiet_NaN());
    }
    return values;
}

void
MessageEncoder::Setup(const Settings& settings, LearnerId self, uint32_t dimension)
{
    const uint8_t bits = settings.floatBits;
    Require(bits == 16 || bits == 32 || bits == 64,
            "MessageExchange: FloatBits must be 16, 32 or 64, got ",
            +bits);
    Require(dimension >= 1, "MessageExchange: dimension must be at least 1, got ", dimension);
    m_encoding = bits == 16   ? Encoding::FLOAT16
                 : bits == 32 ? Encoding::FLOAT32
                              : Encoding::FLOAT64;
    const uint32_t longest = LONGEST / GetNumberSize(m_encoding);
    Require(dimension <= longest,
            "MessageExchange: dimension must be at most {}, got {}",
            longest,
            dimension);
    if (settings.compressor)
    {
        settings.compressor->Setup(dimension,
                                   m_encoding,
                                   settings.errorFeedback || settings.corrected);
        Require(settings.compressor->GetPackedSize() <= LONGEST,
                "MessageExchange: a compressed vector must have at most {} bytes, got {}",
                LONGEST,
                settings.compressor->GetPackedSize());
    }
    m_settings = settings;
    m_settings.errorFeedback = settings.errorFeedback && !settings.corrected;
    m_self = self;
    m_dimension = dimension;
}

void
MessageEncoder::SetLength(ModelChannel channel, uint32_t length)
{
    const uint32_t longest = LONGEST / sizeof(double);
    Require(length >= 1 && length <= longest,
            "MessageExchange: length of a vector must be from 1 to {}, got {}",
            longest,
            length);
    m_lengths[channel] = length;
}

void
MessageEncoder::SetFormat(ModelChannel channel, const MessageFormat& format)
{
    Require(format.figures.size() <= LARGEST_FIGURES,
            "MessageExchange: a message must have at most {} figures, got {}",
            LARGEST_FIGURES,
            format.figures.size());
    m_figures[channel] = static_cast<uint8_t>(format.figures.size());
    const bool later = channel == ModelChannel::REQUEST || channel == ModelChannel::ANSWER;
    if (later || format.length != m_dimension)
    {
        SetLength(channel, format.length);
    }
}

uint64_t
MessageEncoder::GetPayloadSize(ModelChannel channel) const
{
    const uint64_t figures = ModelHeader::FIGURE_SIZE * CountFigures(channel);
    if (m_settings.compressor && IsOfModel(channel))
    {
        return m_settings.compressor->GetPackedSize() + figures;
    }
    return static_cast<uint64_t>(GetLength(channel)) * GetNumberSize(m_encoding) + figures;
}

std::shared_ptr<const EncodedMessage>
MessageEncoder::Encode(uint32_t round, Outgoing& outgoing, uint32_t fragmentSize)
{
    RequireSize("MessageExchange",
                "outgoing vector",
                outgoing.values.size(),
                GetLength(outgoing.channel));
    RequireSize("MessageExchange",
                "figures of the outgoing vector",
                outgoing.figures.size(),
                CountFigures(outgoing.channel));
    if (!m_settings.errorFeedback || !IsOfModel(outgoing.channel))
    {
        return Pack(round, outgoing, fragmentSize);
    }
    Feedback& feedback = m_feedback[outgoing.channel];
    if (feedback.round != round)
    {
        feedback.before = feedback.error;
        feedback.round = round;
    }
    feedback.error.Correct(outgoing.values);
    const ModelVector wanted = outgoing.values;
    auto message = Pack(round, outgoing, fragmentSize);
    feedback.error.Keep(wanted, message->Decode());
    return message;
}

std::shared_ptr<EncodedMessage>
MessageEncoder::Pack(uint32_t round, Outgoing& outgoing, uint32_t fragmentSize)
{
    std::shared_ptr<EncodedMessage> message;
    if (m_settings.compressor && IsOfModel(outgoing.channel))
    {
        message = std::make_shared<EncodedMessage>(m_self,
                                                   round,
                                                   outgoing.channel,
                                                   m_settings.compressor->Compress(outgoing.values),
                                                   m_dimension,
                                                   fragmentSize);
    }
    else
    {
        message = std::make_shared<EncodedMessage>(m_self,
                                                   round,
                                                   outgoing.channel,
                                                   m_encoding,
                                                   std::move(outgoing.values),
                                                   fragmentSize);
    }
    message->Append(outgoing.figures);
    return message;
}

void
MessageEncoder::Settle(uint32_t round, bool left)
{
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
}

} // namespace ns3::dlearn
