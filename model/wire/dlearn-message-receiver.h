/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_MESSAGE_RECEIVER_H
#define DLEARN_MESSAGE_RECEIVER_H

#include "dlearn-model-header.h"

#include "ns3/callback.h"
#include "ns3/dlearn-encoding.h"
#include "ns3/dlearn-message.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Sender and channel, which identify a message within its round.
 */
using MessageSource = std::pair<LearnerId, ModelChannel>;

/**
 * @ingroup dlearn
 * The fate of a message at its receiver.
 */
enum class MessageDisposition
{
    ON_TIME,   //!< for the open round
    EARLY,     //!< for a coming round; waits
    LATE,      //!< too late for the round that missed it
    DUPLICATE, //!< came before
    TOO_EARLY, //!< beyond the waiting room
    UNEXPECTED //!< not from a neighbour, or on a channel or for a round that does not await it
};

/** @return its name in traces and reports */
const char* ToString(MessageDisposition disposition);

/**
 * @ingroup dlearn
 * Detects when messages that the receiver does not keep are whole. It has none of their bytes, and
 * knows at most a given number of unfinished messages of each sender: when one more begins, that of
 * the oldest round is forgotten. Headers must be valid and intact (ModelHeader).
 */
class FragmentLog
{
  public:
    /** @param limit unfinished messages known of a sender, at least 1 */
    explicit FragmentLog(uint32_t limit);

    /**
     * @param header of a fragment that came
     * @return whether its message is whole now. It is forgotten then, so that it can come again
     */
    bool Add(const ModelHeader& header);

    /** Forget everything. */
    void Clear() { m_messages.clear(); }

  private:
    /** Sender, channel and round. */
    using Key = std::tuple<LearnerId, ModelChannel, uint32_t>;

    /** Received bytes of a message: first byte and the one behind the last, in order, apart. */
    using Ranges = std::map<uint32_t, uint32_t>;

    /** Ranges of one message that are known; of a message in more ranges, the rest is ignored. */
    static constexpr size_t MOST_RANGES = 4096;

    uint32_t m_limit;                 //!< unfinished messages a sender
    std::map<Key, Ranges> m_messages; //!< ordered by sender first
};

/**
 * @ingroup dlearn
 * Puts the fragments of messages back together, in any order, with bounded memory: at most a given
 * number of unfinished messages of each sender is kept, and when one more begins that of the oldest
 * round is forgotten. The sizes that a header announces cost nothing; only received bytes are kept,
 * and a vector is made when its message is whole or taken.
 *
 * The received entries of an unfinished dense message can be taken, of a packed one nothing. Of
 * bytes that come twice the first count.
 *
 * It knows neither sockets nor time. Headers must be valid and intact (ModelHeader).
 */
class MessageAssembler
{
  public:
    /** Sender, channel and round. */
    using Key = std::tuple<LearnerId, ModelChannel, uint32_t>;

    /**
     * @param limit unfinished messages kept a sender, at least 1
     * @param largest bytes of memory that a vector may take
     */
    explicit MessageAssembler(uint32_t limit, uint64_t largest = UINT64_MAX);

    /** The fate of a fragment. */
    enum class Result
    {
        STORED,        //!< new bytes, message still unfinished
        COMPLETE,      //!< the message is whole: Take() it
        DUPLICATE,     //!< no new bytes
        CONTRADICTORY, //!< lengths or encoding differ from earlier fragments of the message
        TOO_LARGE      //!< the vector would be larger than allowed
    };

    /**
     * @param header of the fragment
     * @param payload header.payloadLength bytes
     * @param evicted gets the message that was forgotten for this one, if any; may be null
     * @return the fate of the fragment
     */
    Result Add(const ModelHeader& header,
               const uint8_t* payload,
               std::optional<Key>* evicted = nullptr);

    /** A fault of the received entries of a message. */
    enum class Flaw
    {
        NONE,       //!< all are finite
        NOT_FINITE, //!< there is NaN or infinity among them
        UNDECODABLE //!< the message is whole, but its bytes are not a vector
    };

    /** @return the fault of a message of which some fragments are held */
    Flaw GetFlaw(const Key& key) const;

    /**
     * @param key a message
     * @param length its bytes
     * @return the ranges that have not come, in order; none when the message has another length
     */
    std::vector<ByteRange> GetMissing(const Key& key, uint32_t length) const;

    /** @return the bytes of a range of a message; none when not all of them are held */
    std::vector<uint8_t> CopyBytes(const Key& key, const ByteRange& range) const;

    /**
     * Remove a message, finished or not.
     *
     * @param key the message
     * @return its vector and which entries are there; nothing when no fragment of it is held,
     *         or not all of a packed one
     */
    std::optional<Arrival> Take(const Key& key);

    /** @param key a message to forget */
    void Forget(const Key& key);

    /** Forget everything. */
    void Clear();

    /** @return approximate bytes of memory of unfinished messages */
    uint64_t GetBytes() const { return m_bytes; }

    /** @return messages forgotten because of the limit, so far */
    uint64_t GetEvicted() const { return m_evicted; }

  private:
    /** Consecutive bytes, by the place of the first. */
    using Pieces = std::map<uint32_t, std::vector<uint8_t>>;

    /** A message of which some fragments are here. */
    struct Unfinished
    {
        ModelHeader header;    //!< of its first fragment
        Pieces pieces;         //!< received bytes, none of them twice; none of a whole message
        uint32_t count{0};     //!< received bytes
        ModelVector values;    //!< the vector of a whole message
        Figures figures;       //!< of a whole message
        Flaw flaw{Flaw::NONE}; //!< of a whole message

        bool IsWhole() const { return count == header.messageLength; }
    };

