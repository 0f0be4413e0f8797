/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RECEPTION_H
#define DLEARN_RECEPTION_H

#include "dlearn-round-window.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What a message was worth to its receiver.
 */
enum class Reception
{
    ON_TIME, //!< whole, for the open round or one to come
    LATE,    //!< whole, for a round that is over
    PARTIAL, //!< in part, and that part was used
    UNUSABLE //!< no vector that anybody could use, not wanted, or there already
};

/**
 * @ingroup dlearn
 * @param disposition what became of a message
 * @param usable whether it was a whole finite vector of the right length
 * @return what it was worth: ON_TIME, LATE or UNUSABLE
 */
Reception GetReception(MessageDisposition disposition, bool usable);

/**
 * @ingroup dlearn
 * @param reception what a message was worth
 * @return it in words: on-time, late, partial or unusable
 */
const char* ToString(Reception reception);

} // namespace ns3::dlearn

#endif // DLEARN_RECEPTION_H
