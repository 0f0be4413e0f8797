/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PARITY_DATAGRAM_H
#define DLEARN_PARITY_DATAGRAM_H

#include "dlearn-erasure-code.h"

#include "ns3/dlearn-encoding.h"
#include "ns3/dlearn-message.h"

#include <optional>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * A piece of parity (ErasureCode) over the fragments of a block of a message, as bytes and back.
 *
 * The fragments of a message are cut into blocks of so many each, the last one of fewer. The
 * datagram has 32 bytes, big-endian, and then the piece, which is as long as a fragment:
 *
 *     0        1         2        3    4      8              12              16             18
 *     version  encoding  channel  row  round  vector length  message length  fragment size  ...
 *
 * then at 18 the fragments of a block in one byte, zero at 19, the number of the block at 20, zero
 * at 24 and the checksum at 28, which covers all else (XXH3, low 32 bits). The first byte is that
 * of no other datagram. Nothing that comes from the wire is trusted.
 */
struct ParityDatagram
{
    static constexpr uint8_t VERSION = 0x82; //!< first byte
    static constexpr uint32_t SIZE = 32;     //!< bytes before the piece: those of a ModelHeader

    Encoding encoding{Encoding::FLOAT32};      //!< of the message
    ModelChannel channel{ModelChannel::STATE}; //!< of the message
    uint8_t row{0};                            //!< of the code
    uint32_t round{0};                         //!< of the message
    uint32_t vectorLength{0};                  //!< of the message
    uint32_t messageLength{0};                 //!< of the message, in bytes
    uint16_t fragmentSize{0};                  //!< bytes of payload of each fragment but the last
    uint8_t blockFragments{0};                 //!< of each block but the last
    uint32_t block{0};                         //!< which block
    ErasureCode::Piece piece;                  //!< parity, of fragmentSize bytes

    /** @return the bytes on the wire */
    std::vector<uint8_t> Write() const;

    /**
     * @param bytes of any content
     * @param size how many
     * @return what they say; nothing when they are no such datagram or do not fit together
     */
    static std::optional<ParityDatagram> Read(const uint8_t* bytes, uint32_t size);

    /** @return the number of its first fragment */
    uint32_t GetFirst() const { return block * blockFragments; }

    /** @return behind the number of its last fragment */
    uint32_t GetEnd() const;
};

} // namespace ns3::dlearn

#endif // DLEARN_PARITY_DATAGRAM_H
