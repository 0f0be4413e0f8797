/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_MESSAGE_ASSEMBLER_H
#define DLEARN_MESSAGE_ASSEMBLER_H

#include "dlearn-byte-range.h"
#include "dlearn-model-header.h"

#include "ns3/dlearn-encoding.h"

#include <map>
#include <optional>
#include <tuple>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Puts the fragments of messages back together, in any order, with bounded memory: of each
 * sender at most a given number of unfinished messages is kept, and when one more begins the
 * oldest round's is forgotten. What a header announces costs nothing; only bytes that come are
 * kept, and a vector is made when its message is whole or taken.
 *
 * Of an unfinished dense message the entries that came can be taken, of a packed one nothing. Of
 * bytes that come twice the first count.
 *
 * It knows neither sockets nor time. Headers must be valid and intact (ModelHeader).
 */
class MessageAssembler
{
  public:
    /** Which message: sender, channel and round. */
    using Key = std::tuple<LearnerId, ModelChannel, uint32_t>;

    /**
     * @param limit unfinished messages kept a sender, at least 1
     * @param largest bytes of memory that a vector may take
     */
    explicit MessageAssembler(uint32_t limit, uint64_t largest = UINT64_MAX);

    /** What became of a fragment. */
    enum class Result
    {
        STORED,        //!< new bytes, message still unfinished
        COMPLETE,      //!< the message is whole: Take() it
        DUPLICATE,     //!< brought nothing new
        CONTRADICTORY, //!< lengths or encoding differ from earlier fragments of the message
        TOO_LARGE      //!< the vector would be larger than any may be
    };

    /**
     * @param header of the fragment
     * @param payload header.payloadLength bytes
     * @param evicted gets the message that was forgotten for this one, if any; may be null
     * @return what became of it
     */
    Result Add(const ModelHeader& header,
               const uint8_t* payload,
               std::optional<Key>* evicted = nullptr);

    /** What there is to say against the entries of a message. */
    enum class Flaw
    {
        NONE,       //!< all that came are finite
        NOT_FINITE, //!< there is NaN or infinity among them
        UNDECODABLE //!< the message is whole, but its bytes are no vector
    };

    /**
     * @param key a message of which some fragments are held
     * @return what is wrong with these fragments
     */
    Flaw GetFlaw(const Key& key) const;

    /**
     * @param key a message
     * @param length its bytes
     * @return those that have not come, in order; none when what came is of another length
     */
    std::vector<ByteRange> GetMissing(const Key& key, uint32_t length) const;

    /**
     * @param key a message
     * @param range of its bytes
     * @return these bytes; none when not all of them are held
     */
    std::vector<uint8_t> CopyBytes(const Key& key, const ByteRange& range) const;

    /**
     * Remove a message, finished or not.
     *
     * @param key which
     * @return its vector and which entries are there; nothing when no fragment of it is held,
     *         or not all of a packed one
     */
    std::optional<Arrival> Take(const Key& key);

    /** @param key a message to forget */
    void Forget(const Key& key);

    /** Forget everything. */
    void Clear();

    /** @return bytes of memory that unfinished messages take, more or less */
    uint64_t GetBytes() const { return m_bytes; }

    /** @return messages forgotten because of the limit, so far */
    uint64_t GetEvicted() const { return m_evicted; }

  private:
    /** Bytes in a row, by the place of the first. */
    using Pieces = std::map<uint32_t, std::vector<uint8_t>>;

    /** A message of which some fragments are here. */
    struct Unfinished
    {
        ModelHeader header;    //!< of its first fragment
        Pieces pieces;         //!< bytes that came, none of them twice; none of a whole message
        uint32_t count{0};     //!< bytes that came
        ModelVector values;    //!< the vector of a whole message
        Flaw flaw{Flaw::NONE}; //!< of a whole message

        /** @return whether all bytes came */
        bool IsWhole() const { return count == header.messageLength; }
    };

    static constexpr uint64_t MESSAGE_BYTES = 256; //!< of memory, besides the fragments
    static constexpr uint64_t PIECE_BYTES = 96;    //!< likewise, for each piece

    /**
     * Forget the oldest unfinished message of a sender that has as many as it may have.
     *
     * @param sender of the fragments
     * @return the message that was forgotten; nothing for none
     */
    std::optional<Key> MakeRoom(LearnerId sender);

    /** @return bytes of a message that are there */
    static uint64_t CountBytes(const Unfinished& message);

    /**
     * @param message gets the bytes
     * @param begin of the bytes in the message
     * @param end of the bytes in the message
     * @param bytes what stands there
     * @return how many of them are new
     */
    static uint32_t Insert(Unfinished& message, uint32_t begin, uint32_t end, const uint8_t* bytes);

    /**
     * @param message with all or some of its bytes
     * @param values gets its vector
     * @return what is wrong with it
     */
    static Flaw Decode(const Unfinished& message, ModelVector& values);

    /**
     * @param message that is compressed
     * @param values gets its vector
     * @return what is wrong with it
     */
    static Flaw Unpack(const Unfinished& message, ModelVector& values);

    uint32_t m_limit;                     //!< unfinished messages a sender
    uint64_t m_largest;                   //!< bytes of a vector
    std::map<Key, Unfinished> m_messages; //!< ordered by sender first
    uint64_t m_bytes{0};                  //!< see GetBytes()
    uint64_t m_evicted{0};                //!< forgotten because of the limit
};

} // namespace ns3::dlearn

#endif // DLEARN_MESSAGE_ASSEMBLER_H
