/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TRANSPORT_H
#define DLEARN_TRANSPORT_H

#include "dlearn-encoded-message.h"
#include "dlearn-model-header.h"

#include "ns3/address.h"
#include "ns3/callback.h"
#include "ns3/dlearn-endpoint.h"
#include "ns3/dlearn-trace-connections.h"
#include "ns3/node.h"
#include "ns3/object.h"

#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Carries fragments between learners over sockets of the node: the only class that distinguishes
 * UDP from TCP. A fragment is a packet that begins with a ModelHeader; its payload is real model
 * bytes. A transport neither looks at rounds nor puts fragments together.
 *
 * The address identifies a peer: every fragment is passed on with the peer whose address the
 * network reports as its source, whatever its header claims. A peer may use any address of its
 * node, as nodes have one for each link, but only its own port, which distinguishes several
 * learners of a node. A transport cannot detect forged IP source addresses.
 *
 * Setup() is called once, then Open() and Close() as often as the application starts and stops or
 * crashes.
 */
class Transport : public Object
{
  public:
    /** Called for every intact fragment, with its sender; without a sender for a stranger's. */
    using ReceiveCallback =
        Callback<void, std::optional<LearnerId>, const ModelHeader&, const uint8_t*>;
    /** Called for bytes that are not a fragment, with their number. */
    using MalformedCallback = Callback<void, uint32_t>;
    /**
     * Asked for the missing ranges of a peer's message: its channel, round and length in bytes. The
     * answer is in order; it is empty when the message is here or not wanted.
     */
    using MissingCallback =
        Callback<std::vector<ByteRange>, LearnerId, ModelChannel, uint32_t, uint32_t>;
    /**
     * Asked for received bytes of a peer's unfinished message: its channel, round and range. The
     * answer is empty when they are not here.
     */
    using BytesCallback =
        Callback<std::vector<uint8_t>, LearnerId, ModelChannel, uint32_t, ByteRange>;
    /**
     * Address of each peer, as this node sees it: an IP address for a peer that has the same port
     * as the local learner, or else a socket address; all of IPv4, or all of IPv6.
     */
    using Peers = std::map<LearnerId, Address>;

    /** A message is encoded once and kept until its last fragment was sent. */
    using Message = std::shared_ptr<const EncodedMessage>;

    static TypeId GetTypeId();

    /**
     * @param node owns the sockets; must have a stack of IPv4 or IPv6
     * @param self number of the local learner
     * @param peers the learners to exchange with
     * @throw std::invalid_argument naming a peer whose address is not one of IP, two peers that
     *        share address and port or have different versions of IP, or a wrong attribute
     */
    void Setup(Ptr<Node> node, LearnerId self, const Peers& peers);

    /** @param fragment for intact fragments @param malformed for all other bytes */
    void SetCallbacks(ReceiveCallback fragment, MalformedCallback malformed)
    {
        m_fragment = fragment;
        m_malformed = malformed;
    }

    /** For transports that repair losses; without them nothing is missing. */
    void SetRepairCallbacks(MissingCallback missing, BytesCallback bytes)
    {
        m_missing = missing;
        m_bytes = bytes;
    }

    /** Fix the random streams. @return how many are used; 0 unless overridden */
    virtual int64_t AssignStreams(int64_t /* stream */) { return 0; }

    /** Create the sockets, unless they exist: then more messages follow after Finish(). */
    virtual void Open() = 0;

    /** Close the sockets; data that was not handed to them is forgotten. */
    virtual void Close() = 0;

    /**
     * Peers use only the newest message of each channel: older ones of which nothing has left may
     * be given up for it. Without this call a transport keeps all messages, and their order.
     */
    void PreferNewest() { m_newestOnly = true; }

    /**
     * No message will follow until it is opened again: messages that wait for a peer that cannot be
     * reached may be given up after some time.
     */
    void Finish() { m_finished = true; }

    /** Send the fragments of one message to some peers. */
    virtual void Send(const Message& message, const std::vector<LearnerId>& recipients) = 0;

    /**
     * Whether any byte of a round's messages left this node. If none did, they never will:
     * the transport forgets those still waiting, so that the answer stays true.
     *
     * @param round a round, usually the one that closes
     * @return whether the node has released anything of it
     */
    virtual bool Settle(uint32_t round) = 0;

    /**
     * @return whether a message of the round waits for the sender's turn on a shared medium; its
     *         departure will be traced, unless the round is settled before. No unless overridden
     */
    virtual bool IsWaitingForTurn(uint32_t /* round */) const { return false; }

    /** @return most bytes of payload that one fragment should carry */
    virtual uint32_t GetFragmentSize() const = 0;

    /** @return most bytes of fragments, with headers, in one packet; one fragment's by default */
    virtual uint32_t GetPacketSize() const { return GetFragmentSize() + ModelHeader::SIZE; }

