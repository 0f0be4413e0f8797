/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_HOST_TCP_SOCKET_H
#define DLEARN_HOST_TCP_SOCKET_H

#include "dlearn-tcp-scoreboard.h"

#include "ns3/node-container.h"
#include "ns3/nstime.h"
#include "ns3/socket-factory.h"
#include "ns3/tcp-socket-base.h"

#include <cstdint>
#include <string>
#include <type_traits>

namespace ns3::dlearn
{

class HostTcpSocket;

/**
 * @ingroup dlearn
 * A TcpSocketBase that says of which type it is, as ns-3 before 3.45 needs it. In later versions,
 * which do not allow that, this template has no instance.
 */
template <class Derived>
class TypedTcpSocket : public TcpSocketBase
{
  public:
    TypeId GetInstanceTypeId() const override { return Derived::GetTypeId(); } //!< GetTypeId()
};

/** What a HostTcpSocket derives from. @ingroup dlearn */
using HostTcpSocketBase = std::conditional_t<
    std::is_same_v<decltype(&TcpSocketBase::GetInstanceTypeId), TypeId (TcpSocketBase::*)() const>,
    TypedTcpSocket<HostTcpSocket>,
    TcpSocketBase>;

/**
 * @ingroup dlearn
 * TCP that recovers from losses as hosts do.
 *
 * ns-3's TCP waits for timeouts where a host sees at once that a segment is lost, so that over a
 * short link with losses it takes several times as long. This socket differs in the reaction
 * of its sender to losses; the connection, the receiver and the windows are ns-3's. It has:
 *
 * - losses found by the times when segments were sent (RACK), see TcpScoreboard;
 * - TLP: after two round trips without an acknowledgement the last segment is sent again, so that
 *   the loss of a tail is seen without a timeout (RFC 8985, section 7);
 * - proportional rate reduction (RFC 6937, with its successor's rule for safe acknowledgements);
 * - a retransmission timeout of RFC 6298 with the lower bound on its variation, as hosts have it:
 *   srtt + max(4 rttvar, MinRto);
 * - a window that grows only when it is used (RFC 7661), and begins again small when nothing was
 *   sent for longer than the timeout (RFC 5681, section 4.1).
 *
 * Segments are counted, not bytes. Timers have the slack of a host's clock: twice the attribute
 * ClockGranularity.
 */
class HostTcpSocket : public HostTcpSocketBase
{
  public:
    static TypeId GetTypeId();

  protected:
    /** @cond documented by ns-3 */
    Ptr<TcpSocketBase> Fork() override;
    uint32_t BytesInFlight() const override;
    uint32_t AvailableWindow() const override;
    uint32_t SendDataPacket(SequenceNumber32 seq, uint32_t maxSize, bool withAck) override;
    void SendEmptyPacket(uint8_t flags) override;
    void EstimateRtt(const TcpHeader& header) override;
    void UpdateRttHistory(const SequenceNumber32& seq,
                          uint32_t size,
                          bool isRetransmission) override;
    void ReTxTimeout() override;
    void PersistTimeout() override;
    void ReceivedAck(Ptr<Packet> packet, const TcpHeader& header) override;
    /** @endcond */

  private:
    /** The purpose of the timer. */
    enum class Timer
    {
        TIMEOUT,   //!< the retransmission timeout, RFC 6298
        PROBE,     //!< the tail loss probe, RFC 8985, section 7
        REORDERING //!< the end of the reordering window, RFC 8985, section 6.3
    };

    using State = TcpSocketState;

    uint32_t GetWindow() const { return m_tcb->m_cWnd / m_tcb->m_segmentSize; }

    /** @param segments of the congestion window; at least one is set */
    void SetWindow(uint32_t segments);

    void SetState(State::TcpCongState_t state);
    TcpScoreboard::Delivery UpdateScoreboard(const TcpHeader& header);
    void DetectLosses();

    /** A new loss was detected: reduce the window, see RFC 6937, section 3. */
    void BeginReduction();

    void UpdateState(SequenceNumber32 ack);

    /** Set the window in recovery, RFC 6937, section 3.1. */
    void ReduceWindow(uint32_t delivered, bool safe);
    void IncreaseWindow(uint32_t delivered);

    /** Find the fate of the probe in an acknowledgement, RFC 8985, section 7.4. */
    void CheckProbe(SequenceNumber32 ack, bool advanced, bool pureDuplicate);

    /** Send the probe, RFC 8985, section 7.3. */
    void SendProbe();

    /** The retransmission timeout is over, RFC 6298, section 5. */
    void HandleTimeout();

    void Retransmit(TcpScoreboard::Segment& segment);
    void RetransmitLost();

    /** @param rtt a sample, RFC 6298, section 2 */
    void SampleRtt(Time rtt);

    /** Compute the retransmission timeout without backing off, RFC 6298, section 2. */
    void ResetTimeout();

    void SetTimer();

    /** Nothing was sent for long: begin with a small window, RFC 5681, section 4.1. */
    void RestartAfterIdle();

    TcpScoreboard m_board; //!< segments that are sent and not acknowledged
    uint32_t m_mostOut{0}; //!< most segments under way at once since none was

    Timer m_timer{Timer::TIMEOUT}; //!< its purpose
    Time m_due;                    //!< when; m_retxEvent may end before
    Time m_timeoutBase;            //!< from when on the retransmission timeout counts
    Time m_probeBase;              //!< from when on the probe timeout counts
    Time m_reorderingEnd{-1};      //!< of the reordering window; negative: nothing waits for it

    Time m_srtt{-1};   //!< smoothed round trip; negative: not known
    Time m_rttvar;     //!< its variation
    Time m_minRtt{-1}; //!< the least round trip; negative: not known
    Time m_lastSent;   //!< when data were last sent

    bool m_probeOut{false};          //!< whether a probe is under way
    bool m_probeResent{false};       //!< whether it was no new data
    SequenceNumber32 m_probeHigh{0}; //!< sequence number after all data sent until then

    uint32_t m_priorPipe{1};    //!< segments under way when the reduction began
    uint32_t m_prrDelivered{0}; //!< segments arrived since then
    uint32_t m_prrOut{0};       //!< segments sent since then
};

/**
 * @ingroup dlearn
 * Makes sockets of TCP that behave as those of hosts: HostTcpSocket with HostCubic, a delayed
 * acknowledgement of 40 ms, a retransmission timeout at least 200 ms above the round trip, 15
 * retries and buffers of 4 MB. Defaults of ns3::TcpSocket and ns3::TcpSocketBase that a user has
 * chosen remain in force, and so does a congestion control other than ns-3's default.
 *
 * Applications take "ns3::dlearn::HostTcpSocketFactory" as their protocol, as they take
 * "ns3::TcpSocketFactory". Learners of a node that has such a factory use it.
 */
class HostTcpSocketFactory : public SocketFactory
{
  public:
    static TypeId GetTypeId();

    /**
     * Give nodes such a factory; those that have one keep it, and those without TCP get none.
     *
     * @param nodes with ns-3's internet stack
     */
    static void Install(const NodeContainer& nodes);

    /**
     * @return a setting of the node's TCP that HostTcpSocket does not support, so that its sockets
     *         are ns-3's; empty: none
     */
    static std::string FindObstacle(const Node& node);

    /** @return a socket of the node */
    Ptr<Socket> CreateSocket() override;
};

} // namespace ns3::dlearn

#endif // DLEARN_HOST_TCP_SOCKET_H
