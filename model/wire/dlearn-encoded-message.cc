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
    if (!IsDense(header.encoding))
    {
        std::copy_n(m_packed.bytes.data() + header.fragmentOffset, header.payloadLength, payload);
        return;
    }
    const uint32_t size = GetNumberSize(header.encoding);
    const Eigen::Index first = header.fragmentOffset / size;
    const Eigen::Index count = header.payloadLength / size;
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
        std::vector<uint8_t> bytes(m_header.messageLength);
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

uint64_t
MessageEncoder::GetPayloadSize(ModelChannel channel) const
{
    if (m_settings.compressor && IsOfModel(channel))
    {
        return m_settings.compressor->GetPackedSize();
    }
    return static_cast<uint64_t>(GetLength(channel)) * GetNumberSize(m_encoding);
}

std::shared_ptr<const EncodedMessage>
MessageEncoder::Encode(uint32_t round, Outgoing& outgoing, uint32_t fragmentSize)
{
    RequireSize("MessageExchange",
                "outgoing vector",
                outgoing.values.size(),
                GetLength(outgoing.channel));
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

std::shared_ptr<const EncodedMessage>
MessageEncoder::Pack(uint32_t round, Outgoing& outgoing, uint32_t fragmentSize)
{
    if (m_settings.compressor && IsOfModel(outgoing.channel))
    {
        return std::make_shared<const EncodedMessage>(
            m_self,
            round,
            outgoing.channel,
            m_settings.compressor->Compress(outgoing.values),
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
