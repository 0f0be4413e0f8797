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
 * Properties of links: rate, delay, loss, queues, and changes during a run.
 */

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Properties of the link of one learner; unset ones have the value for all links.
 */
struct LinkOptions
{
    std::optional<DataRate> rate; //!< in both directions, more than 0
    std::optional<Time> delay;    //!< propagation delay, at least 0
    std::optional<double> loss;   //!< as the attribute Loss of networks, [0, 1)
};

/**
 * @ingroup dlearn
 * Properties of the link of one learner, all set.
 */
struct LinkQuality
{
    DataRate rate; //!< in both directions, more than 0
    Time delay;    //!< propagation delay, at least 0
    double loss;   //!< probability that a received packet is dropped, [0, 1)
};

/**
 * @ingroup dlearn
 * @return the queue discs that can be the root of an interface: fifo, fq-codel, pie, ...
 */
const ComponentFamily& GetQueueDiscFamily();

/**
 * @ingroup dlearn
 * Queues of the links of a network: the queue of each device, and the queue disc above it.
 *
 * As in ns-3, an interface has an FqCoDel queue disc above a device queue of 100 packets (500 per
 * access category of Wi-Fi), which stops the disc when it is full. Without a queue disc, as on
 * links between two learners (Network::HasPairLinks()), the device drops packets that its queue
 * cannot hold.
 */
struct LinkQueues
{
    /**
     * Queue disc of interfaces whose device can stop it; without a type: none; unset: that of the
     * network.
     */
    std::optional<ObjectFactory> disc;

    /** Size of the queue disc or, without one, of the device queue; unset: that of ns-3. */
    std::optional<QueueSize> size;

    /**
     * @param disc none, one of GetQueueDiscFamily(), or empty for the default of the network
     * @param size packets (100p), bytes (64kB) or unlimited; empty for the default of ns-3
     * @throw std::invalid_argument naming the option queue-disc or queue-size and its possible
     *        values
     */
    static LinkQueues Parse(const std::string& disc, const std::string& size);

    /** @return whether interfaces have queue discs; call after Network::Build() */
    bool HasDisc() const { return disc->IsTypeIdSet(); }

    /** Set the device queue in a helper for point-to-point or CSMA devices. */
    template <typename Helper>
    void Prepare(Helper& helper) const
    {
        if (HasDisc())
        {
            helper.SetQueue("ns3::DropTailQueue");
            return;
        }
        helper.DisableFlowControl(); // else the interface drops packets without a trace
        if (size)
        {
            helper.SetQueue("ns3::DropTailQueue", "MaxSize", QueueSizeValue(*size));
        }
    }

    /**
     * Install a queue disc on a device that can stop it; on Wi-Fi, one for each access category.
     *
     * @return the queue discs in which packets wait; may be empty
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
 * Detects events of a schedule that have no effect. Events are added in the order of time; each
 * sets values of some links or of some learners.
 */
class EventEffects
{
  public:
    /** Sender and receiver; for a value of one learner, this learner twice. */
    using Link = std::pair<LearnerId, LearnerId>;

    /** Begin an event, at a time not before that of the previous one; Set() adds its changes. */
    void Begin(Time time);

    /**
     * @param subject the quantity that changes, such as "loss"
     * @param link link on which it changes
     * @param value new value; empty for the value without events
     * @return whether the value before was a different one
     */
    bool Set(const std::string& subject, const Link& link, const std::vector<double>& value);

    /**
     * @return the value of a subject on a link; empty when no event has set it, or a later one has
     *         reset it
     */
    std::vector<double> Get(const std::string& subject, const Link& link) const;

    /**
     * @return the earlier event of which the newest event has overwritten all changes at the same
     *         time; counted from 0; unset: none
     */
    const std::optional<size_t>& GetReplaced() const { return m_replaced; }

  private:
    /** A value and the event that set it. */
    struct Held
    {
        std::vector<double> value;
        size_t event{0}; //!< counted from 0
    };

    std::map<std::pair<std::string, Link>, Held> m_held;
    std::vector<Time> m_times; //!< one per event
    /** For each event, the number of its changes not overwritten at the same time. */
    std::vector<size_t> m_left;
    std::optional<size_t> m_replaced;
};

/**
 * @ingroup dlearn
 * Changes of the links between learners during a run, separately for each direction.
 *
 * As text, the events of a schedule are separated by commas: `ACTION:LINK@TIME`. LINK is `A-B` for
 * both directions of the link of learners A and B, or `AtoB` for the direction from A to B. TIME is
 * an ns-3 time. ACTION is one of
 *
 *  - `down`: all packets are lost from now on;
 *  - `up`: ends `down`;
 *  - `loss=P`: from now on packets are lost with probability P, in [0, 1], while the link is up.
 *
 * Or a text is `windows:FILE`, for links that come and go, such as those of satellites: each line
 * of the file has the numbers `A,B,BEGIN,END` or `A,B,BEGIN,END,DELAY`, with times in seconds. The
 * link of learners A and B is up from BEGIN to END, with the propagation delay DELAY, and down
 * before, after and between its windows. Links that are not in the file are up.
 *
 * For example, `loss=0.3:1to2@0s` makes a link asymmetric, and `down:0-3@1s,up:0-3@2.5s` is an
 * outage. A packet is lost if the link is down when it arrives, whenever it was sent.
 *
 * Events without an effect are refused: `up` when the link is not down, an event that sets the
 * current value, and two events at the same time of which the second replaces the first.
 */
class LinkSchedule
{
  public:
    /** A change of one direction of a link. */
    struct Event
    {
        Time time;
        LearnerId from{0};           //!< sender
        LearnerId to{0};             //!< receiver
        std::optional<bool> up;      //!< whether it is up from now on; unset: no change
        std::optional<double> loss;  //!< loss probability while it is up; unset: no change
        std::optional<Time> delay{}; //!< of both directions; unset: no change
    };

    /**
     * @param text as described above; empty for no events
     * @throw std::invalid_argument naming the event that cannot be parsed or has no effect
     */
    static LinkSchedule Parse(const std::string& text);

    /**
     * @param path file of windows, as described above
     * @throw std::invalid_argument naming the file, and the window that is wrong
     */
    static LinkSchedule ReadWindows(const std::string& path);

    /** From @p time on, the direction is up or down. */
    void SetUp(Time time, LearnerId from, LearnerId to, bool up);

    /**
     * From @p time on, packets are lost with probability @p loss while the link is up.
     * @throw std::invalid_argument when @p loss is not in [0, 1]
     */
    void SetLoss(Time time, LearnerId from, LearnerId to, double loss);

    /** @return the events, in the order given */
    const std::vector<Event>& GetEvents() const { return m_events; }

    /**
     * @param from sender
     * @param to receiver
     * @param loss loss probability before the first event that sets it
     * @return the times of the events of this direction, in order, and the loss probability from
     *         then on; empty without events. Of events at the same time, the last one given takes
     *         effect.
     */
    std::vector<std::pair<Time, double>> GetLosses(LearnerId from, LearnerId to, double loss) const;

    /**
     * @return the largest loss probability of a direction while it is up; parameters as in
     *         GetLosses()
     */
    double GetLargestLoss(LearnerId from, LearnerId to, double loss) const;

  private:
    /** @return the events of one direction, sorted by time */
    std::vector<Event> GetEvents(LearnerId from, LearnerId to) const;

    std::vector<Event> m_events; //!< in the order given
};

} // namespace ns3::dlearn

#endif // DLEARN_LINK_OPTIONS_H
