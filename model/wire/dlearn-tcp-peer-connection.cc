/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-tcp-transport.h"

#include "ns3/dlearn-host-tcp-socket.h"
#include "ns3/log.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-rx-buffer.h"
#include "ns3/tcp-socket-base.h"
#include "ns3/tcp-tx-buffer.h"

#include <algorithm>
#include <utility>

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnTcpPeerConnection");

void
TcpCallSchedule::Plan(Time interval, bool last)
{
    m_next.Cancel();
    if (!last)
    {
        m_last = 0;
        m_next = Simulator::Schedule(interval, m_call);
    }
    else if (m_last < LAST_CALLS)
    {
        m_next = Simulator::Schedule(interval * (1 << m_last++), m_call);
    }
}

void
TcpCallSchedule::Cancel()
{
    m_next.Cancel();
    m_last = 0;
}

TcpCaller::TcpCaller(Ptr<Socket> socket,
                     IpAddress address,
                     uint16_t port,
                     GreetingCallback greeting)
    : m_socket(socket),
      m_address(address),
      m_port(port),
      m_greeting(greeting)
{
    m_socket->SetRecvCallback(MakeCallback(&TcpCaller::HandleRead, this));
    m_socket->SetCloseCallbacks(MakeCallback(&TcpCaller::HandleClosed, this),
                                MakeCallback(&TcpCaller::HandleClosed, this));
}

TcpCaller::~TcpCaller()
{
    if (const Ptr<Socket> socket = Release())
    {
        socket->Close();
    }
}

Ptr<Socket>
TcpCaller::Release()
{
    const Ptr<Socket> socket = m_socket;
    m_socket = nullptr;
    if (socket)
    {
        socket->SetRecvCallback(MakeNullCallback<void, Ptr<Socket>>());
        socket->SetCloseCallbacks(MakeNullCallback<void, Ptr<Socket>>(),
                                  MakeNullCallback<void, Ptr<Socket>>());
    }
    return socket;
}

void
TcpCaller::HandleRead(Ptr<Socket> socket)
{
    NS_LOG_FUNCTION(this << socket << m_address);
    do
    {
        // Not a byte more: the bytes that follow are for the connection.
        const uint32_t wanted = m_bytes.empty() ? 1 : TCP_GREETING_SIZE - m_bytes.size();
        const Ptr<Packet> packet = socket->Recv(wanted, 0);
        if (!packet || packet->GetSize() == 0)
        {
            return;
        }
        const size_t held = m_bytes.size();
        m_bytes.resize(held + packet->GetSize());
        packet->CopyData(m_bytes.data() + held, packet->GetSize());
    } while (m_bytes[0] == TCP_GREETING && m_bytes.size() < TCP_GREETING_SIZE);

    std::optional<uint16_t> port;
    if (m_bytes[0] == TCP_FILLER)
    {
        port = m_port;
    }
    else if (m_bytes[0] == TCP_GREETING)
    {
        port = m_bytes[1] << 8 | m_bytes[2];
    }
    Finish(port); // ends this object
}

void
TcpCaller::HandleClosed(Ptr<Socket> /* socket */)
{
    NS_LOG_FUNCTION(this << m_address);
    Finish(std::nullopt); // ends this object
}

void
TcpCaller::Finish(std::optional<uint16_t> port)
{
    const GreetingCallback greeting = m_greeting; // outlives this object
    greeting(*this, port);
}

namespace
{

/** @return bytes of a socket that wait for acknowledgement; 0 when this is not known */
uint32_t
GetUnacknowledged(const Ptr<Socket>& socket)
{
    const auto tcp = DynamicCast<TcpSocketBase>(socket);
    return tcp ? tcp->GetTxBuffer()->Size() : 0;
}

/**
 * Close a socket; by a reset when data wait for acknowledgement, which are half a message at best.
 * A TcpSocketBase of ns-3.37 that is closed and has to send data again follows a null pointer when
 * many packets are lost.
 */
void
Abandon(const Ptr<Socket>& socket)
{
    const Ptr<TcpSocketBase> tcp = DynamicCast<TcpSocketBase>(socket);
    if (GetUnacknowledged(socket) == 0)
    {
        socket->Close();
        return;
    }
    // Not now: the socket may be the one that is calling, and a reset takes its port away.
    Simulator::ScheduleNow([tcp] {
        // It resets the connection when it is closed and holds a byte that was not read.
        const Ptr<TcpRxBuffer> received = tcp->GetRxBuffer();
        TcpHeader header;
        header.SetSequenceNumber(received->NextRxSequence());
        received->Add(Create<Packet>(1), header);
        tcp->Close();
    });
}

} // namespace

