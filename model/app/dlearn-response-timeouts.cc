/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-response-timeouts.h"

namespace ns3::dlearn
{

ResponseTimeouts
ChooseTimeouts(const ResponseTimeouts& chosen, Time least, Time transfer)
{
    ResponseTimeouts timeouts = chosen;
    if (timeouts.response.IsZero())
    {
        timeouts.response = Max(4 * transfer, least);
    }
    if (timeouts.suspicion.IsZero())
    {
        timeouts.suspicion = 2 * Max(timeouts.response, least);
    }
    return timeouts;
}

} // namespace ns3::dlearn
