/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ENCODED_MESSAGE_H
#define DLEARN_ENCODED_MESSAGE_H

#include "dlearn-model-header.h"

#include "ns3/dlearn-compressor.h"
#include "ns3/dlearn-encoding.h"
#include "ns3/dlearn-message.h"
#include "ns3/packet.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * One vector with its figures on its way, cut into fragments; or bytes that only claim to be one.
 *
 * A fragment is written when it is to be sent, not before: thousands of packets that wait in memory
 * cost more time than making them for each recipient. Only a packed vector, which is small, waits
 * as bytes.
 */
class EncodedMessage
{
  public:
    /**
     * A vector in a dense encoding.
     *
     * @param sender the local learner
     * @param round in which it was made
     * @param channel of the vector
     * @param encoding of its numbers
     * @param values the vector, not empty
     * @param fragmentSize most bytes of payload in a fragment, a multiple of 8
     */
    EncodedMessage(LearnerId sender,
                   uint32_t round,
                   ModelChannel channel,
                   Encoding encoding,
                   ModelVector values,
                   uint32_t fragmentSize);

    /**
     * A packed vector.
     *
     * @param sender the local learner
     * @param round in which it was made
     * @param channel of the vector
     * @param packed the vector, not empty
     * @param dimension its entries
     * @param fragmentSize most bytes of payload in a fragment
     */
    EncodedMessage(LearnerId sender,
                   uint32_t round,
                   ModelChannel channel,
                   PackedVector packed,
                   uint32_t dimension,
                   uint32_t fragmentSize);

    /**
     * Bytes that are sent as they are, in one piece, whether they are a fragment or not, as a
     * Byzantine learner may do.
     *
     * @param round under which the transport counts them
     * @param bytes not empty
     */
    EncodedMessage(uint32_t round, std::vector<uint8_t> bytes);

    /** Before the first fragment is made. @param figures follow the vector */
    void Append(const Figures& figures);

    /** @return round in which it was made */
    uint32_t GetRound() const { return m_header.round; }

    /** @return channel of the vector; nothing for bytes that only claim to be one */
    std::optional<ModelChannel> GetChannel() const
    {
        return m_bytes.empty() ? std::make_optional(m_header.channel) : std::nullopt;
    }

    /** @return bytes of all payloads together, at least 1 */
    uint32_t GetLength() const { return m_header.messageLength; }

    /** @return the encoding of its vector */
    Encoding GetEncoding() const { return m_header.encoding; }

    /** @return entries of its vector */
    uint32_t GetVectorLength() const { return m_header.vectorLength; }

    /** @return number of figures */
    uint8_t GetFigures() const { return m_header.figures; }

    /** @return bytes of payload of each fragment but the last */
    uint32_t GetFragmentSize() const { return m_fragmentSize; }

    /** Record that a socket took a byte of it. @return whether it was the first, to any peer */
    bool Leave() const { return !std::exchange(m_left, true); }

    /** @return number of fragments */
    uint32_t GetFragments() const { return (m_header.messageLength - 1) / m_fragmentSize + 1; }

    /** @return a packet of header and payload of a fragment; @p index is below GetFragments() */
    Ptr<Packet> CreateFragment(uint32_t index) const;

    /** @return the bytes of all fragments */
    std::vector<std::vector<uint8_t>> CopyFragments() const;

    /** @return the vector as a receiver reads it; all NaN when it cannot be read */
    ModelVector Decode() const;

  private:
    void WritePayload(const ModelHeader& header, uint8_t* payload) const;

    ModelHeader m_header;                   //!< the fields that all fragments share
    ModelVector m_values;                   //!< the vector in a dense encoding, else empty
    PackedVector m_packed;                  //!< the packed vector, else empty
    std::vector<uint8_t> m_figures;         //!< as they are sent
    std::vector<uint8_t> m_bytes;           //!< bytes that are sent as they are, else empty
    uint32_t m_fragmentSize;                //!< most bytes of payload in a fragment
    mutable std::vector<uint8_t> m_scratch; //!< the fragment being written
    mutable bool m_left{false};             //!< whether Leave() was called
};

