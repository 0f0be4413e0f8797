/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-host-tcp-socket.h"

#include "dlearn-host-cubic.h"

#include "ns3/dlearn-attribute-lookup.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/rtt-estimator.h"
#include "ns3/simulator.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-cubic.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-recovery-ops.h"
#include "ns3/tcp-socket-state.h"
#include "ns3/tcp-tx-buffer.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnHostTcpSocket");

DLEARN_TYPE_WITHOUT_ATTRIBUTES(HostTcpSocket, TcpSocketBase);

namespace
{

const Time LONGEST_TIMEOUT = Seconds(120); //!< of retransmission, as hosts have it
const Time FIRST_TIMEOUT = Seconds(1);     //!< without a round trip, RFC 6298, section 2.1

} // namespace

Ptr<TcpSocketBase>
HostTcpSocket::Fork()
{
    return CopyObject<HostTcpSocket>(this);
}

void
HostTcpSocket::SetWindow(uint32_t segments)
{
    m_tcb->m_cWnd = std::max(1U, segments) * m_tcb->m_segmentSize;
}

void
HostTcpSocket::SetState(State::TcpCongState_t state)
{
    if (m_tcb->m_congState != state)
    {
        m_congestionControl->CongestionStateSet(m_tcb, state);
        m_tcb->m_congState = state;
    }
}

uint32_t
HostTcpSocket::BytesInFlight() const
{
    m_tcb->m_bytesInFlight = m_board.GetPipe() * m_tcb->m_segmentSize; // traced
    return m_tcb->m_bytesInFlight;
}

uint32_t
HostTcpSocket::AvailableWindow() const
{
    // SendPendingData() calls this, for new data only: ns-3's buffer would choose
    // segments to be sent again that are not lost, and where the window of the peer is exactly full
    // it chooses an empty one, which ends the program.
    const uint32_t inFlight = BytesInFlight();
    const uint32_t unacknowledged = UnAckDataCount();
    if (m_txBuffer->SizeFromSequence(m_tcb->m_highTxMark) == 0 || inFlight >= m_tcb->m_cWnd ||
        unacknowledged >= m_rWnd)
    {
        return 0;
    }
    return std::min(m_tcb->m_cWnd.Get() - inFlight, m_rWnd.Get() - unacknowledged);
}

uint32_t
HostTcpSocket::SendDataPacket(SequenceNumber32 seq, uint32_t maxSize, bool withAck)
{
    const Time now = Simulator::Now();
    const bool isNew = seq >= m_tcb->m_highTxMark;
    if (isNew && m_board.IsEmpty())
    {
        RestartAfterIdle();
        m_timeoutBase = now;
    }
    if (withAck)
    {
        m_highTxAck =
            m_tcb->m_rxBuffer->NextRxSequence(); // else time stamps echo too old a segment
    }
    const uint32_t size = TcpSocketBase::SendDataPacket(seq, maxSize, withAck);
    if (isNew)
    {
        m_board.Add(seq, size);
        m_mostOut = std::max(m_mostOut, m_board.GetPipe());
        m_probeBase = now;
    }
    m_prrOut += m_tcb->m_congState == State::CA_RECOVERY;
    m_lastSent = now;
    SetTimer();
    return size;
}

void
HostTcpSocket::RestartAfterIdle()
{
    const uint32_t least = GetInitialCwnd() * m_tcb->m_segmentSize;
    const uint32_t before = m_tcb->m_cWnd;
    uint32_t window = before;
    const Time timeout = m_rto + m_clockGranularity; // of whole ticks
    for (Time idle = Simulator::Now() - m_lastSent; idle > timeout && window > least;
         idle -= timeout)
    {
        window = std::max(window / 2, least);
    }
    if (window < before)
    {
        m_tcb->m_ssThresh = std::max(m_tcb->m_ssThresh.Get(), before / 4 * 3);
        m_tcb->m_cWnd = window;
    }
}

void
HostTcpSocket::SendEmptyPacket(uint8_t flags)
{
    // After the last SYN its owner may drop the socket.
    const Ptr<HostTcpSocket> self(this);
    const Time rto = m_rto;
    TcpSocketBase::SendEmptyPacket(flags); // sets it by ns-3's estimate, that of the handshake
    if (m_connected)
    {
        m_rto = rto;
    }
}

