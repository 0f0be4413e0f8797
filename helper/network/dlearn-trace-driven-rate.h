/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TRACE_DRIVEN_RATE_H
#define DLEARN_TRACE_DRIVEN_RATE_H

#include "dlearn-cellular-trace.h"

#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/ptr.h"
#include "ns3/simple-ref-count.h"

#include <memory>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Lets the packets of a point-to-point device leave at the times of a cellular trace, to the
 * nanosecond.
 *
 * As in Mahimahi (its LinkQueue): an opportunity is a budget of 1500 bytes of IP packets. Small
 * packets share one; a packet that does not fit into the remaining budget uses this budget and
 * leaves with the next opportunity. A packet uses opportunities from the time at which it is the
 * next to be sent, that time included; opportunities without a packet are wasted.
 *
 * A device takes a packet, fires its trace source PhyTxBegin, and then computes the transmission
 * time from its rate. A rate is a whole number of bits per second, which would round the end of an
 * outage of a minute by more than half a second. So the rate is made so high that transmission
 * takes no time, and the time from the trace is added twice: to the gap after the packet, during
 * which the device is busy, and to the delay of the channel, which the device uses at once. Both
 * ends of a channel do so in turn, and each sets the delay before its use.
 */
class TraceDrivenRate : public SimpleRefCount<TraceDrivenRate>
{
  public:
    /**
     * Make a device follow a trace. From then on its rate, its gap and the delay of its
     * channel must not be changed by others.
     *
     * @param device attached to a channel, on which nothing was sent yet; it keeps the result
     *        alive
     * @param trace when its packets may leave
     * @param delay propagation delay of the channel, at least 0
     * @return what steers it
     */
    static Ptr<TraceDrivenRate> Install(Ptr<PointToPointNetDevice> device,
                                        std::shared_ptr<const CellularTrace> trace,
                                        Time delay);

    /**
     * To be called before the first packet is sent.
     * @param start time of the trace at which the simulation begins, at least 0
     */
    void SetStart(Time start) { m_start = start; }

  private:
    TraceDrivenRate(PointToPointNetDevice* device,
                    std::shared_ptr<const CellularTrace> trace,
                    Time delay);

    /**
     * Sink of PhyTxBegin: find out when a packet leaves and tell device and channel.
     * @param packet with its point-to-point header
     */
    void HandleTxBegin(Ptr<const Packet> packet);

    PointToPointNetDevice* m_device;                   //!< keeps this object alive, not the reverse
    std::shared_ptr<const CellularTrace> m_trace;      //!< when packets may leave
    Time m_delay;                                      //!< of propagation
    Time m_start;                                      //!< where in the trace the simulation begins
    uint64_t m_next{0};                                //!< opportunity that is used next
    uint32_t m_left{CellularTrace::OPPORTUNITY_BYTES}; //!< what is left of it, at least 1
};

} // namespace ns3::dlearn

#endif // DLEARN_TRACE_DRIVEN_RATE_H
