/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TRANSPORT_H
#define DLEARN_TRANSPORT_H

#include "dlearn-encoded-message.h"

#include "ns3/callback.h"
#include "ns3/ipv4-address.h"
#include "ns3/node.h"
#include "ns3/object.h"

#include <map>
#include <memory>
#include <vector>

namespace ns3
{
namespace dlearn
{

/**
 * @ingroup dlearn
 * Carries fragments between learners over sockets of the node: the one place that knows UDP
 * from TCP. A fragment is a packet that begins with a ModelHeader; its payload is real model
 * bytes. A transport neither looks at rounds nor puts fragments together.
 *
 * Life: Setup() once, then Open() and Close() as often as the application starts and stops
 * or crashes.
 */
class Transport : public Object
{
  public:
    /** What a transport calls for every fragment that came in, valid or not. */
    using ReceiveCallback = Callback<void, const ModelHeader&, const uint8_t*>;
    /** What a transport calls for bytes that are not a fragment: their number. */
    using MalformedCallback = Callback<void, uint32_t>;
    /** Address of each peer, as this node sees it. */
    using Peers = std::map<LearnerId, Ipv4Address>;

    /** @return the TypeId */
    static TypeId GetTypeId();

    /**
     * @param node owns the sockets; must have an IPv4 stack
     * @param self number of the local learner
     * @param peers whom to exchange with
     */
    void Setup(Ptr<Node> node, LearnerId self, const Peers& peers);

    /**
     * @param fragment called with header and payload of each intact fragment
     * @param malformed called with the size of whatever is no intact fragment
     */
    void SetCallbacks(ReceiveCallback fragment, MalformedCallback malformed);

    /** Create the sockets. */
    virtual void Open() = 0;

    /** Close the sockets; what was not handed to them is forgotten. */
    virtual void Close() = 0;

    /** A message is encoded once and kept until its last fragment was sent. */
    using Message = std::shared_ptr<const EncodedMessage>;

    /**
     * Send the fragments of one message.
     *
     * @param message what
     * @param recipients peers
     */
    virtual void Send(const Message& message, const std::vector<LearnerId>& recipients) = 0;

    /**
     * Whether any byte of a round's messages left this node. If none did, they never will:
     * the transport forgets those still waiting, so that the answer stays true.
     *
     * @param round a round, usually the one that closes
     * @return whether the node has released anything of it
     */
    virtual bool Settle(uint32_t round) = 0;

    /** @return most bytes of payload that one fragment should carry */
    virtual uint32_t GetFragmentSize() const = 0;

    /** @return bytes handed to sockets so far, headers of dlearn included */
    uint64_t GetTxBytes() const;

    /** @return bytes taken from sockets so far, headers of dlearn included */
    uint64_t GetRxBytes() const;

    /** @return fragments that a socket or a full queue refused so far */
    uint64_t GetTxRefused() const;

  protected:
    void DoDispose() override;

    /**
     * Check bytes that claim to be one fragment and pass them on.
     *
     * @param bytes header and payload
     * @param size how many bytes there are
     * @return whether they were one intact fragment
     */
    bool Deliver(const uint8_t* bytes, uint32_t size);

    /**
     * @return the largest IP packet, in bytes, that every device of the node sends unfragmented
     * @throw std::invalid_argument when it is too small for models, below 128
     */
    uint32_t GetSmallestMtu() const;

    /** @param size bytes that were no fragment */
    void ReportMalformed(uint32_t size);

    Ptr<Node> m_node;        //!< owns the sockets
    LearnerId m_self{0};     //!< the local learner
    Peers m_peers;           //!< whom to exchange with
    uint64_t m_txBytes{0};   //!< handed to sockets
    uint64_t m_rxBytes{0};   //!< taken from sockets
    uint64_t m_txRefused{0}; //!< fragments refused

  private:
    ReceiveCallback m_fragment;    //!< wants intact fragments
    MalformedCallback m_malformed; //!< wants to know of the rest
};

} // namespace dlearn
} // namespace ns3

#endif // DLEARN_TRANSPORT_H
