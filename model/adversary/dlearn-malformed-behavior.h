/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_MALFORMED_BEHAVIOR_H
#define DLEARN_MALFORMED_BEHAVIOR_H

#include "ns3/dlearn-training-application.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Sends garbage instead of every message, Copies times, of each Flaw in turn. By TCP the receiver
 * breaks a connection on which bytes come that are no fragment.
 */
class MalformedBehavior : public ByzantineBehavior
{
  public:
    /** What is wrong with a message. */
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

    void Deliver(LearnerId learner,
                 uint32_t round,
                 const Outbox& outbox,
                 const SendPort& port) override;

  private:
    uint32_t m_copies{1}; //!< attribute Copies
    uint64_t m_sent{0};   //!< messages so far; tells whose turn it is
};

} // namespace ns3::dlearn

#endif // DLEARN_MALFORMED_BEHAVIOR_H
