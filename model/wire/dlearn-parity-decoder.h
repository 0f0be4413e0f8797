/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PARITY_DECODER_H
#define DLEARN_PARITY_DECODER_H

#include "dlearn-byte-range.h"
#include "dlearn-model-header.h"
#include "dlearn-parity-datagram.h"

#include <functional>
#include <map>
#include <tuple>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Computes fragments that did not come from parity that did (ErasureCode). Only parity is kept
 * here; the fragments are where messages are put together. Of each sender at most LARGEST bytes are
 * kept; then the parity of its oldest round is forgotten. A piece that does not fit the ones before
 * it is ignored. The fragments that come out of wrong parity are what the sender could have sent
 * itself.
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

    /**
     * @param from who sent it
     * @param parity what came
     * @return the fragments that are known now
     */
    Fragments Add(LearnerId from, const ParityDatagram& parity);

    /**
     * @param from who sent it
     * @param header of a fragment that came
     * @return other fragments that are known now
     */
    Fragments Retry(LearnerId from, const ModelHeader& header);

    /**
     * @param from who sends the message
     * @param channel of the message
     * @param round of the message
     * @param missing what is missing of it
     * @return the same without as many fragments of each block as there is parity
     */
    std::vector<ByteRange> GetNeeds(LearnerId from,
                                    ModelChannel channel,
                                    uint32_t round,
                                    const std::vector<ByteRange>& missing) const;

    /** Forget everything. */
    void Clear();

  private:
    /** Sender, round, channel. */
    using Key = std::tuple<LearnerId, uint32_t, ModelChannel>;

    /** What is known of a message. */
    struct Message
    {
        ParityDatagram first;                                            //!< says how it is cut
        std::map<uint32_t, std::map<uint32_t, ErasureCode::Piece>> rows; //!< by block and row
    };

    /** Make room for one more piece of a sender. */
    void MakeRoom(LearnerId from, uint64_t bytes);

    /** @return the missing fragments of a block, if there is parity enough */
    Fragments Decode(const Key& key, uint32_t block);

    View m_view;                           //!< see constructor
    std::map<Key, Message> m_messages;     //!< with parity
    std::map<LearnerId, uint64_t> m_bytes; //!< of parity, by sender
};

} // namespace ns3::dlearn

#endif // DLEARN_PARITY_DECODER_H