TcpPeerConnection::TcpPeerConnection(TcpTransport& transport, LearnerId peer, bool calls)
    : m_transport(transport),
      m_peer(peer),
      m_calls(calls),
      m_schedule([this] { Connect(); })
{
}

TcpPeerConnection::~TcpPeerConnection()
{
    Close();
}

void
TcpPeerConnection::Connect()
{
    NS_LOG_FUNCTION(this << m_peer);
    if (!m_calls || m_socket)
    {
        return;
    }
    Use(m_unused ? std::exchange(m_unused, nullptr)
                 : m_transport.CreateSocket(m_schedule.GetFailures()));
    m_socket->SetConnectCallback(MakeCallback(&TcpPeerConnection::HandleConnected, this),
                                 MakeCallback(&TcpPeerConnection::HandleFailed, this));
    if (m_socket->Connect(m_transport.GetAddress(m_peer).ToSocketAddress()) != 0)
    {
        // There is no route. A socket of ns-3 that was never connected keeps its port, so that it
        // has to be the one of the next call.
        m_unused = Detach();
        HandleFailed(nullptr);
    }
}

void
TcpPeerConnection::Adopt(Ptr<Socket> socket)
{
    NS_LOG_FUNCTION(this << m_peer << socket);
    Drop();
    Use(socket);
    HandleConnected(socket);
}

void
TcpPeerConnection::Use(Ptr<Socket> socket)
{
    m_socket = socket;
    if (const auto tcp = DynamicCast<TcpSocketBase>(socket))
    {
        m_highest = tcp->GetTxBuffer()->HeadSequence();
        tcp->TraceConnectWithoutContext("HighestSequence",
                                        MakeCallback(&TcpPeerConnection::HandleHighest, this));
    }
    m_socket->SetRecvCallback(MakeCallback(&TcpPeerConnection::HandleRead, this));
    m_socket->SetSendCallback(MakeCallback(&TcpPeerConnection::HandleSpace, this));
    m_socket->SetCloseCallbacks(MakeCallback(&TcpPeerConnection::HandleFailed, this),
                                MakeCallback(&TcpPeerConnection::HandleFailed, this));
}

Ptr<Socket>
TcpPeerConnection::Detach()
{
    NS_LOG_FUNCTION(this << m_peer);
    m_connected = false;
    m_shortcut.reset();
    m_line = nullptr;
    m_probeEvent.Cancel();
    m_received.clear();
    const Ptr<Socket> socket = m_socket;
    m_socket = nullptr;
    if (socket)
    {
        m_transport.m_txRefused +=
            m_queue.Rewind(GetUnacknowledged(socket), m_transport.m_queueLimit);
        socket->TraceDisconnectWithoutContext(
            "HighestSequence",
            MakeCallback(&TcpPeerConnection::HandleHighest, this));
        socket->SetRecvCallback(MakeNullCallback<void, Ptr<Socket>>());
        socket->SetSendCallback(MakeNullCallback<void, Ptr<Socket>, uint32_t>());
        socket->SetConnectCallback(MakeNullCallback<void, Ptr<Socket>>(),
                                   MakeNullCallback<void, Ptr<Socket>>());
        socket->SetCloseCallbacks(MakeNullCallback<void, Ptr<Socket>>(),
                                  MakeNullCallback<void, Ptr<Socket>>());
    }
    return socket;
}

void
TcpPeerConnection::Drop()
{
    if (const Ptr<Socket> socket = Detach())
    {
        Abandon(socket);
    }
}

void
TcpPeerConnection::Close()
{
    Drop();
    Release();
}

