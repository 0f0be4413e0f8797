/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_MESSAGE_EXCHANGE_H
#define DLEARN_MESSAGE_EXCHANGE_H

#include "dlearn-message-assembler.h"
#include "dlearn-message-disposition.h"
#include "dlearn-message-encoder.h"
#include "dlearn-transport.h"

#include "ns3/dlearn-counted-trace.h"
#include "ns3/type-id.h"

#include <map>
#include <optional>
#include <string>

namespace ns3::dlearn
{

class StateArchive;

/**
 * @ingroup dlearn
 * Messages of one learner: turns vectors into fragments and back, over any Transport, and
 * refuses what is not to be trusted. Peers, servers and clients all use this class.
 *
 * Sending: Send() makes one message of a vector (MessageEncoder, with the attributes FloatBits,
 * Compressor and ErrorFeedback) and hands it to the transport for all recipients. Settle() tells
 * whether any of it left. If not, the message is withdrawn, and error feedback goes back to where
 * it was: what later messages hold is then a function of vectors that were released.
 *
 * Receiving, for each fragment that is intact:
 *  -# it must come from a peer, as its address says (else counted as unknownSender);
 *  -# its header must name that peer as the sender (else wrongSender);
 *  -# the sink must want the message (Classify());
 *  -# the vector must have the model's dimension (else wrongLength);
 *  -# fragments of one message must agree with each other (else contradictory);
 *  -# a complete packed message must be a vector (else undecodable);
 *  -# a complete vector must be finite (else notFinite).
 *
 * What was packed how is in every message: learners that exchange need not agree on it.
 *
 * The sink gets each complete message once, as a vector or as "came, but is not usable".
 */
class MessageExchange : public Object
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
        uint64_t wrongLength{0};   //!< fragments of vectors of another dimension
        uint64_t undecodable{0};   //!< messages of a packed encoding that are no vector
        uint64_t notFinite{0};     //!< messages with NaN or infinity

