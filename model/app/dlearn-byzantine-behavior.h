/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_BYZANTINE_BEHAVIOR_H
#define DLEARN_BYZANTINE_BEHAVIOR_H

#include "ns3/address.h"
#include "ns3/callback.h"
#include "ns3/dlearn-message.h"
#include "ns3/object.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The ways out of a learner that it leaves to its behaviour for one round.
 */
struct SendPort
{
    /** Send a vector as a message of the round. Any number of times until done. */
    Callback<void, const Outgoing&> send;
    /** Send bytes to neighbours that need not be a message. As often as wanted, also when done. */
    Callback<void, const std::vector<LearnerId>&, const std::vector<uint8_t>&> sendBytes;
    /** Send a UDP datagram to any address, from another port than the learner's. Likewise. */
    Callback<void, const Address&, const std::vector<uint8_t>&> sendDatagram;
    /** The learner has finished the round. To be called once, by Deliver() or later. */
    Callback<void> done;
};

/**
 * @ingroup dlearn
 * What a Byzantine learner, peer or client, does with the vectors that its rule made, instead of
 * sending them. The rest of the learner (its sockets, its training, when a round begins) is that
 * of any other: an attacker is the same application with a behaviour set.
 *
 * For each round the learner calls Deliver() once, and Cancel() when the round ended before the
 * behaviour was done: the learner stopped, a client got a newer model, a peer's ResponseTimeout
 * passed.
 *
 * On the command line of the programs an attack has the name of its class without "Behavior", in
 * small letters: RoundJumpBehavior is round-jump. The first attribute that the class itself
 * declares is its argument: round-jump:7 sets Round.
 */
class ByzantineBehavior : public Object
{
  public:
    static TypeId GetTypeId();

    /**
     * @param learner who
     * @param round the round
     * @param outbox what an honest learner would send
     * @param port sends, and ends the round
     */
    virtual void Deliver(LearnerId learner,
                         uint32_t round,
                         const Outbox& outbox,
                         const SendPort& port) = 0;

    /**
     * The round that was open when the state was saved goes on. A behaviour that sends after
     * Deliver() keeps the port. Does nothing unless overridden.
     *
     * @param port sends, and ends the round
     */
    virtual void SetPort(const SendPort& port);

    /** Forget the round that is open. Does nothing unless overridden. */
    virtual void Cancel();

    /**
     * A usable vector has arrived at the learner. Does nothing unless overridden.
     *
     * @param source who sent it, on which channel
     * @param round in which it was made
     * @param arrival the vector, complete
     */
    virtual void Receive(const std::pair<LearnerId, ModelChannel>& source,
                         uint32_t round,
                         const Arrival& arrival);

    /**
     * Fix the streams of random numbers.
     *
     * @param stream first stream number
     * @return how many are used; none unless overridden
     */
    virtual int64_t AssignStreams(int64_t stream);
};

} // namespace ns3::dlearn

#endif // DLEARN_BYZANTINE_BEHAVIOR_H
