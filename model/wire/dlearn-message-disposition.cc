/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-message-disposition.h"

namespace ns3::dlearn
{

const char*
ToString(MessageDisposition disposition)
{
    switch (disposition)
    {
    case MessageDisposition::ON_TIME:
        return "on time";
    case MessageDisposition::EARLY:
        return "early";
    case MessageDisposition::LATE:
        return "late";
    case MessageDisposition::DUPLICATE:
        return "duplicate";
    case MessageDisposition::TOO_EARLY:
        return "too early";
    case MessageDisposition::UNEXPECTED:
        return "unexpected";
    }
    return "unknown";
}

} // namespace ns3::dlearn