/**
 * @ingroup dlearn
 * Turns the vectors of one learner into messages. Encode()
 *  -# with error feedback, adds the encoding error of earlier vectors of the channel;
 *  -# packs the vector with the compressor, if there is one, else its numbers are written with the
 *     chosen bits;
 *  -# with error feedback, remembers the encoding error.
 */
class MessageEncoder
{
  public:
    /** Attributes of MessageExchange. */
    struct Settings
    {
        uint8_t floatBits{32};      //!< bits of a number on the wire: 16, 32 or 64
        Ptr<Compressor> compressor; //!< makes vectors smaller; null: none
        bool errorFeedback{false};  //!< whether the error is added to the next vector
        bool corrected{false};      //!< whether the rule itself makes up for the error: in place of
                                    //!< error feedback, with the same compressors
    };

    /**
     * @param settings attributes
     * @param self number of the local learner
     * @param dimension entries of every vector, unless SetLength() sets another number
     * @throw std::invalid_argument when a setting, also of the compressor, is out of its range
     */
    void Setup(const Settings& settings, LearnerId self, uint32_t dimension);

    /**
     * Set another length than the model's for the vectors of a channel. They are plain numbers,
     * never compressed.
     *
     * @param channel the channel
     * @param length entries of its vectors, at least 1
     */
    void SetLength(ModelChannel channel, uint32_t length);

    /**
     * After Setup(), set the number of figures of a channel, which is 0 by default, and its length.
     * Vectors of the dimension may be compressed, but those of later steps of a round are not.
     */
    void SetFormat(ModelChannel channel, const MessageFormat& format);

    /** @return figures of a message of the channel */
    uint8_t CountFigures(ModelChannel channel) const
    {
        const auto found = m_figures.find(channel);
        return found == m_figures.end() ? 0 : found->second;
    }

    /** @return numbers of a vector of the channel */
    uint32_t GetLength(ModelChannel channel) const
    {
        return IsOfModel(channel) ? m_dimension : m_lengths.at(channel);
    }

    /** @return bytes of a message of the channel, without headers */
    uint64_t GetPayloadSize(ModelChannel channel) const;

    /**
     * @param round of the message
     * @param outgoing the vector, which is moved from unless it is compressed
     * @param fragmentSize most bytes of payload that a fragment carries
     * @return the message
     */
    std::shared_ptr<const EncodedMessage> Encode(uint32_t round,
                                                 Outgoing& outgoing,
                                                 uint32_t fragmentSize);

    /**
     * The sending of a round is over.
     *
     * @param round the round
     * @param left whether any of it left; if not, error feedback returns to its state before
     */
    void Settle(uint32_t round, bool left);

  private:
    /** The encoding error of the vectors of a channel. */
    struct Feedback
    {
        ErrorFeedback error;           //!< to be added to the next vector
        ErrorFeedback before;          //!< the same before the first vector of the round
        std::optional<uint32_t> round; //!< of the newest vector, while it is not settled
    };

    /** @return whether vectors of a channel have the model's length, and may be compressed */
    bool IsOfModel(ModelChannel channel) const { return m_lengths.count(channel) == 0; }

    std::shared_ptr<EncodedMessage> Pack(uint32_t round, Outgoing& outgoing, uint32_t fragmentSize);

    Settings m_settings;                         //!< attributes
    Encoding m_encoding{Encoding::FLOAT32};      //!< of numbers, by the settings
    LearnerId m_self{0};                         //!< the local learner
    uint32_t m_dimension{0};                     //!< entries of a vector
    std::map<ModelChannel, uint32_t> m_lengths;  //!< of channels where SetLength() set one
    std::map<ModelChannel, uint8_t> m_figures;   //!< of channels where SetFormat() was called
    std::map<ModelChannel, Feedback> m_feedback; //!< by channel
};

} // namespace ns3::dlearn

#endif // DLEARN_ENCODED_MESSAGE_H
