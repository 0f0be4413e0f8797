/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_WIRE_ATTACKS_H
#define DLEARN_WIRE_ATTACKS_H

#include "ns3/address.h"
#include "ns3/dlearn-message.h"
#include "ns3/dlearn-model-header.h"
#include "ns3/dlearn-training-application.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"

#include <map>
#include <vector>

namespace ns3::dlearn
{

/**
 * @param sender that the headers name
 * @param round of the message
 * @param channel of the message
 * @param values the vector, sent in 32-bit numbers
 * @param figures ride with it
 * @return all fragments of a message of the attacker, short enough for any transport
 */
std::vector<std::vector<uint8_t>> ForgeFragments(LearnerId sender,
                                                 uint32_t round,
                                                 ModelChannel channel,
                                                 const ModelVector& values,
                                                 const Figures& figures = {});

/**
 * @ingroup dlearn
 * Sends Copies malformed messages instead of one, with each Flaw in turn. A receiver closes a TCP
 * connection whose bytes are not a fragment.
 */
class MalformedBehavior : public ByzantineBehavior
{
  public:
    /** The mistake in a message. */
    enum class Flaw
    {
        VERSION,      //!< a header of another version
        CHECKSUM,     //!< a wrong checksum
        TRUNCATED,    //!< the first half of a fragment
        HUGE_LENGTHS, //!< a header whose lengths are all 2^32 - 1
        WRONG_LENGTH, //!< a well-formed vector with one entry too many
        NOT_FINITE    //!< a well-formed vector of NaN
    };

    /** Number of flaws. */
    static constexpr uint32_t FLAWS = 6;

    static TypeId GetTypeId();

    void Deliver(const AttackContext& context) override;

  private:
    uint32_t m_copies{1}; //!< attribute Copies
    uint64_t m_sent{0};   //!< messages so far, which select the flaw
};

/**
 * @ingroup dlearn
 * An attacker that violates the protocol: it sends any bytes, also in the name of others. Under its
 * own name it follows another behaviour, or is silent.
 *
 * It attacks its neighbours, the learners with which it exchanges messages, from its own address
 * and port. The neighbour of a client is the server; a client attacks the other clients (strangers)
 * by UDP datagrams from another port of its node, to the addresses of SetStrangers().
 */
class WireBehavior : public ByzantineBehavior
{
  public:
    static TypeId GetTypeId();

    /** @param inner behaviour under the attacker's own name; null: silent */
    void SetInner(Ptr<ByzantineBehavior> inner) { m_inner = inner; }

    /** @param strangers learners to attack that are not neighbours, and their sockets */
    void SetStrangers(const std::map<LearnerId, Address>& strangers);

    void Deliver(const AttackContext& context) final;
    void Cancel() override;
    void Receive(const std::pair<LearnerId, ModelChannel>& source,
                 uint32_t round,
                 const Arrival& arrival) override;
    int64_t AssignStreams(int64_t stream) override;

  protected:
    using Bytes = std::vector<uint8_t>; //!< one fragment

    void DoDispose() override;

    /** Attack in a round that begins. */
    virtual void Attack(const AttackContext& context) = 0;

    /** @return the names that it can use: of neighbours, strangers and itself */
    std::vector<LearnerId> GetNames(const AttackContext& context) const;

    /** Send fragments to every neighbour but the one that their headers name as the sender. */
    static void SendToNeighbors(const AttackContext& context,
                                LearnerId sender,
                                const std::vector<Bytes>& fragments);

    void SendToStrangers(const AttackContext& context, const std::vector<Bytes>& fragments) const;

    const std::map<LearnerId, Address>& GetStrangers() const { return m_strangers; }

    /** @return a fragment: a header, with length and checksum of the payload, and the payload */
    static Bytes Seal(ModelHeader header, const Bytes& payload);

  private:
    Ptr<ByzantineBehavior> m_inner; //!< attribute Inner; null: silent
    std::map<LearnerId, Address> m_strangers;
};

/**
 * @ingroup dlearn
 * Sends Scale times its own vector in the name of Victim, for this round and the next, so that it
 * arrives before the true one. Strangers get it as a model.
 */
class ImpersonateBehavior : public WireBehavior
{
  public:
    static TypeId GetTypeId();

  protected:
    void Attack(const AttackContext& context) override;

  private:
    uint32_t m_victim{0};
    double m_scale{-10};
};

/**
 * @ingroup dlearn
 * Sends a whole vector of round Round, under its own name. Strangers get the first number of a
 * model of that round, in the name of the server. A learner that believes it skips all rounds
 * before.
 */
class RoundJumpBehavior : public WireBehavior
{
  public:
    static TypeId GetTypeId();

  protected:
    void Attack(const AttackContext& context) override;

  private:
    uint32_t m_round{0};
};

/**
 * @ingroup dlearn
 * Every Period sends the first number of the round's vector and of a roster, under its own name, so
 * that it seems alive without sending a whole message. It continues between its rounds, for at most
 * Duration.
 */
class HeaderFloodBehavior : public WireBehavior
{
  public:
    static TypeId GetTypeId();

  protected:
    void DoDispose() override;
    void Attack(const AttackContext& context) override;

  private:
    /** Send headers without bodies, and again after the period. */
    void Beat();

    Time m_period;   //!< attribute Period
    Time m_duration; //!< attribute Duration
    Time m_end;
    AttackContext m_context;
    EventId m_event; //!< next beat
};

/**
 * @ingroup dlearn
 * Sends the first number of the vectors of this round and of the next Rounds in another encoding,
 * in its own name and those of all others that it knows. If a receiver believes it, the true
 * fragments contradict it, and the unfinished messages displace others in memory.
 */
class PoisonBehavior : public WireBehavior
{
  public:
    static TypeId GetTypeId();

  protected:
    void Attack(const AttackContext& context) override;

  private:
    uint32_t m_rounds{7};
};

/**
 * @ingroup dlearn
 * Sends a vector of one number in place of the round's vector, in its own name and those of all
 * others that it knows. If a receiver believes it, it ignores the true vector.
 */
class WrongLengthBehavior : public WireBehavior
{
  public:
    static TypeId GetTypeId();

  protected:
    void Attack(const AttackContext& context) override;
};

/**
 * @ingroup dlearn
 * Requests corrections as a server does after a round (UpdateCollector): from strangers in the name
 * of the server, from neighbours in its own name. The roster has all clients, or all but the
 * recipient.
 */
class RosterBehavior : public WireBehavior
{
  public:
    static TypeId GetTypeId();

  protected:
    void Attack(const AttackContext& context) override;
};

} // namespace ns3::dlearn

#endif // DLEARN_WIRE_ATTACKS_H
