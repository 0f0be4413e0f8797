/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_MODEL_HEADER_H
#define DLEARN_MODEL_HEADER_H

#include "ns3/dlearn-message.h"
#include "ns3/header.h"

namespace ns3
{
namespace dlearn
{

/**
 * @ingroup dlearn
 * How the numbers of a vector are written on the wire, always in network byte order.
 */
enum class Encoding : uint8_t
{
    FLOAT32 = 0, //!< IEEE 754 binary32, 4 bytes a number
    FLOAT64 = 1  //!< IEEE 754 binary64, 8 bytes a number
};

/**
 * @ingroup dlearn
 * Precedes every fragment of a vector, on UDP (one fragment a datagram) as on TCP (fragments
 * back to back). 32 bytes, big-endian:
 *
 *     0        1          2         3        4                  8
 *     version  encoding   channel   zero     round              sender
 *     12             16               20               24                28
 *     vector length  fragment offset  payload length   message length    checksum
 *
 * Lengths and offsets of payload are in bytes, the vector length is in numbers. The checksum
 * covers the other header fields and the payload (XXH3, low 32 bits).
 *
 * Nothing that comes from the wire is trusted: IsValid() tells whether the fields agree with
 * each other, and what they say about the sender, round or dimension is for the receiver to
 * check against what it knows.
 */
class ModelHeader : public Header
{
  public:
    static constexpr uint8_t VERSION = 1; //!< version of this format
    static constexpr uint32_t SIZE = 32;  //!< bytes on the wire

    /** @return the TypeId */
    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;
    void Print(std::ostream& os) const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;

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
    void Seal(const uint8_t* payload);

    /**
     * @param payload payloadLength bytes
     * @return whether the checksum is right
     */
    bool IsIntact(const uint8_t* payload) const;

    Encoding encoding{Encoding::FLOAT32};      //!< how numbers are written
    ModelChannel channel{ModelChannel::STATE}; //!< what the vector is
    uint32_t round{0};                         //!< round in which it was made
    LearnerId sender{0};                       //!< who made it
    uint32_t vectorLength{0};                  //!< numbers in the whole vector
    uint32_t fragmentOffset{0};                //!< first byte of this fragment in the message
    uint32_t payloadLength{0};                 //!< bytes of this fragment
    uint32_t messageLength{0};                 //!< bytes of the whole message

  private:
    uint32_t GetChecksum(const uint8_t* payload) const;

    uint8_t m_version{VERSION}; //!< version as read
    uint8_t m_reserved{0};      //!< must be zero
    uint32_t m_checksum{0};     //!< as read or sealed
};

/**
 * @param encoding a number format that exists
 * @return bytes a number
 */
uint32_t GetNumberSize(Encoding encoding);

/**
 * @param values a vector
 * @param encoding how to write it
 * @param bytes gets values.size() * GetNumberSize(encoding) bytes, network order
 */
void EncodeVector(ConstVectorRef values, Encoding encoding, uint8_t* bytes);

/**
 * @param bytes values.size() * GetNumberSize(encoding) bytes, network order
 * @param encoding how they are written
 * @param values result
 * @return whether all of them are finite
 */
bool DecodeVector(const uint8_t* bytes, Encoding encoding, VectorRef values);

} // namespace dlearn
} // namespace ns3

#endif // DLEARN_MODEL_HEADER_H
