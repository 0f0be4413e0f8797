/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_MESSAGE_ASSEMBLER_H
#define DLEARN_MESSAGE_ASSEMBLER_H

#include "dlearn-model-header.h"

#include "ns3/dlearn-packed-vector.h"

#include <map>
#include <optional>
#include <tuple>
#include <vector>

namespace ns3
{
namespace dlearn
{

/**
 * @ingroup dlearn
 * Puts the fragments of messages back together, in any order, with bounded memory: of each
 * sender at most a given number of unfinished messages is kept, and when one more begins the
 * oldest round's is forgotten.
 *
 * A dense vector is decoded in its place as fragments come, and of an unfinished message the
 * entries that came can be taken. A packed one is kept as bytes and decoded when it is whole;
 * of an unfinished one there is nothing to take.
 *
 * Knows nothing of sockets or time. Headers must be valid and intact (ModelHeader).
 */
class MessageAssembler
{
  public:
    /** Which message: sender, channel and round. */
    using Key = std::tuple<LearnerId, ModelChannel, uint32_t>;

    /** @param limit unfinished messages kept a sender, at least 1 */
    explicit MessageAssembler(uint32_t limit);

    /** What became of a fragment. */
    enum class Result
    {
        STORED,       //!< new bytes, message still unfinished
        COMPLETE,     //!< the message is whole: Take() it
        DUPLICATE,    //!< brought nothing new
        CONTRADICTORY //!< lengths or encoding differ from earlier fragments of the message
    };

    /**
     * @param header of the fragment
     * @param payload header.payloadLength bytes
     * @return what became of it
     */
    Result Add(const ModelHeader& header, const uint8_t* payload);

    /** What there is to say against the entries of a message. */
    enum class Flaw
    {
        NONE,       //!< all that came are finite
        NOT_FINITE, //!< there is NaN or infinity among them
        UNDECODABLE //!< the message is whole, but its bytes are no vector
    };

    /**
     * @param key a message of which some fragments are held
     * @return what is wrong with what came
     */
    Flaw GetFlaw(const Key& key) const;

    /**
     * Remove a message, finished or not.
     *
     * @param key which
     * @return its vector and which entries are there; nothing when no fragment of it is held,
     *         or not all of a packed one
     */
    std::optional<Arrival> Take(const Key& key);

    /** Forget everything. */
    void Clear();

    /** @return messages forgotten because of the limit, so far */
    uint64_t GetEvicted() const;

  private:
    /** A message of which some fragments are here. */
    struct Unfinished
    {
        ModelHeader header;                   //!< of its first fragment
        ModelVector values;                   //!< the vector, undefined where nothing came yet
        PackedVector packed;                  //!< bytes of a packed vector, else empty
        std::map<uint32_t, uint32_t> present; //!< begin -> end of the bytes that came
        uint32_t count{0};                    //!< bytes that came
        Flaw flaw{Flaw::NONE};                //!< of the entries that came
    };

    void MakeRoom(LearnerId sender);
    static bool Mark(Unfinished& message, uint32_t begin, uint32_t end);
    static void Store(Unfinished& message, const ModelHeader& header, const uint8_t* payload);
    static void Unpack(Unfinished& message);

    uint32_t m_limit;                     //!< unfinished messages a sender
    std::map<Key, Unfinished> m_messages; //!< ordered by sender first
    uint64_t m_evicted{0};                //!< forgotten because of the limit
};

} // namespace dlearn
} // namespace ns3

#endif // DLEARN_MESSAGE_ASSEMBLER_H
