/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RESPONSE_TIMEOUTS_H
#define DLEARN_RESPONSE_TIMEOUTS_H

#include "ns3/attribute.h"
#include "ns3/nstime.h"
#include "ns3/type-id.h"

#include <string>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * How long a learner waits for others.
 */
struct ResponseTimeouts
{
    Time response;  //!< longest wait for a message
    Time suspicion; //!< total time waited for a learner, after which it is suspected to have failed
};

/**
 * @ingroup dlearn
 * Fill in what a user has not chosen. Time is plentiful then: who waits too long for a learner that
 * has failed loses time, but who does not wait long enough for one that is alive loses its
 * messages.
 *
 * @param chosen what a user has chosen; 0 where nothing
 * @param least shortest response timeout that is not chosen, more than 0
 * @param transfer time that messages take on the network; 0 when that is not known
 * @return the response timeout: chosen, or four times @p transfer, but at least @p least; the
 *         suspicion timeout: chosen, or twice the response timeout, but at least twice @p least
 */
ResponseTimeouts ChooseTimeouts(const ResponseTimeouts& chosen, Time least, Time transfer);

/**
 * @ingroup dlearn
 * What the help of the attributes of AddTimeouts() says.
 */
struct TimeoutHelp
{
    std::string response;  //!< what ResponseTimeout is
    std::string suspicion; //!< what SuspicionTimeout is
    int64_t least{0};      //!< seconds that a response timeout has at least, unless it is chosen
};

/**
 * @ingroup dlearn
 * Add the attributes ResponseTimeout and SuspicionTimeout, which ChooseTimeouts() completes.
 *
 * @param tid of the application
 * @param response sets and gets what a user has chosen
 * @param suspicion likewise
 * @param help of the attributes
 * @return the TypeId with the attributes
 */
TypeId AddTimeouts(TypeId tid,
                   Ptr<const AttributeAccessor> response,
                   Ptr<const AttributeAccessor> suspicion,
                   const TimeoutHelp& help);

} // namespace ns3::dlearn

#endif // DLEARN_RESPONSE_TIMEOUTS_H
