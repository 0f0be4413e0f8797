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
#include <tuple>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * One vector on its way, cut into fragments; or bytes that only claim to be one.
 *
 * A fragment is written and made a packet when its turn has come, not before: bytes and
 * packets that wait in memory in their thousands cost more time than making them anew for
 * each recipient. Only a packed vector, which is small, waits as bytes.
 */
class EncodedMessage
{
  public:
    /**
     * A vector in a dense encoding.
     *
     * @param sender who sends it
     * @param round in which it was made
     * @param channel what it is
     * @param encoding how to write its numbers
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
     * @param sender who sends it
     * @param round in which it was made
     * @param channel what it is
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

    /** @return round in which it was made */
    uint32_t GetRound() const { return m_header.round; }

    /** @return what the vector is; nothing for bytes that only claim to be one */
    std::optional<ModelChannel> GetChannel() const;

    /** @return bytes of all payloads together, at least 1 */
    uint32_t GetLength() const { return m_header.messageLength; }

    /** @return how its vector is written */
    Encoding GetEncoding() const { return m_header.encoding; }

    /** @return entries of its vector */
    uint32_t GetVectorLength() const { return m_header.vectorLength; }

    /** @return bytes of payload of each fragment but the last */
    uint32_t GetFragmentSize() const { return m_fragmentSize; }

    /**
     * Note that a byte of it was handed to a socket.
     * @return whether it was the first one, to anybody
     */
    bool Leave() const;

    /** @return number of fragments */
    uint32_t GetFragments() const { return (m_header.messageLength - 1) / m_fragmentSize + 1; }

    /**
     * @param index which fragment, less than GetFragments()
     * @return a packet of header and payload
     */
    Ptr<Packet> CreateFragment(uint32_t index) const;

    /** @return the bytes of all fragments */
    std::vector<std::vector<uint8_t>> CopyFragments() const;

    /** @return the vector as a receiver reads it; all NaN when it cannot be read */
    ModelVector Decode() const;

  private:
    void WritePayload(const ModelHeader& header, uint8_t* payload) const;

    ModelHeader m_header;                   //!< what all fragments have in common
    ModelVector m_values;                   //!< the vector in a dense encoding, else empty
    PackedVector m_packed;                  //!< the packed vector, else empty
    std::vector<uint8_t> m_bytes;           //!< bytes that are sent as they are, else empty
    uint32_t m_fragmentSize;                //!< most bytes of payload in a fragment
    mutable std::vector<uint8_t> m_scratch; //!< the fragment being written
    mutable bool m_left{false};             //!< whether Leave() was called
};

/**
 * @ingroup dlearn
 * Find the message that makes room for another one of its sender.
 *
 * @param messages by sender, channel and round
 * @param sender of the messages to look at
 * @param limit messages that it may have, at least 1
 * @return that of its oldest round, if it has as many as it may have; else the end
 */
template <typename Messages>
typename Messages::iterator
FindOldest(Messages& messages, LearnerId sender, uint32_t limit)
{
    const auto first = messages.lower_bound({sender, static_cast<ModelChannel>(0), 0});
    uint32_t held = 0;
    auto oldest = first;
    for (auto it = first; it != messages.end() && std::get<0>(it->first) == sender; ++it, ++held)
    {
        if (std::get<2>(it->first) < std::get<2>(oldest->first))
        {
            oldest = it;
        }
    }
    return held < limit ? messages.end() : oldest;
}

/**
 * @ingroup dlearn
 * Turns the vectors of one learner into messages. Encode()
 *  -# with error feedback, adds to the vector what earlier ones of its channel lost on their way
 *     into bytes;
 *  -# has it packed by the compressor, where there is one, else leaves its numbers to be written
 *     with the chosen bits;
 *  -# with error feedback, remembers what receivers will not read of it.
 */
class MessageEncoder
{
  public:
    /** What a user chooses. */
    struct Settings
    {
        uint8_t floatBits{32};      //!< bits of a number on the wire: 16, 32 or 64
        Ptr<Compressor> compressor; //!< what makes vectors smaller; null for nothing
        bool errorFeedback{false};  //!< whether what was lost is added to the next vector
    };

    /**
     * @param settings what a user has chosen
     * @param self number of the local learner
     * @param dimension entries of every vector, unless SetLength() says otherwise
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
     * @param channel of a message
     * @return how many numbers it has
     */
    uint32_t GetLength(ModelChannel channel) const;

    /**
     * @param channel of a message
     * @return bytes of its vector, without headers
     */
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
     * @param left whether any of it left; if not, error feedback goes back to where it was
     */
    void Settle(uint32_t round, bool left);

  private:
    /** What compression took from the vectors of a channel. */
    struct Feedback
    {
        ErrorFeedback error;           //!< to be added to the next vector
        ErrorFeedback before;          //!< the same before the first vector of the round
        std::optional<uint32_t> round; //!< of the newest vector, while it is not settled
    };

    /** @return whether vectors of a channel have the model's length, and may be compressed */
    bool IsOfModel(ModelChannel channel) const { return m_lengths.count(channel) == 0; }

    /** As Encode(), without error feedback. */
    std::shared_ptr<const EncodedMessage> Pack(uint32_t round,
                                               Outgoing& outgoing,
                                               uint32_t fragmentSize);

    Settings m_settings;                         //!< what a user has chosen
    Encoding m_encoding{Encoding::FLOAT32};      //!< of numbers, as the settings say
    LearnerId m_self{0};                         //!< the local learner
    uint32_t m_dimension{0};                     //!< entries of a vector
    std::map<ModelChannel, uint32_t> m_lengths;  //!< of channels where SetLength() set one
    std::map<ModelChannel, Feedback> m_feedback; //!< what was lost, by channel
};

} // namespace ns3::dlearn

#endif // DLEARN_ENCODED_MESSAGE_H