void
TcpPeerConnection::Release()
{
    NS_LOG_FUNCTION(this << m_peer);
    m_schedule.Cancel();
    Detach();
    m_unused = nullptr;
    m_queue.Clear();
}

void
TcpPeerConnection::Enqueue(const Transport::Message& message)
{
    NS_LOG_FUNCTION(this << m_peer << message->GetRound());
    m_queue.Confirm(GetUnacknowledged(m_socket));
    m_transport.m_txRefused +=
        m_queue.Push(message, m_transport.m_queueLimit, m_transport.m_newestOnly);
    Flush();
}

void
TcpPeerConnection::Flush()
{
    const auto sent = [this](const EncodedMessage& message, uint32_t bytes) {
        m_line->Use(bytes);
        m_transport.CountSent(message, bytes);
    };
    while (m_connected && !m_queue.IsEmpty())
    {
        const uint32_t most = GetAllowance();
        if (most == 0 || !m_queue.SendSome(m_socket, most, sent))
        {
            return;
        }
    }
}

uint32_t
TcpPeerConnection::GetAllowance() const
{
    const uint64_t segment = m_transport.m_segment;
    // TCP asks for more while it sends the first of two. After a loss, what it can still send makes
    // the peer report what is missing, so it has more where that leaves within 10 ms.
    const uint64_t ahead = std::max(2U, m_line->GetLimit()) * segment;
    const uint64_t unsent = GetUnsent();
    if (unsent >= ahead)
    {
        return 0;
    }
    // As many as the windows of TCP allow, as hosts do. A vector that a newer one may replace only
    // begins when the queue of the device has room.
    if (m_line->IsAlone() && (!m_transport.m_newestOnly || m_queue.HasBegun()) &&
        DynamicCast<HostTcpSocket>(m_socket))
    {
        return static_cast<uint32_t>(ahead - unsent);
    }
    const uint64_t least = GetUnacknowledged(m_socket) <= m_line->GetLeast() ? segment : 0;
    const uint64_t room = std::max(m_line->GetRoom(m_peer), least);
    if (room == 0)
    {
        m_line->Join(m_peer);
        return 0;
    }
    // Whole segments, at least the one that has begun: others may have left less room.
    const uint64_t segments = std::max((unsent + room) / segment, unsent / segment + 1);
    return static_cast<uint32_t>(std::min(ahead, segments * segment) - unsent);
}

uint32_t
TcpPeerConnection::GetUnsent() const
{
    const auto tcp = DynamicCast<TcpSocketBase>(m_socket);
    if (!tcp)
    {
        return 0;
    }
    const auto buffer = tcp->GetTxBuffer();
    // The difference has 32 bits in ns-3.37 and 64 in ns-3.48.
    const int64_t unsent = buffer->TailSequence() - std::max(m_highest, buffer->HeadSequence());
    return static_cast<uint32_t>(std::max<int64_t>(unsent, 0));
}

void
TcpPeerConnection::HandleConnected(Ptr<Socket> /* socket */)
{
    NS_LOG_INFO("connected with learner " << m_peer
                                          << (m_calls ? ", which answered" : ", which called"));
    m_connected = true;
    m_shortcut.emplace(m_socket);
    m_line = &m_transport.GetLine(m_peer);
    m_line->Add(m_peer);
    m_schedule.NoteAnswer();
    if (m_calls)
    {
        // The other side accepts the call when it gets the caller's first segment after the
        // handshake. TCP sends that again when it is lost only if it holds a byte.
        const uint16_t port = m_transport.m_port;
        if (port != m_transport.GetAddress(m_peer).port)
        {
            const uint8_t greeting[TCP_GREETING_SIZE] = {TCP_GREETING,
                                                         static_cast<uint8_t>(port >> 8),
                                                         static_cast<uint8_t>(port)};
            SendOther(greeting, TCP_GREETING_SIZE);
        }
        Probe();
        m_probes = 0;
    }
    Flush();
}

void
TcpPeerConnection::SendOther(const uint8_t* bytes, uint32_t size)
{
    if (m_socket->Send(Create<Packet>(bytes, size)) == static_cast<int>(size))
    {
        m_queue.CountOther(size);
    }
}

