/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_MESSAGE_DISPOSITION_H
#define DLEARN_MESSAGE_DISPOSITION_H

#include "ns3/dlearn-message.h"

#include <utility>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What a receiver knows a message by within its round: sender and channel.
 */
using MessageSource = std::pair<LearnerId, ModelChannel>;

/**
 * @ingroup dlearn
 * What becomes of a message at its receiver.
 */
enum class MessageDisposition
{
    ON_TIME,   //!< for the open round
    EARLY,     //!< for a coming round; waits
    LATE,      //!< too late for the round that missed it
    DUPLICATE, //!< came before
    TOO_EARLY, //!< beyond the waiting room
    UNEXPECTED //!< from no neighbour, on no channel or for no round that awaits it
};

/**
 * @ingroup dlearn
 * @param disposition what became of a message
 * @return its name in traces and reports
 */
const char* ToString(MessageDisposition disposition);

} // namespace ns3::dlearn

#endif // DLEARN_MESSAGE_DISPOSITION_H
