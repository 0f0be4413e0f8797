/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_WIRE_BEHAVIOR_H
#define DLEARN_WIRE_BEHAVIOR_H

#include "ns3/address.h"
#include "ns3/dlearn-model-header.h"
#include "ns3/dlearn-training-application.h"

#include <map>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * An attacker that violates the protocol: it sends bytes of its choice, also in the name of
 * others. Under its own name it does what another behaviour does, or is silent.
 *
 * It attacks the learners with which it exchanges messages, from its own address and port. A client
 * exchanges messages with the server only. It attacks the other clients by UDP datagrams from
 * another port of its node, for which it has to know their addresses (SetStrangers()).
 */
class WireBehavior : public ByzantineBehavior
{
  public:
    static TypeId GetTypeId();


    /** @param inner what it does under its own name; null for nothing */
    void SetInner(Ptr<ByzantineBehavior> inner) { m_inner = inner; }

    /** @param strangers learners to attack that it does not exchange with, and their sockets */
    void SetStrangers(const std::map<LearnerId, Address>& strangers);

    void Deliver(LearnerId learner,
                 uint32_t round,
                 const Outbox& outbox,
                 const SendPort& port) final;
    void Cancel() override;
    void Receive(const std::pair<LearnerId, ModelChannel>& source,
                 uint32_t round,
                 const Arrival& arrival) override;
    int64_t AssignStreams(int64_t stream) override;

  protected:
    using Bytes = std::vector<uint8_t>; //!< one fragment

    /** A round of the attacker. */
    struct Occasion
    {
        LearnerId learner{0}; //!< the attacker
        uint32_t round{0};    //!< the round
        Outbox outbox;        //!< what an honest learner would send
        SendPort port;        //!< sends
    };

    void DoDispose() override;

    /** @param occasion the round that begins */
    virtual void Attack(const Occasion& occasion) = 0;

    /**
     * @param occasion the round
     * @return in whose names it can speak: its neighbours', the strangers' and its own
     */
    std::vector<LearnerId> GetNames(const Occasion& occasion) const;

    /**
     * Send to every recipient of the round's first vector but the sender named.
     *
     * @param occasion the round
     * @param sender who the header says it is
     * @param fragments what
     */
    static void SendToNeighbors(const Occasion& occasion,
                                LearnerId sender,
                                const std::vector<Bytes>& fragments);

    /**
     * Send to all strangers, as from the one that they exchange with.
     *
     * @param occasion the round
     * @param fragments what
     */
    void SendToStrangers(const Occasion& occasion, const std::vector<Bytes>& fragments) const;

    /** @return who is not a neighbour, and where */
    const std::map<LearnerId, Address>& GetStrangers() const { return m_strangers; }

    /**
     * @param header all but the lengths of the payload
     * @param payload of the one fragment
     * @return header and payload, with a checksum that is right
     */
    static Bytes Seal(ModelHeader header, const Bytes& payload);

  private:
    Ptr<ByzantineBehavior> m_inner;           //!< attribute Inner; null for silence
    std::map<LearnerId, Address> m_strangers; //!< learners that it does not exchange with
};

} // namespace ns3::dlearn

#endif // DLEARN_WIRE_BEHAVIOR_H
