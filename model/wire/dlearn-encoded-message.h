/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ENCODED_MESSAGE_H
#define DLEARN_ENCODED_MESSAGE_H

#include "dlearn-model-header.h"

#include "ns3/dlearn-encoding.h"
#include "ns3/packet.h"

#include <optional>
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
    /**
     * @param header of a fragment
     * @param payload gets its bytes
     */
    void WritePayload(const ModelHeader& header, uint8_t* payload) const;

    ModelHeader m_header;                   //!< what all fragments have in common
    ModelVector m_values;                   //!< the vector in a dense encoding, else empty
    PackedVector m_packed;                  //!< the packed vector, else empty
    std::vector<uint8_t> m_bytes;           //!< bytes that are sent as they are, else empty
    uint32_t m_fragmentSize;                //!< most bytes of payload in a fragment
    mutable std::vector<uint8_t> m_scratch; //!< the fragment being written
    mutable bool m_left{false};             //!< whether Leave() was called
};

} // namespace ns3::dlearn

#endif // DLEARN_ENCODED_MESSAGE_H