void
TcpPeerConnection::Probe()
{
    NS_LOG_FUNCTION(this << m_peer << m_probes);
    if (m_queue.IsBetweenFragments() && GetUnacknowledged(m_socket) == 0) // else TCP makes sure
    {
        SendOther(&TCP_FILLER, 1);
    }
    ++m_probes;
    ScheduleProbe();
}

void
TcpPeerConnection::ScheduleProbe()
{
    m_probeEvent.Cancel();
    if (m_calls && m_connected && m_probes < PROBES)
    {
        m_probeEvent = Simulator::Schedule(m_transport.m_probeInterval * (1 << m_probes),
                                           &TcpPeerConnection::Probe,
                                           this);
    }
}

void
TcpPeerConnection::HandleFailed(Ptr<Socket> /* socket */)
{
    NS_LOG_INFO("the connection with learner " << m_peer << " broke, or was not made");
    ++m_transport.m_broken;
    m_schedule.NoteFailure();
    Drop();
    const bool finished = m_transport.m_finished;
    if (m_calls && m_transport.m_open && !(finished && m_queue.IsEmpty()))
    {
        m_schedule.Plan(m_transport.m_retryInterval, finished);
    }
}

void
TcpPeerConnection::HandleRead(Ptr<Socket> socket)
{
    NS_LOG_FUNCTION(this << m_peer << socket);
    while (m_socket == socket)
    {
        const Ptr<Packet> packet = socket->Recv();
        if (!packet || packet->GetSize() == 0)
        {
            return;
        }
        const uint32_t size = packet->GetSize();
        m_probes = 0;
        ScheduleProbe();
        const size_t held = m_received.size();
        m_received.resize(held + size);
        packet->CopyData(m_received.data() + held, size);
        // All of it before a message is delivered, which may close a round.
        m_transport.m_rxBytes += size - CountFillers();
        if (!ParseFragments() && m_socket == socket)
        {
            HandleFailed(socket);
            return;
        }
    }
}

uint32_t
TcpPeerConnection::CountFillers() const
{
    uint32_t fillers = 0;
    size_t begin = 0;
    while (begin < m_received.size())
    {
        if (m_received[begin] == TCP_FILLER)
        {
            ++fillers;
            ++begin;
            continue;
        }
        const auto header = m_received.size() - begin < ModelHeader::SIZE
                                ? std::nullopt
                                : ReadHeader(m_received.data() + begin);
        if (!header)
        {
            break;
        }
        begin += ModelHeader::SIZE + header->payloadLength;
    }
    return fillers;
}

std::optional<ModelHeader>
TcpPeerConnection::ReadHeader(const uint8_t* bytes) const
{
    ModelHeader header;
    header.Read(bytes);
    const bool fits = header.IsValid() && header.payloadLength <= m_transport.m_fragmentSize;
    return fits ? std::make_optional(header) : std::nullopt;
}

bool
TcpPeerConnection::ParseFragments()
{
    // Deliver() may lead to Close(), which empties m_received: work on what was there.
    const Ptr<Socket> socket = m_socket;
    std::vector<uint8_t> bytes;
    bytes.swap(m_received);
    size_t begin = 0;
    bool intact = true;
    while (intact)
    {
        while (begin < bytes.size() && bytes[begin] == TCP_FILLER)
        {
            ++begin;
        }
        if (bytes.size() - begin < ModelHeader::SIZE)
        {
            break;
        }
        const auto header = ReadHeader(bytes.data() + begin);
        if (!header)
        {
            m_transport.ReportMalformed(bytes.size() - begin);
            return false;
        }
        const size_t size = ModelHeader::SIZE + header->payloadLength;
        if (bytes.size() - begin < size)
        {
            break;
        }
        intact = m_transport.Deliver(m_peer, bytes.data() + begin, size);
        begin += size;
        if (m_socket != socket)
        {
            return true; // closed, perhaps opened again: the rest belongs to the old stream
        }
    }
    bytes.erase(bytes.begin(), bytes.begin() + begin);
    m_received.swap(bytes);
    return intact;
}

} // namespace ns3::dlearn
