/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_LEARNER_EVENT_H
#define DLEARN_LEARNER_EVENT_H

#include "ns3/dlearn-types.h"

#include <cstdint>
#include <optional>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Something out of the ordinary that happened to a learner: it goes down or comes back, stops
 * because its privacy budget is spent or its battery is empty, has waited in vain for another
 * learner, or no longer waits for it.
 */
struct LearnerEvent
{
    /** What may happen. */
    enum class Kind
    {
        CRASHED,            //!< LearnerApplication::Crash()
        LEFT,               //!< LearnerApplication::Leave(), when the learner has finished its work
        STOPPED,            //!< its stop time has come
        RESTARTED,          //!< LearnerApplication::Restart()
        BUDGET_SPENT,       //!< the privacy budget forbids another release
        BATTERY_EMPTY,      //!< LearnerApplication::LosePower()
        NEIGHBOR_SUSPECTED, //!< a peer no longer waits for a neighbour
        CLIENT_SUSPECTED,   //!< a server no longer waits for a client
        TIMED_OUT //!< the response timeout has passed, and a round ends without a message of
                  //!< another learner that it waited for
    };

    Kind kind{Kind::CRASHED};       //!< what
    LearnerId learner{0};           //!< to which learner
    std::optional<uint32_t> round;  //!< newest round that it has opened; nothing before the first
    std::optional<LearnerId> other; //!< the learner that is suspected or was waited for
};

/**
 * @ingroup dlearn
 * @param kind what happened
 * @return its name: crashed, left, stopped, restarted, budget-spent, battery-empty,
 *         neighbor-suspected, client-suspected or timed-out
 */
const char* ToString(LearnerEvent::Kind kind);

} // namespace ns3::dlearn

#endif // DLEARN_LEARNER_EVENT_H
