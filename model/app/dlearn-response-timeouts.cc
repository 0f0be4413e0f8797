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

TypeId
AddTimeouts(TypeId tid,
            Ptr<const AttributeAccessor> response,
            Ptr<const AttributeAccessor> suspicion,
            const TimeoutHelp& help)
{
    return tid
        .AddAttribute("ResponseTimeout",
                      help.response +
                          "; 0: four times the time that messages take on the network, but at "
                          "least " +
                          std::to_string(help.least) + " s, and a deadline that is longer.",
                      TimeValue(Time(0)),
                      response,
                      MakeTimeChecker(Time(0)))
        .AddAttribute("SuspicionTimeout",
                      help.suspicion + "; 0: twice the response timeout, but at least " +
                          std::to_string(2 * help.least) + " s.",
                      TimeValue(Time(0)),
                      suspicion,
                      MakeTimeChecker(Time(0)));
}

} // namespace ns3::dlearn
