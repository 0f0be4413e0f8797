/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-encoded-message.h"

#include "ns3/dlearn-wide-vectors.h"

#include <algorithm>
#include <limits>

namespace ns3::dlearn
{

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

std::optional<ModelChannel>
EncodedMessage::GetChannel() const
{
    return m_bytes.empty() ? std::make_optional(m_header.channel) : std::nullopt;
}

bool
EncodedMessage::Leave() const
{
    return !std::exchange(m_left, true);
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
    // The numbers of the next fragment come from memory until its turn has come.
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

} // namespace ns3::dlearn
