/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-message.h"

namespace ns3::dlearn
{

const char*
ToString(ModelChannel channel)
{
    switch (channel)
    {
    case ModelChannel::MODEL:
        return "model";
    case ModelChannel::STATE:
        return "state";
    case ModelChannel::TRACKER:
        return "tracker";
    case ModelChannel::UPDATE:
        return "update";
    case ModelChannel::DROPOUTS:
        return "roster";
    case ModelChannel::UNMASK:
        return "correction";
    }
    return "unknown";
}

} // namespace ns3::dlearn
