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
 * Fragments that an attacker makes itself, past its message layer. Their payload is as long as any
 * transport takes it.
 *
 * @param sender that they name
 * @param round of the message
 * @param channel of the message
 * @param values the vector, in 32-bit numbers
 * @return all fragments of the vector
 */
std::vector<std::vector<uint8_t>> ForgeFragments(LearnerId sender,
                                                 uint32_t round,
                                                 ModelChannel channel,
                                                 const ModelVector& values);

/**
 * @ingroup dlearn
 * Sends garbage instead of every message, Copies times, of each Flaw in turn. By TCP the receiver
 * breaks a connection on which bytes come that are no fragment.
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
        WRONG_LENGTH, //!< a well-formed vector of one entry too many
        NOT_FINITE    //!< a well-formed vector of NaN
    };

    /** Number of flaws. */
    static constexpr uint32_t FLAWS = 6;

    static TypeId GetTypeId();

    void Deliver(const AttackContext& context) override;

  private:
    uint32_t m_copies{1}; //!< attribute Copies
    uint64_t m_sent{0};   //!< messages so far; tells whose turn it is
};

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

    /** @param inner its behaviour under its own name; null for silence */
    void SetInner(Ptr<ByzantineBehavior> inner) { m_inner = inner; }

    /** @param strangers learners to attack that it does not exchange with, and their sockets */
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

    /** @return in whose names it can speak: its neighbours', the strangers' and its own */
    std::vector<LearnerId> GetNames(const AttackContext& context) const;

    /** Send fragments to every recipient of the round's first vector but the sender that their
     * headers name. */
    static void SendToNeighbors(const AttackContext& context,
                                LearnerId sender,
                                const std::vector<Bytes>& fragments);

    /** Send fragments to all strangers, as from the one that they exchange with. */
    void SendToStrangers(const AttackContext& context, const std::vector<Bytes>& fragments) const;

    const std::map<LearnerId, Address>& GetStrangers() const { return m_strangers; }

    /** @return a fragment: a header that gets length and checksum of the payload, and the payload
     */
    static Bytes Seal(ModelHeader header, const Bytes& payload);

  private:
    Ptr<ByzantineBehavior> m_inner; //!< attribute Inner; null for silence
    std::map<LearnerId, Address> m_strangers;
};

/**
 * @ingroup dlearn
 * Sends Scale times its own vector in the name of Victim, for this round and also for the next, so
 * that it arrives before the true one. Strangers, the other clients of a federation, get it as a
 * model.
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
 * Sends a whole vector of round Round, under its own name. To strangers it sends the first number
 * of a model of that round, in the name of their server. A learner that believes it skips all
 * rounds before.
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
 * Every Period sends the first number of the round's vector and that of a roster, under its own
 * name, so that it seems alive without ever sending a whole message. It continues between its
 * rounds, but no longer than Duration.
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
 * Sends the first number of the vectors of this round and of Rounds to come in another encoding, in
 * the name of all others that it knows and its own: where that is believed, the true fragments
 * contradict it, and the unfinished messages drive others out of memory.
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
 * Sends a vector of one number in place of the round's, in the name of all others that it knows and
 * its own: where that is believed, the true vector has come and cannot be used.
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
 * Asks for corrections as a server does after a round (UpdateCollector): strangers in the name of
 * their server, neighbours in its own name. It asks about all clients, and about all but the one
 * that it asks.
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
