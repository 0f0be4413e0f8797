/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_UNBOUNDED_QUEUE_H
#define DLEARN_UNBOUNDED_QUEUE_H

#include "ns3/queue-size.h"

#include <cstdint>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * A learner hands a whole model, thousands of packets, to its device in one event. With the 100
 * packets of ns-3's default queue most of it would be dropped silently, for a reason that has
 * nothing to do with the link. The length of the queue is bounded by what the learners send.
 *
 * @return the largest size a packet queue can have, for its attribute MaxSize
 */
inline QueueSizeValue
UnboundedQueueSize()
{
    return QueueSizeValue(QueueSize(QueueSizeUnit::PACKETS, UINT32_MAX));
}

} // namespace ns3::dlearn

#endif // DLEARN_UNBOUNDED_QUEUE_H
