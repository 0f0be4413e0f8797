/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_MESSAGE_EXCHANGE_H
#define DLEARN_MESSAGE_EXCHANGE_H

#include "dlearn-encoded-message.h"
#include "dlearn-message-receiver.h"
#include "dlearn-multiple-access-channel.h"
#include "dlearn-transport.h"

#include "ns3/dlearn-trace-connections.h"
#include "ns3/type-id.h"

#include <map>
#include <optional>
#include <set>
#include <string>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Messages of one learner: turns vectors into fragments and back, over any Transport, and refuses
 * untrustworthy data. Peers, servers and clients all use this class.
 *
 * Sending: Send() makes one message of a vector (MessageEncoder, with the attributes FloatBits,
 * Compressor and ErrorFeedback) and hands it to the transport for all recipients. Settle() returns
 * whether any of it left. If not, the message is withdrawn, and error feedback returns to its state
 * before: later messages are then a function of vectors that were released.
 *
 * Receiving: MessageReceiver checks the fragments, puts them together and hands whole messages to
 * the sink.
 *
 * Each message names its encoding: learners that exchange need not agree on one.
 *
 * With the attribute Air, updates (ModelChannel::UPDATE) do not travel in packets: they add up in a
 * slot of a MultipleAccessChannel, and the server gets their mean.
 */
class MessageExchange : public Object
{
  public:
    using Source = MessageSource;           //!< sender and channel
    using Disposition = MessageDisposition; //!< fate of a message
    /** @copydoc MessageReceiver::ClassifyCallback */
    using ClassifyCallback = MessageReceiver::ClassifyCallback;
    /** @copydoc MessageReceiver::OfferCallback */
    using OfferCallback = MessageReceiver::OfferCallback;
    using Counters = MessageReceiver::Counters; //!< refused data, over the whole run

    /** The size of a message on the wire. */
    struct MessageSize
    {
        uint64_t bytes{0};   //!< of all fragments, with their headers
        uint64_t packets{0}; //!< that carry them
    };

    static TypeId GetTypeId();

    /**
     * @param node owns the sockets
     * @param self number of the local learner
     * @param peers the learners to exchange with
     * @param dimension entries of every vector, unless SetLength() sets another number
     * @throw std::invalid_argument when an attribute, also of the compressor, is out of its range
     */
    void Setup(Ptr<Node> node, LearnerId self, const Transport::Peers& peers, uint32_t dimension);

    /** @copydoc MessageEncoder::SetLength() */
    void SetLength(ModelChannel channel, uint32_t length) { m_encoder.SetLength(channel, length); }

    /** @copydoc MessageEncoder::SetFormat() */
    void SetFormat(ModelChannel channel, const MessageFormat& format);

    /** @return the learner's compressor, to set its attributes before Setup(); null: none */
    Ptr<Compressor> GetCompressor() const { return m_compressor; }

    /**
     * Fix the streams of the compressor, and those of the transport, which are far from them.
     *
     * @param stream first stream number
     * @return number of streams used
     */
    int64_t AssignStreams(int64_t stream);

    /** @copydoc MessageReceiver::SetSink() */
    void SetSink(ClassifyCallback classify, OfferCallback offer)
    {
        m_receiver.SetSink(classify, offer);
    }

    /** Once set up: receivers use the newest messages only, see Transport::PreferNewest(). */
    void PreferNewest() { m_transport->PreferNewest(); }

    /** Open the sockets, see Transport::Open(). */
    void Open();

    /** No message will follow, see Transport::Finish(). */
    void Finish() { m_transport->Finish(); }

    /** Close the sockets and forget unfinished messages. */
    void Close();

    /** Before Setup(): the rule itself makes up for compression errors, see MessageEncoder. */
    void SetCorrected() { m_corrected = true; }

    /** @param round of the message @param outgoing the vector and its recipients
     *  @return the message */
    Transport::Message Send(uint32_t round, Outgoing outgoing);

    /**
     * Send bytes that need not be a message. Honest learners do not.
     *
     * @param round under which the transport counts them
     * @param recipients peers
     * @param bytes sent in one piece; not empty
     */
    void SendBytes(uint32_t round,
                   const std::vector<LearnerId>& recipients,
                   const std::vector<uint8_t>& bytes);