void
HostTcpSocket::EstimateRtt(const TcpHeader& header)
{
    if (m_connected) // ReceivedAck() does it
    {
        return;
    }
    TcpSocketBase::EstimateRtt(header);
    if (m_rtt->GetNSamples() > 0 && m_srtt.IsStrictlyNegative()) // else the handshake was repeated
    {
        SampleRtt(m_rtt->GetEstimate());
    }
    ResetTimeout();
}

void
HostTcpSocket::UpdateRttHistory(const SequenceNumber32& seq, uint32_t size, bool isRetransmission)
{
    if (!m_connected)
    {
        TcpSocketBase::UpdateRttHistory(seq, size, isRetransmission);
    }
}

void
HostTcpSocket::SampleRtt(Time rtt)
{
    if (m_srtt.IsStrictlyNegative())
    {
        m_srtt = m_minRtt = rtt;
        m_rttvar = rtt / 2;
    }
    m_rttvar += (Abs(m_srtt - rtt) - m_rttvar) / 4;
    m_srtt += (rtt - m_srtt) / 8;
    m_minRtt = Min(m_minRtt, rtt);
    m_tcb->m_lastRtt = m_srtt;
    m_tcb->m_minRtt = m_minRtt;
}

void
HostTcpSocket::ResetTimeout()
{
    m_rto = m_srtt.IsStrictlyNegative() ? FIRST_TIMEOUT : m_srtt + Max(4 * m_rttvar, m_minRto);
}

void
HostTcpSocket::ReceivedAck(Ptr<Packet> packet, const TcpHeader& header)
{
    const SequenceNumber32 ack = header.GetAckNumber();
    const bool advanced = ack > m_txBuffer->HeadSequence();
    const uint32_t losses = m_board.GetLosses();
    const auto delivery = UpdateScoreboard(header);
    CheckProbe(ack, advanced, !advanced && !delivery.sacked && packet->GetSize() == 0);
    UpdateState(ack);
    if (m_tcb->m_congState == State::CA_RECOVERY)
    {
        ReduceWindow(delivery.segments, advanced && m_board.GetLosses() == losses);
    }
    else
    {
        IncreaseWindow(delivery.segments);
    }
    m_tcb->m_cWndInfl = m_tcb->m_cWnd;
    if (m_board.IsEmpty())
    {
        m_mostOut = 0;
    }
    RetransmitLost();
    SetTimer();
    if (advanced && GetTxAvailable() > 0)
    {
        NotifySend(GetTxAvailable());
    }
    if (packet->GetSize() > 0)
    {
        ReceivedData(packet, header);
    }
    SendPendingData(m_connected);
}

TcpScoreboard::Delivery
HostTcpSocket::UpdateScoreboard(const TcpHeader& header)
{
    const SequenceNumber32 ack = header.GetAckNumber();
    const auto sacks =
        header.HasOption(TcpOption::SACK)
            ? DynamicCast<const TcpOptionSack>(header.GetOption(TcpOption::SACK))->GetSackList()
            : TcpOptionSack::SackList();
    const auto delivery = m_board.Update(ack, sacks, m_minRtt);
    if (ack > m_txBuffer->HeadSequence())
    {
        m_txBuffer->DiscardUpTo(ack);
        m_tcb->m_lastAckedSeq = ack;
        m_tcb->m_nextTxSequence = std::max(m_tcb->m_nextTxSequence.Get(), ack);
        m_dataRetrCount = m_dataRetries;
        m_timeoutBase = m_probeBase = Simulator::Now();
    }
    if (!delivery.rtt.IsStrictlyNegative())
    {
        SampleRtt(delivery.rtt);
        m_congestionControl->PktsAcked(m_tcb, delivery.acked, delivery.rtt);
    }
    if (delivery.acked > 0)
    {
        ResetTimeout(); // also without a sample: with time stamps, hosts always have one
    }
    return delivery;
}

