/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_DEVICE_WATCH_H
#define DLEARN_DEVICE_WATCH_H

#include "dlearn-round-phases.h"
#include "dlearn-run-results.h"

#include "ns3/net-device.h"
#include "ns3/nstime.h"
#include "ns3/packet.h"

#include <boost/container/flat_map.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace ns3::dlearn
{

/** Mean and 99th percentile of any number of delays, in little memory: their logarithms are counted
 *  in bins of 1 %. @ingroup dlearn */
class DelayDistribution
{
  public:
    /** @param delay at least 0 */
    void Add(Time delay);

    /** @return mean in milliseconds; 0 without delays */
    double GetMean() const { return m_count > 0 ? m_total / static_cast<double>(m_count) : 0; }

    /** @return 99th percentile in milliseconds, at most 1 % too large; 0 without delays */
    double GetWorst() const;

  private:
    boost::container::flat_map<int, uint64_t> m_bins; //!< delays by their logarithm, but those of 0
    uint64_t m_none{0};                               //!< number of delays of 0
    double m_total{0};                                //!< sum in milliseconds
    uint64_t m_count{0};                              //!< number of delays
};

/** Measures the packets that one sender puts on a link. @ingroup dlearn */
class LinkWatch
{
  public:
    /** @param begin time from which the share of busy time counts */
    explicit LinkWatch(Time begin)
        : m_begin(begin)
    {
    }

    virtual ~LinkWatch() = default;
    LinkWatch(const LinkWatch&) = delete;
    LinkWatch& operator=(const LinkWatch&) = delete;

    /** Count from now on. */
    virtual void NoteBegin();

    /** Learners have finished. */
    void NoteEnd() { m_busyAtEnd = GetBusySeconds(); }

    /** @return the complete record; @param end of learning; absent: the present */
    virtual LinkRecord Finish(const std::optional<Time>& end) const;

    /** A packet was lost at the receiver. */
    void HandleLoss(Ptr<const Packet> /* packet */) { ++*record.loss; }

    LinkRecord record; //!< without the figures that Finish() adds

  protected:
    DelayDistribution m_delays; //!< of packets that have left
    Time m_begin;               //!< of counting

  private:
    /** @return the time of sending since the beginning */
    virtual double GetBusySeconds() const = 0;

    double m_busyAtEnd{0}; //!< seconds, when learners had finished
};

class TcpSegments; // the segments of a node that its TCP retransmits

/**
 * @ingroup dlearn
 * Watch a device by its traces, and those of its queues and queue discs. Other devices see the
 * losses on a wire or a bus (LinkWatch::HandleLoss()).
 *
 * @param device point-to-point, CSMA or Wi-Fi
 * @param findActivity returns that of the node; called only if the device can be watched
 * @param segments common to the devices of the node; made if there are none
 * @return the watch; null: another device, or one without a channel
 */
std::unique_ptr<LinkWatch> WatchDevice(const Ptr<NetDevice>& device,
                                       const std::function<NodeActivity&()>& findActivity,
                                       std::shared_ptr<TcpSegments>& segments);

} // namespace ns3::dlearn

#endif // DLEARN_DEVICE_WATCH_H