    /**
     * @return how often a message of some bytes, in packets of the usual size, has to wait for an
     *         answer of the other side, in round trips, when nothing was sent before; 0 unless
     *         overridden
     */
    virtual double CountRoundTrips(uint64_t /* bytes */) const { return 0; }

    /** @return whether lost data are sent again; no unless overridden */
    virtual bool IsReliable() const { return false; }

    /**
     * @param packets that carry a message
     * @param loss probability that one of them is lost on the way
     * @return probability that the whole message arrives: that no packet is lost unless overridden,
     *         or 1 where lost data are sent again
     */
    virtual double GetWholeShare(uint64_t packets, double loss) const
    {
        return IsReliable() ? 1 : std::pow(1 - loss, packets);
    }

    /** @return whether fragments come again to receivers that have them; no unless overridden */
    virtual bool RepeatsFragments() const { return false; }

    /** @return whether peers are reached by IPv6; not before Setup() */
    bool IsIpv6() const { return !m_peers.empty() && m_peers.begin()->second.ip.IsIpv6(); }

    /** @return whether listeners of the trace are being called */
    bool IsTracing() const { return m_tracing > 0; }

    /** @return bytes handed to sockets so far, headers of dlearn included */
    uint64_t GetTxBytes() const { return m_txBytes; }

    /** @return bytes taken from sockets so far, headers of dlearn included */
    uint64_t GetRxBytes() const { return m_rxBytes; }

    /** @return fragments that a socket or a full queue refused so far */
    uint64_t GetTxRefused() const { return m_txRefused; }

    /** @param totals counters of the whole run; those of this transport are added */
    virtual void Count(std::map<std::string, uint64_t>& totals) const
    {
        totals["tx_refused_fragments"] += m_txRefused;
    }

    /** Signature of the trace Departure. @param message its first byte has left */
    using DepartureTracedCallback = void (*)(const EncodedMessage& message);

  protected:
    void DoDispose() override;

    /** @return whether Setup() was called: attributes that it reads cannot change any more */
    bool IsSetUp() const { return m_node != nullptr; }

    /** @return the port of the local learner */
    virtual uint16_t GetPort() const = 0;

    /** Called by Setup(). @throw std::invalid_argument naming a wrong attribute */
    virtual void CheckAttributes() const {}

    /** @return address and port of a peer @throw std::invalid_argument for a stranger */
    const Endpoint& GetAddress(LearnerId peer) const;

    /** @return the peer that sends from, or listens at, an endpoint; nothing for a stranger */
    std::optional<LearnerId> FindPeer(const Endpoint& endpoint);

    /**
     * Check bytes that claim to be one fragment and pass them on.
     *
     * @param from the peer that they came from; nothing for a stranger
     * @param bytes header and payload
     * @param size number of bytes
     * @return whether they were one intact fragment
     */
    bool Deliver(std::optional<LearnerId> from, const uint8_t* bytes, uint32_t size);

    /**
     * @return the largest IP packet, in bytes, that every device of the node sends unfragmented
     * @throw std::invalid_argument when it is too small for models, below 128
     */
    uint32_t GetSmallestMtu() const;

    /** @return the answer of MissingCallback for a message of some bytes; nothing without it */
    std::vector<ByteRange> FindMissing(LearnerId from,
                                       ModelChannel channel,
                                       uint32_t round,
                                       uint32_t length) const;

    /** @return the answer of BytesCallback; nothing without it */
    std::vector<uint8_t> CopyBytes(LearnerId from,
                                   ModelChannel channel,
                                   uint32_t round,
                                   ByteRange range) const;

    /** Report bytes that were not a fragment. */
    void ReportMalformed(uint32_t size);

    /** Count the bytes of a message that a socket accepted. */
    void CountSent(const EncodedMessage& message, uint32_t size);

    Ptr<Node> m_node;                      //!< owns the sockets
    LearnerId m_self{0};                   //!< the local learner
    std::map<LearnerId, Endpoint> m_peers; //!< the learners to exchange with
    uint64_t m_txBytes{0};                 //!< handed to sockets
    uint64_t m_rxBytes{0};                 //!< taken from sockets
    bool m_newestOnly{false};              //!< see PreferNewest()
    bool m_finished{false};                //!< see Finish(); false again when it is opened
    uint64_t m_txRefused{0};               //!< fragments refused

  private:
    void AddOtherAddresses();

    std::map<Endpoint, LearnerId> m_peerAt; //!< the peer at each endpoint
    bool m_hasOthers{false};                //!< whether other addresses of peers are in it, too
    ReceiveCallback m_fragment;             //!< takes intact fragments
    MalformedCallback m_malformed;          //!< takes the number of other bytes
    MissingCallback m_missing;              //!< may be null
    BytesCallback m_bytes;                  //!< may be null

    uint32_t m_tracing{0}; //!< whether listeners of the trace are being called
    CountedTrace<const EncodedMessage&> m_departureTrace{m_tracing}; //!< Departure
};

} // namespace ns3::dlearn

#endif // DLEARN_TRANSPORT_H
