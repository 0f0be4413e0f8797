/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PARITY_DECODER_H
#define DLEARN_PARITY_DECODER_H

#include "dlearn-erasure-code.h"
#include "dlearn-model-header.h"

#include "ns3/dlearn-encoding.h"
#include "ns3/dlearn-message.h"

#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * A piece of parity (ErasureCode) over the fragments of a block of a message, as bytes and back.
 *
 * The fragments of a message are cut into blocks of equal size, the last one smaller. The
 * datagram has 32 bytes, big-endian, and then the piece, which is as long as a fragment:
 *
 *     0        1         2        3    4      8              12              16             18
 *     version  encoding  channel  row  round  vector length  message length  fragment size  ...
 *
 * then at 18 the fragments of a block in one byte, at 19 the number of figures of the message, the
 * number of the block at 20, zero at 24 and the checksum at 28, which covers all else (XXH3, low 32
 * bits). No other datagram has the same first byte. Nothing that comes from the wire is trusted.
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
    uint8_t figures{0};                        //!< of the message
    uint32_t block{0};                         //!< which block
    ErasureCode::Piece piece;                  //!< parity, of fragmentSize bytes

    /** @return the bytes on the wire */
    std::vector<uint8_t> Write() const;

    /** @return the datagram; nothing when the bytes are not one or do not fit together */
    static std::optional<ParityDatagram> Read(const uint8_t* bytes, uint32_t size);

    /** @return the number of its first fragment */
    uint32_t GetFirst() const { return block * blockFragments; }

    /** @return behind the number of its last fragment */
    uint32_t GetEnd() const;
};

/**
 * @ingroup dlearn
 * Computes missing fragments from received parity (ErasureCode). Only parity is kept here; the
 * fragments are where messages are put together. At most LARGEST bytes are kept of each sender;
 * then the parity of its oldest round is forgotten. A piece that does not fit the ones before it is
 * ignored. Wrong parity yields fragments that the sender could have sent itself.
 */
class ParityDecoder
{
  public:
    /** Bytes of parity that are kept of a sender. */
    static constexpr uint64_t LARGEST = uint64_t{1} << 24;

    /** Where fragments are. */
    struct View
    {
        /** As Transport::MissingCallback. */
        std::function<std::vector<ByteRange>(LearnerId, ModelChannel, uint32_t, uint32_t)> missing;
        /** As Transport::BytesCallback. */
        std::function<std::vector<uint8_t>(LearnerId, ModelChannel, uint32_t, ByteRange)> bytes;
    };

    using Fragments = std::vector<std::vector<uint8_t>>; //!< header and payload of each

    /** @param view where fragments are */
    explicit ParityDecoder(View view);

    /** @return the fragments that are known with a received piece of parity */
    Fragments Add(LearnerId from, const ParityDatagram& parity);

    /** @return other fragments that are known with a received one */
    Fragments Retry(LearnerId from, const ModelHeader& header);

    /** @return missing ranges of a message, fewer fragments of each block by its parity */
    std::vector<ByteRange> GetNeeds(LearnerId from,
                                    ModelChannel channel,
                                    uint32_t round,
                                    const std::vector<ByteRange>& missing) const;

    /** Forget everything. */
    void Clear();

  private:
    /** Sender, round, channel. */
    using Key = std::tuple<LearnerId, uint32_t, ModelChannel>;

    /** The parity of a message. */
    struct Message
    {
        ParityDatagram first;                                            //!< defines the blocks
        std::map<uint32_t, std::map<uint32_t, ErasureCode::Piece>> rows; //!< by block and row
    };

    void MakeRoom(LearnerId from, uint64_t bytes);
    Fragments Decode(const Key& key, uint32_t block);

    View m_view;                           //!< see constructor
    std::map<Key, Message> m_messages;     //!< with parity
    std::map<LearnerId, uint64_t> m_bytes; //!< of parity, by sender
};

} // namespace ns3::dlearn

#endif // DLEARN_PARITY_DECODER_H
