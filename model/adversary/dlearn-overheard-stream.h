/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_OVERHEARD_STREAM_H
#define DLEARN_OVERHEARD_STREAM_H

#include "ns3/dlearn-model-header.h"

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * One direction of a TCP connection as an observer on the way sees it: puts segments in order by
 * their sequence numbers, and finds the fragments of messages in the stream.
 *
 * A receiver gets everything in the end, an observer does not: a segment that it missed is not
 * sent again once the receiver has it. The observer therefore gives up missing bytes when the
 * receiver has acknowledged them (Acknowledge()), or when more than a limit of later bytes waits
 * for them. After such a gap, or when it begins in the middle of a stream, the observer searches
 * every byte for a header with a valid checksum, and continues there.
 *
 * It knows neither time nor packets.
 */
class OverheardStream
{
  public:
    /** Called with header and payload of each intact fragment. */
    using Visitor = std::function<void(const ModelHeader&, const uint8_t*)>;

    /** Largest payload that the header of a fragment may claim, in bytes. */
    static constexpr uint32_t MAX_PAYLOAD = 1 << 20;

    /** @param limit most bytes that wait for missing ones; at least 1 */
    explicit OverheardStream(uint32_t limit);

    /**
     * The stream begins, again.
     * @param sequence number of its first byte
     */
    void Begin(uint32_t sequence);

    /**
     * The sender is done.
     * @param sequence number after that of its last byte
     */
    void End(uint32_t sequence);

    /**
     * Bytes of the stream. Before Begin() these are where it begins.
     *
     * @param sequence number of the first
     * @param bytes they
     * @param size how many
     * @param visitor gets the fragments that are now whole
     */
    void Add(uint32_t sequence, const uint8_t* bytes, uint32_t size, const Visitor& visitor);

    /**
     * The receiver has all bytes before one.
     *
     * @param sequence number of that byte
     * @param visitor gets the fragments that need not wait any more
     */
    void Acknowledge(uint32_t sequence, const Visitor& visitor);

    /** @return bytes that passed unseen, or that belong to a fragment of which others did */
    uint64_t GetLost() const { return m_lost; }

    /** @return bytes of memory that the stream takes, more or less */
    uint64_t GetBytes() const;

  private:
    static constexpr uint64_t STREAM_BYTES = 256; //!< of memory, besides the bytes
    static constexpr uint64_t PIECE_BYTES = 96;   //!< likewise, for each piece that waits

    /**
     * @param sequence number of TCP
     * @return the position in the stream that is meant
     */
    uint64_t GetPosition(uint32_t sequence) const;

    /**
     * @param position of the bytes, at most that of the next byte wanted
     * @param bytes of the stream
     * @param size of them
     */
    void Append(uint64_t position, const uint8_t* bytes, uint64_t size);

    /** @param position to go on from; what is missing before it is lost */
    void Skip(uint64_t position);

    /** Take the bytes that were held until those before them came. */
    void TakeHeld();

    /** @param visitor gets each whole fragment */
    void FindFragments(const Visitor& visitor);

    uint32_t m_limit;                                //!< most bytes in m_held
    bool m_begun{false};                             //!< whether m_next means something
    bool m_aligned{false};                           //!< whether m_bytes begins between fragments
    uint32_t m_first{0};                             //!< number of the first byte
    uint64_t m_next{0};                              //!< position of the next byte
    uint64_t m_end{UINT64_MAX};                      //!< position after the last byte, if known
    std::vector<uint8_t> m_bytes;                    //!< those before m_next, not yet understood
    std::map<uint64_t, std::vector<uint8_t>> m_held; //!< later ones, by position
    uint64_t m_heldBytes{0};                         //!< how many
    uint64_t m_lost{0};                              //!< given up
};

} // namespace ns3::dlearn

#endif // DLEARN_OVERHEARD_STREAM_H
