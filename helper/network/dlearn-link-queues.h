/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_LINK_QUEUES_H
#define DLEARN_LINK_QUEUES_H

#include "ns3/dlearn-component.h"
#include "ns3/net-device.h"
#include "ns3/object-factory.h"
#include "ns3/queue-disc.h"
#include "ns3/queue-size.h"

#include <optional>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * @return the queue discs that an interface can have as its root: fifo, fq-codel, pie, ...
 */
const ComponentFamily& GetQueueDiscFamily();

/**
 * @ingroup dlearn
 * What waits for the links of a network: the queue of each device, and the queue disc above it.
 *
 * As in ns-3, an interface has a queue disc FqCoDel above a device queue of 100 packets (500 a
 * category of Wi-Fi), which stops the disc when it is full. Without a disc, as on links of two
 * learners (Network::HasPairLinks()), the device drops what its queue cannot hold, as a router does
 * in front of a link.
 */
struct LinkQueues
{
    /** Of interfaces whose device can stop it; no type: none; absent: that of the network. */
    std::optional<ObjectFactory> disc;

    /** Of the queue disc or, without one, of the queue of the device; absent: that of ns-3. */
    std::optional<QueueSize> size;

    /**
     * @param disc none, one of GetQueueDiscFamily(), or empty for that of the network
     * @param size packets (100p), bytes (64kB) or unlimited; empty for that of ns-3
     * @return both
     * @throw std::invalid_argument naming the option queue-disc or queue-size, and what it takes
     */
    static LinkQueues Parse(const std::string& disc, const std::string& size);

    /** @return whether interfaces have queue discs; of a network that is built */
    bool HasDisc() const { return disc->IsTypeIdSet(); }

    /** @param helper of point-to-point or CSMA devices, gets the queue of a device */
    template <typename Helper>
    void Prepare(Helper& helper) const
    {
        if (HasDisc())
        {
            helper.SetQueue("ns3::DropTailQueue");
            return;
        }
        helper.DisableFlowControl(); // else the interface drops what does not fit, without a trace
        if (size)
        {
            helper.SetQueue("ns3::DropTailQueue", "MaxSize", QueueSizeValue(*size));
        }
    }

    /**
     * Put a queue disc on a device that can stop it; on Wi-Fi one for each category of traffic.
     *
     * @param device of an interface
     * @return the queue discs that packets wait in; none where there is none
     */
    std::vector<Ptr<QueueDisc>> InstallDisc(Ptr<NetDevice> device) const;
};

/**
 * @ingroup dlearn
 * @param discs queue discs
 * @param stream first stream number
 * @return number of streams used by those that draw random numbers
 */
int64_t AssignQueueStreams(const std::vector<Ptr<QueueDisc>>& discs, int64_t stream);

} // namespace ns3::dlearn

#endif // DLEARN_LINK_QUEUES_H