void
HostTcpSocket::DetectLosses()
{
    // RFC 8985, section 6.2, step 4
    const bool sure =
        m_tcb->m_congState >= State::CA_RECOVERY || m_board.GetSacked() >= m_retxThresh;
    const Time window = sure && !m_board.HasReordering() ? Time(0) : Min(m_minRtt / 4, m_srtt);
    m_reorderingEnd = m_board.DetectLosses(window);
    if (!m_reorderingEnd.IsStrictlyNegative())
    {
        m_reorderingEnd += 2 * m_clockGranularity;
    }
}

void
HostTcpSocket::BeginReduction()
{
    m_recover = m_tcb->m_highTxMark;
    m_probeOut = false;
    m_priorPipe = std::max(1U, GetWindow());
    m_prrDelivered = m_prrOut = 0;
    m_tcb->m_ssThresh = m_congestionControl->GetSsThresh(m_tcb, BytesInFlight());
}

void
HostTcpSocket::UpdateState(SequenceNumber32 ack)
{
    if (m_tcb->m_congState >= State::CA_RECOVERY && ack >= m_recover)
    {
        if (m_tcb->m_congState == State::CA_RECOVERY)
        {
            SetWindow(m_tcb->m_ssThresh / m_tcb->m_segmentSize);
        }
        SetState(State::CA_OPEN);
    }
    if (m_board.GetSacked() + m_board.GetLost() + m_board.GetResent() == 0) // nothing is missing
    {
        m_reorderingEnd = Time(-1);
        if (m_tcb->m_congState < State::CA_RECOVERY)
        {
            SetState(State::CA_OPEN);
        }
        return;
    }
    const uint32_t resent = m_board.GetResent();
    DetectLosses();
    const auto state = m_tcb->m_congState.Get();
    // After a timeout everything is sent again anyway, unless that is lost, too.
    if (state == State::CA_RECOVERY || (state == State::CA_LOSS && m_board.GetResent() >= resent))
    {
        return;
    }
    if (m_board.GetLost() == 0)
    {
        SetState(State::CA_DISORDER);
        return;
    }
    BeginReduction();
    SetState(State::CA_RECOVERY);
}

void
HostTcpSocket::ReduceWindow(uint32_t delivered, bool safe)
{
    if (delivered == 0)
    {
        return;
    }
    m_prrDelivered += delivered;
    const int64_t threshold = m_tcb->m_ssThresh / m_tcb->m_segmentSize;
    const int64_t pipe = m_board.GetPipe();
    int64_t count = int64_t{m_prrDelivered} - m_prrOut;
    if (pipe > threshold)
    {
        count = (threshold * m_prrDelivered + m_priorPipe - 1) / m_priorPipe - m_prrOut;
    }
    else
    {
        count = std::min(threshold - pipe, std::max<int64_t>(count, delivered) + safe);
    }
    // The first lost segment is sent again in any case.
    SetWindow(static_cast<uint32_t>(pipe + std::max<int64_t>(count, m_prrOut > 0 ? 0 : 1)));
}

void
HostTcpSocket::IncreaseWindow(uint32_t delivered)
{
    // In slow start, a window that is half used: it doubles before more can be sent.
    const uint32_t limit = m_tcb->m_cWnd < m_tcb->m_ssThresh ? 2 * m_mostOut : m_mostOut + 1;
    if (delivered > 0 && GetWindow() < limit)
    {
        m_congestionControl->IncreaseWindow(m_tcb, delivered);
    }
}

void
HostTcpSocket::CheckProbe(SequenceNumber32 ack, bool advanced, bool pureDuplicate)
{
    if (!m_probeOut || ack < m_probeHigh)
    {
        return;
    }
    if (!m_probeResent || pureDuplicate) // both copies have arrived
    {
        m_probeOut = false;
    }
    else if (advanced && ack > m_probeHigh) // the probe has replaced a lost segment
    {
        BeginReduction();
        SetWindow(m_tcb->m_ssThresh / m_tcb->m_segmentSize);
    }
}