    /**
     * End the sending of a round, before anything of a later round is sent; a message of which
     * nothing has left is withdrawn.
     *
     * @param round a round whose sending is over
     * @return whether any byte of its messages left the node (Transport::Settle)
     */
    bool Settle(uint32_t round);

    /**
     * Take the received part of an unfinished message.
     *
     * @param source sender and channel
     * @param round of the message
     * @return the received entries; nothing unless there are some and all are finite
     */
    std::optional<Arrival> TakePartial(const Source& source, uint32_t round)
    {
        return m_receiver.TakePartial(source, round);
    }

    /** @return the attribute Air; null: updates are packets */
    Ptr<MultipleAccessChannel> GetAir() const { return m_air; }

    /** @copydoc MultipleAccessChannel::Await() */
    void Await(uint32_t round,
               const std::vector<LearnerId>& asked,
               const std::vector<LearnerId>& awaited)
    {
        if (m_air)
        {
            m_air->Await(round, asked, awaited);
        }
    }

    /** @copydoc MultipleAccessChannel::Close() */
    std::optional<MultipleAccessChannel::Sum> TakeSum(uint32_t round)
    {
        return m_air ? m_air->Close(round) : std::nullopt;
    }

    /** Signature of the trace Radiation. @param joules of a message on the air */
    using RadiationTracedCallback = void (*)(double joules);

    /** Signature of the traces MessageTx and MessageWithdrawn: message and recipients. */
    using MessageTracedCallback = void (*)(const EncodedMessage& message,
                                           const std::vector<LearnerId>& recipients);

    /** @return refused data so far */
    Counters GetCounters() const { return m_receiver.GetCounters(); }

    /** @return messages forgotten because too many were unfinished */
    uint64_t GetEvicted() const { return m_receiver.GetEvicted(); }

    /** @param totals counters of the whole run; those of receiver and transport are added */
    void Count(std::map<std::string, uint64_t>& totals) const;

    /** @return the size of a message; after Setup(), and Open() where packets depend on it */
    MessageSize GetMessageSize(ModelChannel channel) const;

    /** @return whether listeners of a trace are being called */
    bool IsTracing() const { return m_tracing > 0 || m_transport->IsTracing(); }

    /** @return the transport, for its counters */
    Ptr<const Transport> GetTransport() const { return m_transport; }

  protected:
    void DoDispose() override;

  private:
    /** A message that the transport has, of which nothing has left. */
    struct Waiting
    {
        Transport::Message message;        //!< waits
        std::vector<LearnerId> recipients; //!< its peers
    };

    bool IsSetUp() const { return m_receiver.IsSetUp(); }

    void Publish(Transport::Message message, const std::vector<LearnerId>& recipients);

    void HandleDeparture(const EncodedMessage& message);

    void HandleRadiation(const EncodedMessage& message, double joules);

    /** Trace messages that the transport has given up before any byte of them left. */
    void ForgetWithdrawn();

    bool m_errorFeedback{false};      //!< attribute ErrorFeedback
    bool m_corrected{false};          //!< whether SetCorrected() was called
    uint8_t m_floatBits{32};          //!< attribute FloatBits
    Ptr<Compressor> m_compressor;     //!< attribute Compressor; null: none
    uint32_t m_unfinishedLimit{8};    //!< attribute UnfinishedLimit
    Ptr<Transport> m_transport;       //!< attribute Transport
    Ptr<MultipleAccessChannel> m_air; //!< attribute Air; null: none
    std::set<uint32_t> m_radiated;    //!< rounds, until settled
    LearnerId m_self{0};              //!< the local learner
    MessageEncoder m_encoder;         //!< makes messages of vectors
    MessageReceiver m_receiver;       //!< makes vectors of messages
    std::vector<Waiting> m_waiting;   //!< nothing left yet, oldest first

    uint32_t m_tracing{0}; //!< traces whose listeners are being called; declared before them
    CountedTrace<const EncodedMessage&, const std::vector<LearnerId>&> m_messageTxTrace{
        m_tracing}; //!< MessageTx
    CountedTrace<const EncodedMessage&, const std::vector<LearnerId>&> m_messageWithdrawnTrace{
        m_tracing};                                   //!< MessageWithdrawn
    CountedTrace<double> m_radiationTrace{m_tracing}; //!< Radiation
};

} // namespace ns3::dlearn

#endif // DLEARN_MESSAGE_EXCHANGE_H
