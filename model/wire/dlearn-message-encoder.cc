/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-message-encoder.h"

#include "ns3/dlearn-check.h"

#include <utility>

namespace ns3::dlearn
{

namespace
{

/// Longest message in bytes: leaves room for one more fragment, so that offsets do not wrap
/// while sending.
constexpr uint32_t LONGEST = uint32_t{1} << 31;

} // namespace

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
            "MessageExchange: dimension must be at most ",
            longest,
            ", got ",
            dimension);
    if (settings.compressor)
    {
        settings.compressor->Setup(dimension, m_encoding, settings.errorFeedback);
        Require(settings.compressor->GetPackedSize() <= LONGEST,
                "MessageExchange: a compressed vector must have at most ",
                LONGEST,
                " bytes, got ",
                settings.compressor->GetPackedSize());
    }
    m_settings = settings;
    m_self = self;
    m_dimension = dimension;
}

void
MessageEncoder::SetLength(ModelChannel channel, uint32_t length)
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
MessageEncoder::GetLength(ModelChannel channel) const
{
    return IsOfModel(channel) ? m_dimension : m_lengths.at(channel);
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