void
HostTcpSocket::SendProbe()
{
    const SequenceNumber32 next = m_tcb->m_highTxMark;
    const uint32_t unsent = std::min(m_txBuffer->SizeFromSequence(next), m_tcb->m_segmentSize);
    m_probeResent = unsent == 0 || UnAckDataCount() + unsent > m_rWnd;
    m_probeOut = true;
    m_timeoutBase = Simulator::Now();
    NS_LOG_INFO("probe with " << (m_probeResent ? "the last segment" : "new data"));
    if (m_probeResent)
    {
        Retransmit(m_board.GetLast());
    }
    else
    {
        m_tcb->m_nextTxSequence = next + SendDataPacket(next, unsent, m_connected);
    }
    m_probeHigh = m_tcb->m_highTxMark;
    SetTimer();
}

void
HostTcpSocket::HandleTimeout()
{
    if (m_dataRetrCount == 0)
    {
        NotifyErrorClose();
        DeallocateEndPoint();
        return;
    }
    --m_dataRetrCount;
    const Time now = Simulator::Now();
    NS_LOG_INFO("timeout of " << m_rto << " for segment " << m_board.GetFirst().seq);
    const auto state = m_tcb->m_congState.Get();
    const bool isNew = state < State::CA_RECOVERY || m_txBuffer->HeadSequence() >= m_recover;
    m_board.MarkLost();
    if (isNew)
    {
        m_tcb->m_ssThresh = m_congestionControl->GetSsThresh(m_tcb, BytesInFlight());
    }
    SetWindow(m_board.GetPipe() + 1);
    SetState(State::CA_LOSS);
    m_recover = m_tcb->m_highTxMark;
    m_probeOut = false;
    m_reorderingEnd = Time(-1);
    m_rto = Min(m_rto.Get() + m_rto.Get(), LONGEST_TIMEOUT);
    m_timeoutBase = now;
    Retransmit(m_board.GetFirst());
}

void
HostTcpSocket::ReTxTimeout()
{
    if (m_board.IsEmpty() || m_state == CLOSED || m_state == TIME_WAIT)
    {
        TcpSocketBase::ReTxTimeout(); // of SYN or FIN
    }
    else if (Simulator::Now() < m_due) // it was due earlier, but is not any more
    {
        SetTimer();
    }
    else if (m_timer == Timer::TIMEOUT)
    {
        HandleTimeout();
    }
    else if (m_timer == Timer::PROBE)
    {
        SendProbe();
    }
    else
    {
        m_reorderingEnd = Time(-1);
        UpdateState(m_txBuffer->HeadSequence());
        if (m_tcb->m_congState == State::CA_RECOVERY && m_prrOut == 0)
        {
            ReduceWindow(1, false);
        }
        RetransmitLost();
        SetTimer();
    }
}

void
HostTcpSocket::PersistTimeout()
{
    // Without anything to probe the peer's closed window with, ns-3's follows a null pointer.
    if (m_txBuffer->SizeFromSequence(m_tcb->m_nextTxSequence) > 0)
    {
        TcpSocketBase::PersistTimeout();
    }
}

void
HostTcpSocket::Retransmit(TcpScoreboard::Segment& segment)
{
    m_board.MarkResent(segment);
    if (segment.seq == m_board.GetFirst().seq)
    {
        m_timeoutBase = segment.sent;
    }
    SendDataPacket(segment.seq, segment.size, m_connected);
}

void
HostTcpSocket::RetransmitLost()
{
    m_board.ForEachLost([this](TcpScoreboard::Segment& segment) {
        const bool room = m_board.GetPipe() < GetWindow();
        if (room)
        {
            Retransmit(segment);
        }
        return room;
    });
}

void
HostTcpSocket::SetTimer()
{
    if (m_board.IsEmpty())
    {
        if (m_state != FIN_WAIT_1 && m_state != CLOSING) // else it is that of a FIN
        {
            m_retxEvent.Cancel();
        }
        return;
    }
    m_timer = Timer::TIMEOUT;
    m_due = m_timeoutBase + m_rto;
    if (!m_reorderingEnd.IsStrictlyNegative())
    {
        m_timer = m_reorderingEnd < m_due ? Timer::REORDERING : m_timer;
        m_due = Min(m_due, m_reorderingEnd);
    }
    else if (m_tcb->m_congState == State::CA_OPEN && !m_probeOut && !m_srtt.IsStrictlyNegative())
    {
        // Of one segment the peer may delay the acknowledgement. A probe takes the place of the
        // timeout that would come before it.
        const Time delay = m_board.GetOut() == 1 ? m_minRto : 2 * m_clockGranularity;
        m_timer = Timer::PROBE;
        m_due = Min(m_due, m_probeBase + 2 * m_srtt + delay);
    }
    m_due = Max(m_due, Simulator::Now());
    if (m_retxEvent.IsExpired() || m_due < Simulator::Now() + Simulator::GetDelayLeft(m_retxEvent))
    {
        m_retxEvent.Cancel();
        m_retxEvent =
            Simulator::Schedule(m_due - Simulator::Now(), &HostTcpSocket::ReTxTimeout, this);
    }
}

