/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_LINK_OPTIONS_H
#define DLEARN_LINK_OPTIONS_H

#include "ns3/data-rate.h"
#include "ns3/dlearn-component.h"
#include "ns3/dlearn-types.h"
#include "ns3/net-device.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/queue-disc.h"
#include "ns3/queue-size.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/**
 * @file
 * What the links of a network are like: rate, delay and loss, the queues in front of them, and how
 * they change during a run.
 */

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Properties of the link of one learner; absent ones are those of all links.
 */
struct LinkOptions
{
    std::optional<DataRate> rate; //!< of the learner's access link, both ways, more than 0
    std::optional<Time> delay;    //!< propagation delay of it, at least 0
    std::optional<double> loss;   //!< as attribute Loss of networks, in both directions, [0, 1)
};

/**
 * @ingroup dlearn
 * Properties of the link of one learner, once everything is decided.
 */
struct LinkQuality
{
    DataRate rate; //!< both ways, more than 0
    Time delay;    //!< propagation delay, at least 0
    double loss;   //!< probability that a received packet is dropped, [0, 1)
};

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
     * Put a queue disc on a device of an interface that can stop it; on Wi-Fi one for each category
     * of traffic.
     *
     * @return the queue discs that packets wait in; may be none
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

/**
 * @ingroup dlearn
 * Which events of a schedule change something. The events are told in the order of time; each
 * changes what holds on some links, or of some learners.
 */
class EventEffects
{
  public:
    /** Who sends and who receives; of what holds for one learner this learner, twice. */
    using Link = std::pair<LearnerId, LearnerId>;

    /** @param time of the event whose changes follow, at least that of the one before */
    void Begin(Time time);

    /**
     * @param subject what is changed, such as "loss"
     * @param link where
     * @param value what holds from now on; empty for what holds without events
     * @return whether another value has held so far
     */
    bool Set(const std::string& subject, const Link& link, const std::vector<double>& value);

    /** @return the value of a subject on a link; empty when no event has set it, or one ended it */
    std::vector<double> Get(const std::string& subject, const Link& link) const;

    /**
     * @return an earlier event, of which nothing is left since the newest one has changed all at
     *         the same time; counted from 0
     */
    const std::optional<size_t>& GetReplaced() const { return m_replaced; }

  private:
    /** What holds, and the event that set it. */
    struct Held
    {
        std::vector<double> value;
        size_t event{0}; //!< counted from 0
    };

    std::map<std::pair<std::string, Link>, Held> m_held;
    std::vector<Time> m_times; //!< of the events
    /** Of each event, how many of its changes no other event has changed at the same time. */
    std::vector<size_t> m_left;
    std::optional<size_t> m_replaced;
};

/**
 * @ingroup dlearn
 * Changes of the links between learners during a run, separately for each direction.
 *
 * As text, the events of a schedule are separated by commas: `ACTION:LINK@TIME`. LINK is `A-B` for
 * both directions of the link of learners A and B, or `AtoB` for what A sends to B. TIME is an
 * ns-3 time. ACTION is one of
 *
 *  - `down`: from now on nothing arrives;
 *  - `up`: ends this;
 *  - `loss=P`: from now on a packet is lost with probability P, in [0, 1], when the link is up.
 *
 * So `loss=0.3:1to2@0s` makes a link asymmetric, and `down:0-3@1s,up:0-3@2.5s` is an outage. A
 * packet is lost when it arrives at a time at which the link is down, whenever it was sent.
 *
 * An event that can have no effect is refused: `up` of what is not down at its time, one that sets
 * what holds already, and one at the same time as another that it undoes or replaces.
 */
class LinkSchedule
{
  public:
    /** What happens to one direction of a link. */
    struct Event
    {
        Time time;
        LearnerId from{0};          //!< who sends
        LearnerId to{0};            //!< who receives
        std::optional<bool> up;     //!< whether it is up from now on; nothing: as before
        std::optional<double> loss; //!< probability of loss when it is up; nothing: as before
    };

    /**
     * @param text as described above; empty for no events
     * @throw std::invalid_argument naming the event that cannot be read, or has no effect
     */
    static LinkSchedule Parse(const std::string& text);

    /** From @p time on, what is sent can arrive or not. */
    void SetUp(Time time, LearnerId from, LearnerId to, bool up);

    /**
     * From @p time on, packets are lost with a probability when the link is up.
     * @throw std::invalid_argument when @p loss is not in [0, 1]
     */
    void SetLoss(Time time, LearnerId from, LearnerId to, double loss);

    /** @return the events, in the order given */
    const std::vector<Event>& GetEvents() const { return m_events; }

    /**
     * @param from who sends
     * @param to who receives
     * @param loss probability of loss while no event says otherwise
     * @return times at which something happens to this direction, in order, and its probability of
     *         loss from then on; empty when nothing ever does. Of events at the same time the
     *         one given last has the last word.
     */
    std::vector<std::pair<Time, double>> GetLosses(LearnerId from, LearnerId to, double loss) const;

    /** @return likewise, the largest probability of loss that it ever has while it is up */
    double GetLargestLoss(LearnerId from, LearnerId to, double loss) const;

  private:
    /** @return the events of one direction, by time */
    std::vector<Event> GetEvents(LearnerId from, LearnerId to) const;

    std::vector<Event> m_events; //!< in the order given
};

} // namespace ns3::dlearn

#endif // DLEARN_LINK_OPTIONS_H
