/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_HOST_CUBIC_H
#define DLEARN_HOST_CUBIC_H

#include "ns3/nstime.h"
#include "ns3/tcp-congestion-ops.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * CUBIC of RFC 9438, the congestion control of most hosts, with its Reno-friendly region (section
 * 4.3), which TcpCubic of ns-3 has from version 3.41 on. After a loss in a path of a short round
 * trip, CUBIC without it keeps the window still for seconds where hosts let it grow by half a
 * segment for each round trip.
 *
 * Slow start ends early when the delay of a round trip has grown (HyStart, RFC 9406, section 4.2,
 * without its conservative phase, as hosts do).
 */
class HostCubic : public TcpCongestionOps
{
  public:
    static TypeId GetTypeId();

    /** @cond documented by ns-3 */
    std::string GetName() const override { return "HostCubic"; }

    uint32_t GetSsThresh(Ptr<const TcpSocketState> tcb, uint32_t bytesInFlight) override;
    void IncreaseWindow(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked) override;
    void PktsAcked(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked, const Time& rtt) override;
    void CongestionStateSet(Ptr<TcpSocketState> tcb,
                            const TcpSocketState::TcpCongState_t state) override;
    void CwndEvent(Ptr<TcpSocketState> tcb, const TcpSocketState::TcpCAEvent_t event) override;

    Ptr<TcpCongestionOps> Fork() override { return CopyObject<HostCubic>(this); }

    /** @endcond */

  private:
    void Avoid(Ptr<TcpSocketState> tcb, double acked);

    double m_wMax{0};            //!< window before the last reduction, in segments
    double m_wEst{0};            //!< window that Reno would have, in segments
    double m_wBegin{0};          //!< window at the beginning of the epoch, in segments
    Time m_epoch{-1};            //!< beginning of congestion avoidance; negative: not yet
    Time m_computed{-1};         //!< when the growth was computed; negative: not yet
    double m_wComputed{0};       //!< window for which it was, in segments
    double m_acksEach{0};        //!< segments that have to arrive for one more in the window
    double m_acked{0};           //!< segments of m_acksEach that have arrived
    Time m_lastAck;              //!< when something was last acknowledged
    SequenceNumber32 m_roundEnd; //!< slow start: acknowledging this ends the round
    Time m_roundRtt;             //!< slow start: the least of the round
    Time m_lastRoundRtt;         //!< slow start: the least of the round before
    uint32_t m_samples{0};       //!< slow start: of the round
};

} // namespace ns3::dlearn

#endif // DLEARN_HOST_CUBIC_H