DLEARN_TYPE_WITHOUT_ATTRIBUTES(HostTcpSocketFactory, SocketFactory);

namespace
{

/** @return the type that an attribute of a node's TCP chooses */
TypeId
GetPart(const Node& node, const std::string& attribute)
{
    TypeIdValue type;
    node.GetObject<TcpL4Protocol>()->GetAttribute(attribute, type);
    return type.Get();
}

/** @return a new object of a type */
Ptr<Object>
Make(TypeId type)
{
    ObjectFactory factory;
    factory.SetTypeId(type);
    return factory.Create();
}

} // namespace

void
HostTcpSocketFactory::Install(const NodeContainer& nodes)
{
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        if ((*node)->GetObject<TcpL4Protocol>() && !(*node)->GetObject<HostTcpSocketFactory>())
        {
            (*node)->AggregateObject(CreateObject<HostTcpSocketFactory>());
        }
    }
}

std::string
HostTcpSocketFactory::FindObstacle(const Node& node)
{
    const auto find = [](TypeId type, const std::string& name) -> std::string {
        TypeId::AttributeInformation info;
        const auto chosen = FindChosenDefault(type, name);
        return chosen && type.LookupAttributeByName(name, &info)
                   ? chosen->SerializeToString(info.checker)
                   : "";
    };
    const std::string ecn = find(TcpSocketBase::GetTypeId(), "UseEcn");
    if (!ecn.empty() && ecn != "Off")
    {
        return "ns3::TcpSocketBase::UseEcn=" + ecn;
    }
    if (find(TcpSocketBase::GetTypeId(), "Sack") == "false")
    {
        return "ns3::TcpSocketBase::Sack=false";
    }
    if (find(TcpSocketState::GetTypeId(), "EnablePacing") == "true")
    {
        return "ns3::TcpSocketState::EnablePacing=true";
    }
    const TypeId control = GetPart(node, "SocketType");
    const auto ops = DynamicCast<TcpCongestionOps>(Make(control));
    return ops->HasCongControl() ? control.GetName() : "";
}

Ptr<Socket>
HostTcpSocketFactory::CreateSocket()
{
    const auto tcp = GetObject<TcpL4Protocol>();
    const Ptr<Node> node = GetObject<Node>();
    if (!FindObstacle(*node).empty())
    {
        return tcp->CreateSocket();
    }
    const TypeId control = GetPart(*node, "SocketType");
    const auto socket = CreateObject<HostTcpSocket>();
    socket->SetNode(node);
    socket->SetTcp(tcp);
    socket->SetRtt(DynamicCast<RttEstimator>(Make(GetPart(*node, "RttEstimatorType"))));
    socket->SetCongestionControlAlgorithm(DynamicCast<TcpCongestionOps>(
        Make(control == TcpCubic::GetTypeId() ? HostCubic::GetTypeId() : control)));
    socket->SetRecoveryAlgorithm(DynamicCast<TcpRecoveryOps>(Make(GetPart(*node, "RecoveryType"))));
    SetOwnDefault(socket, "MinRto", TimeValue(MilliSeconds(200)));
    SetOwnDefault(socket, "ClockGranularity", TimeValue(MilliSeconds(4)));
    SetOwnDefault(socket, "DelAckTimeout", TimeValue(MilliSeconds(40)));
    SetOwnDefault(socket, "DataRetries", UintegerValue(15));
    SetOwnDefault(socket, "SndBufSize", UintegerValue(4 << 20));
    SetOwnDefault(socket, "RcvBufSize", UintegerValue(4 << 20));
    tcp->AddSocket(socket);
    return socket;
}

} // namespace ns3::dlearn
