/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_MESSAGE_RECEIVER_H
#define DLEARN_MESSAGE_RECEIVER_H

#include "dlearn-fragment-log.h"
#include "dlearn-message-assembler.h"
#include "dlearn-message-disposition.h"

#include "ns3/callback.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ns3::dlearn
{

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
    /**
     * @param key of a message that has arrived
     * @return whether it can be decoded and is finite; counted if not
     */
    bool IsUsable(const MessageAssembler::Key& key);

    /**
     * Tell the sink that a message came that is not usable, once all of it has come.
     *
     * @param header of a fragment of it
     */
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
