/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-host-cubic.h"

#include "ns3/dlearn-type-id.h"
#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/tcp-socket-state.h"

#include <algorithm>
#include <cmath>

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnHostCubic");

DLEARN_TYPE_WITHOUT_ATTRIBUTES(HostCubic, TcpCongestionOps);

namespace
{

constexpr double C = 0.4;    //!< segments a cubic second, RFC 9438, section 5
constexpr double BETA = 0.7; //!< of the window that remains after a loss, RFC 9438, section 4.6
constexpr double ALPHA = 3 * (1 - BETA) / (1 + BETA); //!< of Reno's growth, RFC 9438, section 4.3

/** Hosts compute the growth anew when the window has grown, or after this time. */
const Time COMPUTE_INTERVAL = Seconds(1) / 32;

constexpr uint32_t HYSTART_SAMPLES = 8; //!< of a round, RFC 9406, section 4.3
constexpr uint32_t HYSTART_LEAST = 16;  //!< segments of a window in which slow start may end early

/** @return the window of a connection, in segments */
double
GetWindow(const Ptr<const TcpSocketState>& tcb)
{
    return static_cast<double>(tcb->m_cWnd) / tcb->m_segmentSize;
}

} // namespace

uint32_t
HostCubic::GetSsThresh(Ptr<const TcpSocketState> tcb, uint32_t /* bytesInFlight */)
{
    const double window = GetWindow(tcb);
    // Fast convergence, RFC 9438, section 4.7: others need a part of the earlier window.
    m_wMax = window < m_wMax ? std::floor(window * (1 + BETA) / 2) : window;
    m_epoch = Time(-1);
    return static_cast<uint32_t>(std::max(window * BETA, 2.0)) * tcb->m_segmentSize;
}

void
HostCubic::IncreaseWindow(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked)
{
    double acked = segmentsAcked;
    if (tcb->m_cWnd < tcb->m_ssThresh)
    {
        const double room = static_cast<double>(tcb->m_ssThresh - tcb->m_cWnd) / tcb->m_segmentSize;
        const double grown = std::min(acked, room);
        tcb->m_cWnd += static_cast<uint32_t>(std::lround(grown * tcb->m_segmentSize));
        acked -= grown;
    }
    if (acked > 0)
    {
        Avoid(tcb, acked);
    }
}

void
HostCubic::Avoid(Ptr<TcpSocketState> tcb, double acked)
{
    const double window = GetWindow(tcb);
    const Time now = Simulator::Now();
    if (m_epoch.IsStrictlyNegative())
    {
        m_epoch = now;
        m_wBegin = m_wEst = window;
        m_computed = Time(-1);
    }
    // RFC 9438, section 4.3: Reno's growth with this reduction.
    m_wEst += ALPHA * acked / window;
    if (m_computed.IsStrictlyNegative() || m_wComputed != window ||
        now - m_computed > COMPUTE_INTERVAL)
    {
        m_computed = now;
        m_wComputed = window;
        // Section 4.2: the window that is wanted a round trip later.
        const double max = std::max(m_wMax, m_wBegin);
        const double time = (now - m_epoch + tcb->m_minRtt).GetSeconds();
        const double fromMax = time - std::cbrt((max - m_wBegin) / C);
        const double offset = std::floor(C * std::pow(std::abs(fromMax), 3)); // of whole segments
        const double target = fromMax < 0 ? max - offset : max + offset;
        m_acksEach = target > window ? window / (target - window) : 100 * window;
        if (m_wMax == 0) // the first one, or after a timeout
        {
            m_acksEach = std::min(m_acksEach, 20.0);
        }
        if (m_wEst > window)
        {
            m_acksEach = std::min(m_acksEach, window / (m_wEst - window));
        }
        m_acksEach = std::max(m_acksEach, 2.0);
    }
    uint32_t grown = 0;
    if (m_acked >= m_acksEach) // collected while growth was slower
    {
        m_acked = 0;
        ++grown;
    }
    m_acked += acked;
    const auto more = static_cast<uint32_t>(m_acked / m_acksEach);
    m_acked -= more * m_acksEach;
    tcb->m_cWnd += (grown + more) * tcb->m_segmentSize;
    NS_LOG_DEBUG("window " << window << ", Reno's " << m_wEst << ", one more for each "
                           << m_acksEach << " segments");
}

void
HostCubic::PktsAcked(Ptr<TcpSocketState> tcb, uint32_t /* segmentsAcked */, const Time& rtt)
{
    m_lastAck = Simulator::Now();
    if (tcb->m_cWnd >= tcb->m_ssThresh || GetWindow(tcb) < HYSTART_LEAST)
    {
        return;
    }
    if (tcb->m_lastAckedSeq >= m_roundEnd)
    {
        m_lastRoundRtt = m_roundRtt;
        m_roundRtt = Time(0);
        m_samples = 0;
        m_roundEnd = tcb->m_highTxMark;
    }
    m_roundRtt = m_samples++ == 0 ? rtt : Min(m_roundRtt, rtt);
    const Time threshold = std::clamp<Time>(tcb->m_minRtt / 8, MilliSeconds(4), MilliSeconds(16));
    if (m_samples >= HYSTART_SAMPLES && m_roundRtt >= tcb->m_minRtt + threshold)
    {
        tcb->m_ssThresh = tcb->m_cWnd.Get();
    }
}

void
HostCubic::CongestionStateSet(Ptr<TcpSocketState> /* tcb */,
                              const TcpSocketState::TcpCongState_t state)
{
    if (state == TcpSocketState::CA_LOSS) // RFC 9438, section 4.8
    {
        m_wMax = 0;
        m_epoch = Time(-1);
    }
}

void
HostCubic::CwndEvent(Ptr<TcpSocketState> /* tcb */, const TcpSocketState::TcpCAEvent_t event)
{
    // RFC 9438, section 4.2: time in which nothing was sent does not count.
    if (event == TcpSocketState::CA_EVENT_TX_START && !m_epoch.IsStrictlyNegative())
    {
        m_epoch += Simulator::Now() - Max(m_lastAck, m_epoch);
    }
}

} // namespace ns3::dlearn
