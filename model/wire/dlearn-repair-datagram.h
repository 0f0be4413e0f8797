/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_REPAIR_DATAGRAM_H
#define DLEARN_REPAIR_DATAGRAM_H

#include "dlearn-byte-range.h"

#include "ns3/dlearn-message.h"

#include <optional>
#include <vector>

/**
 * @file
 * What the senders and receivers of repaired broadcasts tell each other besides fragments.
 *
 * 24 bytes, big-endian, and then words of four bytes. No fragment has such a first byte, which is
 * its version (ModelHeader):
 *
 *     0        1      2         3       4       8                16         20
 *     version  kind   channel   zero    round   message length   words      checksum
 *
 * with the message length at 8, zero at 12 and the number of words at 16. The words of a poll are
 * the numbers of learners, those of a report begin and end of ranges of bytes. The checksum covers
 * all else (XXH3, low 32 bits). Who sent it is what the network says.
 */

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What a datagram about a message says, as bytes and back. Nothing that comes from the wire is
 * trusted: whatever is not of this format is none.
 */
struct RepairDatagram
{
    static constexpr uint8_t VERSION = 0x81; //!< first byte
    static constexpr uint32_t SIZE = 24;     //!< bytes before the words

    /** What it is. */
    enum class Kind : uint8_t
    {
        POLL = 1,  //!< to all: the words name the learners that are to report
        REPORT = 2 //!< to the sender of the message: the words are what is missing; none when whole
    };

    Kind kind{Kind::POLL};                     //!< what it is
    ModelChannel channel{ModelChannel::STATE}; //!< of the message
    uint32_t round{0};                         //!< of the message
    uint32_t messageLength{0};                 //!< bytes of the message, at least 1
    std::vector<uint32_t> words;               //!< see Kind

    /** @return the bytes on the wire */
    std::vector<uint8_t> Write() const;

    /**
     * @param bytes of any content
     * @param size how many
     * @return what they say; nothing when they are no such datagram
     */
    static std::optional<RepairDatagram> Read(const uint8_t* bytes, uint32_t size);

    /**
     * @return the ranges that the words of a report are; those that are empty, do not begin behind
     *         the one before them or reach beyond the message are left out
     */
    std::vector<ByteRange> GetRanges() const;

    /**
     * @param ranges become the words, as many as fit
     * @param size most bytes of a datagram
     */
    void SetRanges(const std::vector<ByteRange>& ranges, uint32_t size);
};

} // namespace ns3::dlearn

#endif // DLEARN_REPAIR_DATAGRAM_H
