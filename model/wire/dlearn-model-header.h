/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_MODEL_HEADER_H
#define DLEARN_MODEL_HEADER_H

#include "ns3/dlearn-encoding.h"
#include "ns3/dlearn-message.h"
#include "ns3/header.h"

#include <cstdint>

namespace ns3::dlearn
{

/** Consecutive bytes of a message. */
struct ByteRange
{
    uint32_t begin; //!< the first
    uint32_t end;   //!< behind the last, more than begin

    /** @return whether two ranges are the same */
    friend bool operator==(const ByteRange& a, const ByteRange& b)
    {
        return a.begin == b.begin && a.end == b.end;
    }
};

/**
 * @ingroup dlearn
 * @param head the fields of a datagram before its checksum
 * @param headSize their bytes
 * @param rest the bytes behind the checksum
 * @param restSize their number
 * @return the checksum of both in all wire formats: XXH3, low 32 bits
 */
uint32_t ComputeChecksum(const uint8_t* head,
                         uint32_t headSize,
                         const uint8_t* rest,
                         uint32_t restSize);

/**
 * @ingroup dlearn
 * @param bytes a datagram
 * @param place of the 4 bytes of its checksum
 * @param size bytes of the datagram, at least 4 behind @p place
 * @return the checksum of all else
 */
inline uint32_t
ComputeChecksum(const uint8_t* bytes, uint32_t place, uint32_t size)
{
    return ComputeChecksum(bytes, place, bytes + place + 4, size - place - 4);
}

/**
 * @ingroup dlearn
 * Precedes every fragment of a vector, on UDP (one fragment a datagram) as on TCP (fragments
 * back to back). 32 bytes, big-endian:
 *
 *     0        1          2         3        4                  8
 *     version  encoding   channel   figures  round              sender
 *     12             16               20               24                28
 *     vector length  fragment offset  payload length   message length    checksum
 *
 * Lengths and offsets of payload are in bytes, the vector length is in numbers. The checksum
 * covers the other header fields and the payload (XXH3, low 32 bits).
 *
 * A message is a vector in one Encoding, and behind it figures of 8 bytes (big-endian binary64), as
 * many as the header says. In a dense encoding the vector's length is that of the numbers, and
 * fragments begin and end between numbers. A packed vector may have any length that some vector
 * of so many numbers can have (IsPackedSize), and fragments are cut between any two bytes.
 *
 * Nothing that comes from the wire is trusted: IsValid() checks whether the fields agree with each
 * other; the receiver checks sender, round and dimension.
 */
class ModelHeader : public Header
{
  public:
    static constexpr uint8_t VERSION = 1; //!< version of this format
    static constexpr uint32_t SIZE = 32;  //!< bytes on the wire

    static constexpr uint32_t FIGURE_SIZE = 8; //!< bytes of a figure

    static TypeId GetTypeId();

    TypeId GetInstanceTypeId() const override { return GetTypeId(); } //!< GetTypeId()

    void Print(std::ostream& os) const override; //!< all fields but the payload

    uint32_t GetSerializedSize() const override { return SIZE; } //!< SIZE

    void Serialize(Buffer::Iterator start) const override; //!< write SIZE bytes
    uint32_t Deserialize(Buffer::Iterator start) override; //!< read SIZE bytes, and return SIZE

    /** @param bytes gets SIZE bytes */
    void Write(uint8_t* bytes) const;

    /** @param bytes holds SIZE bytes, of any content */
    void Read(const uint8_t* bytes);

    /** @return whether version, encoding, channel, lengths and offsets agree */
    bool IsValid() const;

    /**
     * Set the checksum for this header and a payload.
     * @param payload payloadLength bytes
     */
    void Seal(const uint8_t* payload) { m_checksum = GetChecksum(payload); }

    /**
     * @param payload payloadLength bytes
     * @return whether the checksum is right
     */
    bool IsIntact(const uint8_t* payload) const;

    Encoding encoding{Encoding::FLOAT32};      //!< how the vector is written
    ModelChannel channel{ModelChannel::STATE}; //!< of the vector
    uint32_t round{0};                         //!< round in which it was made
    LearnerId sender{0};                       //!< who made it
    uint32_t vectorLength{0};                  //!< numbers in the whole vector
    uint32_t fragmentOffset{0};                //!< first byte of this fragment in the message
    uint32_t payloadLength{0};                 //!< bytes of this fragment
    uint32_t messageLength{0};                 //!< bytes of the whole message, with figures
    uint8_t figures{0};                        //!< their number

    /** @return bytes of the vector, which the figures follow */
    uint32_t GetBodyLength() const { return messageLength - FIGURE_SIZE * figures; }

  private:
    uint32_t GetChecksum(const uint8_t* payload) const;

    uint8_t m_version{VERSION}; //!< version as read
    uint32_t m_checksum{0};     //!< as read or sealed
};

} // namespace ns3::dlearn

#endif // DLEARN_MODEL_HEADER_H