    static constexpr uint64_t MESSAGE_BYTES = 256; //!< of memory, besides the fragments
    static constexpr uint64_t PIECE_BYTES = 96;    //!< of memory for each piece, besides its bytes

    static uint64_t CountBytes(const Unfinished& message);

    /** @return number of new bytes */
    static uint32_t Insert(Unfinished& message, uint32_t begin, uint32_t end, const uint8_t* bytes);

    static Flaw Decode(const Unfinished& message, ModelVector& values);
    static Flaw Unpack(const Unfinished& message, ModelVector& values);

    /** Read the figures of a whole message. */
    static void ReadFigures(Unfinished& message);

    uint32_t m_limit;                     //!< unfinished messages a sender
    uint64_t m_largest;                   //!< bytes of a vector
    std::map<Key, Unfinished> m_messages; //!< ordered by sender first
    uint64_t m_bytes{0};                  //!< see GetBytes()
    uint64_t m_evicted{0};                //!< forgotten because of the limit
};

/**
 * @ingroup dlearn
 * Makes vectors of fragments, and refuses untrustworthy ones: the receiver's part of
 * MessageExchange. For each fragment that is intact:
 *
 *  -# it must come from a peer, by its address (else counted as unknownSender);
 *  -# its header must name that peer as the sender (else wrongSender);
 *  -# the sink must want the message (else unwanted);
 *  -# vector and figures must be as many numbers as those of its channel (else wrongLength);
 *  -# fragments of one message must agree with each other (else contradictory);
 *  -# a complete packed message must be a vector (else undecodable);
 *  -# a complete vector and its figures must be finite (else notFinite).
 *
 * The sink gets each complete message once, as a vector or without one if it is not usable.
 */
class MessageReceiver
{
  public:
    using Source = MessageSource;           //!< sender and channel
    using Disposition = MessageDisposition; //!< fate of a message
    /** Asks for the fate of a message of a round. */
    using ClassifyCallback = Callback<Disposition, const Source&, uint32_t>;
    /** Gives a message of a round, for the sink to move from; nothing if it is not usable. */
    using OfferCallback = Callback<void, const Source&, uint32_t, std::optional<Arrival>&>;

    /** Refused data, over the whole run. */
    struct Counters
    {
        uint64_t malformed{0};     //!< datagrams or stretches of a stream that are not a fragment
        uint64_t unknownSender{0}; //!< fragments not from a peer's address
        uint64_t wrongSender{0};   //!< fragments of a peer that claim to be another learner's
        uint64_t contradictory{0}; //!< fragments that disagree with earlier ones
        uint64_t unwanted{0};      //!< fragments of messages that the sink did not want
        uint64_t wrongLength{0};   //!< fragments with another length, or number of figures
        uint64_t undecodable{0};   //!< messages of a packed encoding that are not a vector
        uint64_t notFinite{0};     //!< messages with NaN or infinity
    };

    /** Properties of the learner's own messages and transport. */
    struct Surroundings
    {
        std::function<uint32_t(ModelChannel)> getLength;   //!< entries of the vectors of a channel
        std::function<uint8_t(ModelChannel)> countFigures; //!< of the messages of a channel
        std::function<bool()> repeatsFragments;            //!< Transport::RepeatsFragments()
    };

    /**
     * @param self number of the local learner
     * @param unfinishedLimit unfinished messages that are kept of each sender, at least 1
     * @param surroundings are asked for every fragment
     */
    void Setup(LearnerId self, uint32_t unfinishedLimit, Surroundings surroundings);

    /** @return whether Setup() was called */
    bool IsSetUp() const { return m_assembler.has_value(); }

    /** @param classify asked before fragments are kept @param offer given each message */
    void SetSink(ClassifyCallback classify, OfferCallback offer)
    {
        m_classify = classify;
        m_offer = offer;
    }

    /** Forget unfinished messages. */
    void Clear();

    /**
     * @param from sender by its address; nothing for a stranger
     * @param header of the fragment
     * @param payload bytes after the header
     */
    void HandleFragment(std::optional<LearnerId> from,
                        const ModelHeader& header,
                        const uint8_t* payload);

    /** @param size bytes that are not a fragment */
    void HandleMalformed(uint32_t size);

    /** As Transport::MissingCallback. */
    std::vector<ByteRange> FindMissing(LearnerId from,
                                       ModelChannel channel,
                                       uint32_t round,
                                       uint32_t length);

    /** As Transport::BytesCallback. */
    std::vector<uint8_t> CopyBytes(LearnerId from,
                                   ModelChannel channel,
                                   uint32_t round,
                                   ByteRange range);

    /** @copydoc MessageExchange::TakePartial() */
    std::optional<Arrival> TakePartial(const Source& source, uint32_t round);

    /** @return refused data so far */
    const Counters& GetCounters() const { return m_counters; }

    /** @return messages forgotten because too many were unfinished */
    uint64_t GetEvicted() const { return m_assembler ? m_assembler->GetEvicted() : 0; }

    /** @param totals counters of the whole run; those of this receiver are added */
    void Count(std::map<std::string, uint64_t>& totals) const;

  private:
    /** @return whether a message can be decoded and is finite; counted if not */
    bool IsUsable(const MessageAssembler::Key& key);
    void Refuse(const ModelHeader& header);

    LearnerId m_self{0};                         //!< the local learner
    Surroundings m_surroundings;                 //!< see Setup()
    std::optional<MessageAssembler> m_assembler; //!< null before Setup()
    std::optional<FragmentLog> m_refused; //!< messages that are not kept; null before Setup()
    ClassifyCallback m_classify;          //!< of the sink
    OfferCallback m_offer;                //!< of the sink
    Counters m_counters;                  //!< refused
};

} // namespace ns3::dlearn

#endif // DLEARN_MESSAGE_RECEIVER_H
