/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-reception.h"

namespace ns3::dlearn
{

Reception
GetReception(MessageDisposition disposition, bool usable)
{
    if (!usable)
    {
        return Reception::UNUSABLE;
    }
    switch (disposition)
    {
    case MessageDisposition::ON_TIME:
    case MessageDisposition::EARLY:
        return Reception::ON_TIME;
    case MessageDisposition::LATE:
        return Reception::LATE;
    default:
        return Reception::UNUSABLE;
    }
}

const char*
ToString(Reception reception)
{
    switch (reception)
    {
    case Reception::ON_TIME:
        return "on-time";
    case Reception::LATE:
        return "late";
    case Reception::PARTIAL:
        return "partial";
    case Reception::UNUSABLE:
        return "unusable";
    }
    return "unknown";
}

} // namespace ns3::dlearn
