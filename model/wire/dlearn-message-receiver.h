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
 * What a receiver knows a message by within its round: sender and channel.
 */
using MessageSource = std::pair<LearnerId, ModelChannel>;

/**
 * @ingroup dlearn
 * What becomes of a message at its receiver.
 */
enum class MessageDisposition
{
    ON_TIME,   //!< for the open round
    EARLY,     //!< for a coming round; waits
    LATE,      //!< too late for the round that missed it
    DUPLICATE, //!< came before
    TOO_EARLY, //!< beyond the waiting room
    UNEXPECTED //!< from no neighbour, on no channel or for no round that awaits it
};

/**
 * @ingroup dlearn
 * @param disposition what became of a message
 * @return its name in traces and reports
 */
const char* ToString(MessageDisposition disposition);

/**
 * @ingroup dlearn
 * Says when messages that the receiver does not keep are whole. It has none of their bytes, and of
 * each sender knows at most a given number of unfinished messages: when one more begins, the one of
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
    /** Which message: sender, channel and round. */
    using Key = std::tuple<LearnerId, ModelChannel, uint32_t>;

    /** Bytes of a message that came: first byte and the one behind the last, in order, apart. */
    using Ranges = std::map<uint32_t, uint32_t>;

    /** Stretches of one message that are known; of one that comes in more the rest is not. */
    static constexpr size_t MOST_RANGES = 4096;

    /** Forget the oldest message of a sender that has as many as it may have. */
    void MakeRoom(LearnerId sender);

    uint32_t m_limit;                 //!< unfinished messages a sender
    std::map<Key, Ranges> m_messages; //!< ordered by sender first
};

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
     * @return the message that was forgotten; nothing for none
     */
    std::optional<Key> MakeRoom(LearnerId sender);

    /** @return bytes of a message that are there */
    static uint64_t CountBytes(const Unfinished& message);

    /** @return how many of them are new */
    static uint32_t Insert(Unfinished& message, uint32_t begin, uint32_t end, const uint8_t* bytes);

    /** @return what is wrong with it */
    static Flaw Decode(const Unfinished& message, ModelVector& values);

    /** @return what is wrong with it */
    static Flaw Unpack(const Unfinished& message, ModelVector& values);

    uint32_t m_limit;                     //!< unfinished messages a sender
    uint64_t m_largest;                   //!< bytes of a vector
    std::map<Key, Unfinished> m_messages; //!< ordered by sender first
    uint64_t m_bytes{0};                  //!< see GetBytes()
    uint64_t m_evicted{0};                //!< forgotten because of the limit
};

/**
 * @ingroup dlearn
 * Makes vectors of fragments, and refuses what is not to be trusted: the receiver's part of
 * MessageExchange. For each fragment that is intact:
 *
 *  -# it must come from a peer, as its address says (else counted as unknownSender);
 *  -# its header must name that peer as the sender (else wrongSender);
 *  -# the sink must want the message (else unwanted);
 *  -# the vector must have the length of its channel (else wrongLength);
 *  -# fragments of one message must agree with each other (else contradictory);
 *  -# a complete packed message must be a vector (else undecodable);
 *  -# a complete vector must be finite (else notFinite).
 *
 * The sink gets each complete message once, as a vector or as "came, but is not usable".
 */
class MessageReceiver
{
  public:
    using Source = MessageSource;           //!< who sent a message
    using Disposition = MessageDisposition; //!< what became of a message
    /** Asks what would become of a message. */
    using ClassifyCallback = Callback<Disposition, const Source&, uint32_t>;
    /** Gives a message, for the sink to move from, or says that one came that is not usable. */
    using OfferCallback = Callback<void, const Source&, uint32_t, std::optional<Arrival>&>;

    /** What was refused, over the whole run. */
    struct Counters
    {
        uint64_t malformed{0};     //!< datagrams or stretches of a stream that are no fragment
        uint64_t unknownSender{0}; //!< fragments from no peer's address
        uint64_t wrongSender{0};   //!< fragments of a peer that claim to be another learner's
        uint64_t contradictory{0}; //!< fragments that disagree with earlier ones
        uint64_t unwanted{0};      //!< fragments of messages that the sink did not want
        uint64_t wrongLength{0};   //!< fragments of vectors of another length
        uint64_t undecodable{0};   //!< messages of a packed encoding that are no vector
        uint64_t notFinite{0};     //!< messages with NaN or infinity
    };

    /** What the receiver needs to know of the learner's own messages and transport. */
    struct Surroundings
    {
        std::function<uint32_t(ModelChannel)> getLength; //!< entries of the vectors of a channel
        std::function<bool()> repeatsFragments;          //!< Transport::RepeatsFragments()
    };

    /**
     * @param self number of the local learner
     * @param unfinishedLimit unfinished messages that are kept of each sender, at least 1
     * @param surroundings are asked for every fragment
     */
    void Setup(LearnerId self, uint32_t unfinishedLimit, Surroundings surroundings);

    /** @return whether Setup() was called */
    bool IsSetUp() const { return m_assembler.has_value(); }

    /**
     * @param classify asked before fragments of a message are kept
     * @param offer given each message
     */
    void SetSink(ClassifyCallback classify, OfferCallback offer);

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

    /** @param size bytes that are no fragment */
    void HandleMalformed(uint32_t size);

    /**
     * @param from sender of a message
     * @param channel of the message
     * @param round of the message
     * @param length its bytes
     * @return what is still needed of it, in order; nothing when the sink does not want it
     */
    std::vector<ByteRange> FindMissing(LearnerId from,
                                       ModelChannel channel,
                                       uint32_t round,
                                       uint32_t length);

    /**
     * @param from sender of an unfinished message
     * @param channel of the message
     * @param round of the message
     * @param range of its bytes
     * @return these bytes; none when not all of them are here
     */
    std::vector<uint8_t> CopyBytes(LearnerId from,
                                   ModelChannel channel,
                                   uint32_t round,
                                   ByteRange range);

    /**
     * Take what there is of an unfinished message.
     *
     * @param source sender and channel
     * @param round of the message
     * @return the entries that came, when any did and all of them are finite
     */
    std::optional<Arrival> TakePartial(const Source& source, uint32_t round);

    /** @return what was refused so far */
    const Counters& GetCounters() const { return m_counters; }

    /** @return messages forgotten because too many were unfinished */
    uint64_t GetEvicted() const { return m_assembler ? m_assembler->GetEvicted() : 0; }

    /** @param totals counters of the whole run; what was refused and forgotten is added */
    void Count(std::map<std::string, uint64_t>& totals) const;

  private:
    /** @return whether it can be decoded and is finite; counted if not */
    bool IsUsable(const MessageAssembler::Key& key);

    /** Tell the sink that a message came that is not usable, once all of it has come. */
    void Refuse(const ModelHeader& header);

    LearnerId m_self{0};                         //!< see Setup()
    Surroundings m_surroundings;                 //!< see Setup()
    std::optional<MessageAssembler> m_assembler; //!< puts messages together; null before Setup()
    std::optional<FragmentLog> m_refused;        //!< of messages that are not kept; likewise
    ClassifyCallback m_classify;                 //!< of the sink
    OfferCallback m_offer;                       //!< of the sink
    Counters m_counters;                         //!< refused
};

} // namespace ns3::dlearn

#endif // DLEARN_MESSAGE_RECEIVER_H