        /** @param archive saves or loads the values */
        template <typename Archive>
        void VisitState(Archive& archive)
        {
            archive(malformed,
                    unknownSender,
                    wrongSender,
                    contradictory,
                    unwanted,
                    wrongLength,
                    undecodable,
                    notFinite);
        }
    };

    /** What a message takes on the way. */
    struct MessageSize
    {
        uint64_t bytes{0};   //!< of all fragments, with their headers
        uint64_t packets{0}; //!< that carry them
    };

    /** @return the TypeId */
    static TypeId GetTypeId();

    /** @param archive saves or loads what changes during a run */
    void VisitState(StateArchive& archive);

    /**
     * @param node owns the sockets
     * @param self number of the local learner
     * @param peers the learners to exchange with
     * @param dimension entries of every vector, unless SetLength() says otherwise
     * @throw std::invalid_argument when an attribute, also of the compressor, is out of its range
     */
    void Setup(Ptr<Node> node, LearnerId self, const Transport::Peers& peers, uint32_t dimension);

    /**
     * Set another length than the model's for the vectors of a channel. They are sent as plain
     * numbers, never compressed.
     *
     * @param channel the channel
     * @param length entries of its vectors, at least 1
     */
    void SetLength(ModelChannel channel, uint32_t length);

    /** @return the learner's own compressor, to set its attributes before Setup(); null for none */
    Ptr<Compressor> GetCompressor() const
    {
        return m_compressor;
    }

    /**
     * Fix the streams of the compressor, and those of the transport, which are far from them.
     *
     * @param stream first stream number
     * @return how many are used
     */
    int64_t AssignStreams(int64_t stream);

    /**
     * @param classify asked before fragments of a message are kept
     * @param offer given each message
     */
    void SetSink(ClassifyCallback classify, OfferCallback offer);

    /** Once set up: receivers use the newest messages only, see Transport::PreferNewest(). */
    void PreferNewest();

    /** Open the sockets. */
    void Open();

    /** Close the sockets and forget unfinished messages. */
    void Close();

    /**
     * @param round of the message
     * @param outgoing the vector and its recipients
     */
    void Send(uint32_t round, Outgoing outgoing);

    /**
     * Send bytes that need not be a message. Honest learners do not.
     *
     * @param round under which the transport counts them
     * @param recipients peers
     * @param bytes what is sent, in one piece; not empty
     */
    void SendBytes(uint32_t round,
                   const std::vector<LearnerId>& recipients,
                   const std::vector<uint8_t>& bytes);

    /**
     * End the sending of a round, before anything of a later round is sent; what has not left is
     * withdrawn, if all of it has not.
     *
     * @param round a round whose sending is over
     * @return whether any byte of its messages left the node (Transport::Settle)
     */
    bool Settle(uint32_t round);

    /**
     * Take what there is of an unfinished message.
     *
     * @param source sender and channel
     * @param round of the message
     * @return the entries that came, when any did and all of them are finite
     */
    std::optional<Arrival> TakePartial(const Source& source, uint32_t round);

    /**
     * Signature of the traces MessageTx and MessageWithdrawn.
     * @param message what was to be sent
     * @param recipients who gets it
     */
    using MessageTracedCallback = void (*)(const EncodedMessage& message,
                                           const std::vector<LearnerId>& recipients);

    /** @return what was refused so far */
    Counters GetCounters() const
    {
        return m_counters;
    }

    /** @return messages forgotten because too many were unfinished */
    uint64_t GetEvicted() const;

    /**
     * @param totals counters of the whole run; what was refused, forgotten and not sent is added
     */
    void Count(std::map<std::string, uint64_t>& totals) const;

    /**
     * After Setup(), and Open() where the size of packets depends on it.
     *
     * @param channel the channel
     * @return what a message of the channel takes
     */
    MessageSize GetMessageSize(ModelChannel channel) const;

    /** @return whether listeners of a trace are being called */
    bool IsTracing() const
    {
        return m_tracing > 0 || m_transport->IsTracing();
    }

    /** @return the transport, for its counters */
    Ptr<const Transport> GetTransport() const
    {
        return m_transport;
    }

  protected:
    void DoDispose() override;

  private:
    /** A message that the transport has, of which nothing has left. */
    struct Waiting
    {
        Transport::Message message;        //!< what
        std::vector<LearnerId> recipients; //!< who gets it
    };

    /** @return whether Setup() was called */
    bool IsSetUp() const;

    /**
     * @param message to hand to the transport
     * @param recipients of the message
     */
    void Publish(Transport::Message message, const std::vector<LearnerId>& recipients);

    /** @param message of which the first byte is leaving */
    void HandleDeparture(const EncodedMessage& message);

    /** Tell of messages that the transport keeps no longer though no byte of them left. */
    void ForgetWithdrawn();

    /**
     * @param key of a message that has arrived
     * @return whether it can be decoded and is finite; counted if not
     */
    bool IsUsable(const MessageAssembler::Key& key);

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
    /** @return what is still needed of a message, in order */
    std::vector<ByteRange> FindMissing(LearnerId from,
                                       ModelChannel channel,
                                       uint32_t round,
                                       uint32_t length);

    /** @return bytes of an unfinished message; none when not all of them are here */
    std::vector<uint8_t> CopyBytes(LearnerId from,
                                   ModelChannel channel,
                                   uint32_t round,
                                   ByteRange range);

    bool m_errorFeedback{false};                 //!< attribute ErrorFeedback
    uint8_t m_floatBits{32};                     //!< attribute FloatBits
    Ptr<Compressor> m_compressor;                //!< attribute Compressor; null for none
    uint32_t m_unfinishedLimit{8};               //!< attribute UnfinishedLimit
    Ptr<Transport> m_transport;                  //!< attribute Transport
    LearnerId m_self{0};                         //!< the local learner
    MessageEncoder m_encoder;                    //!< makes messages of vectors
    std::optional<MessageAssembler> m_assembler; //!< puts them together
    ClassifyCallback m_classify;                 //!< of the sink
    OfferCallback m_offer;                       //!< of the sink
    Counters m_counters;                         //!< refused
    bool m_open{false};                          //!< whether the sockets are open
    std::vector<Waiting> m_waiting;              //!< nothing left yet, oldest first

    uint32_t m_tracing{0}; //!< traces whose listeners are being called; declared before them
    CountedTrace<const EncodedMessage&, const std::vector<LearnerId>&> m_messageTxTrace{
        m_tracing}; //!< MessageTx
    CountedTrace<const EncodedMessage&, const std::vector<LearnerId>&> m_messageWithdrawnTrace{
        m_tracing}; //!< MessageWithdrawn
};

} // namespace ns3::dlearn

#endif // DLEARN_MESSAGE_EXCHANGE_H
