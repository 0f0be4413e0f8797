/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-tcp-transport.h"

#include "dlearn-interface-line.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-attribute-lookup.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-fixed-accessor.h"
#include "ns3/dlearn-host-tcp-socket.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv6-l3-protocol.h"
#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-socket-base.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnTcpTransport");

namespace
{

constexpr uint32_t FIRST_WINDOW = 10;    //!< segments that TCP sends at first
constexpr uint32_t LEAST_SEGMENT = 64;   //!< bytes
constexpr uint32_t USUAL_SEGMENT = 1448; //!< bytes that fill a packet where the MTU is 1500

/** @return the default of an attribute of ns-3's TCP, where a user has chosen it */
std::optional<uint32_t>
FindChosenSize(const std::string& name)
{
    const auto chosen = FindChosenDefault(TcpSocketBase::GetTypeId(), name);
    return chosen ? std::make_optional<uint32_t>(dynamic_cast<const UintegerValue&>(*chosen).Get())
                  : std::nullopt;
}

} // namespace

TcpListener::TcpListener(Ptr<Node> node,
                         const Endpoint& here,
                         SocketMaker create,
                         RequestCallback request,
                         AcceptCallback accept)
    : m_node(node),
      m_here(here),
      m_create(std::move(create)),
      m_request(request),
      m_accept(accept),
      m_remote(here.ip),
      m_local(here.ip)
{
}

void
TcpListener::Open()
{
    NS_LOG_FUNCTION(this);
    Close();
    Listen();
    WatchDelivery(true);
}

void
TcpListener::Close()
{
    NS_LOG_FUNCTION(this);
    Release();
    WatchDelivery(false);
}

void
TcpListener::WatchDelivery(bool on)
{
    const auto watch = [on](const Ptr<Object>& protocol, const CallbackBase& sink) {
        if (protocol && on)
        {
            protocol->TraceConnectWithoutContext("LocalDeliver", sink);
        }
        else if (protocol) // else the node was disposed
        {
            protocol->TraceDisconnectWithoutContext("LocalDeliver", sink);
        }
    };
    if (m_here.ip.IsIpv6())
    {
        watch(m_node->GetObject<Ipv6L3Protocol>(),
              MakeCallback(&TcpListener::HandleDeliver<Ipv6Header>, this));
    }
    else
    {
        watch(m_node->GetObject<Ipv4L3Protocol>(),
              MakeCallback(&TcpListener::HandleDeliver<Ipv4Header>, this));
    }
}

void
TcpListener::Listen()
{
    Release();
    m_socket = m_create();
    Require(m_socket->Bind(m_here.ToSocketAddress()) == 0 && m_socket->Listen() == 0,
            "TcpTransport: port {} of node {} is in use; give this learner another one by its "
            "attribute Port",
            m_here.port,
            m_node->GetId());
    m_socket->SetAcceptCallback(m_request, m_accept);
    m_socket->TraceConnectWithoutContext("Rx", MakeCallback(&TcpListener::HandleRx, this));
}

void
TcpListener::Release()
{
    m_renewEvent.Cancel();
    if (m_socket)
    {
        m_socket->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                    MakeNullCallback<void, Ptr<Socket>, const Address&>());
        m_socket->Close();
        m_socket = nullptr;
    }
}

template <typename Header>
void
TcpListener::HandleDeliver(const Header& header,
                           Ptr<const Packet> /* packet */,
                           uint32_t /* interface */)
{
    m_remote = header.GetSource();
    m_local = header.GetDestination();
}

void
TcpListener::HandleRx(Ptr<const Packet> /* packet */,
                      const TcpHeader& header,
                      Ptr<const TcpSocketBase> socket)
{
    const bool isCall = (header.GetFlags() & TcpHeader::SYN) != 0;
    if (isCall || PeekPointer(DynamicCast<const Socket>(socket)) != PeekPointer(m_socket))
    {
        return;
    }
    // TCP of ns-3 takes the window of the listener for closed by a segment without one, such as
    // the reset of a peer that has just given up a call, and begins to probe, from a socket that
    // has no peer, and asserts when a call comes.
    m_renewEvent.Cancel();
    m_renewEvent = Simulator::ScheduleNow(&TcpListener::Listen, this);
    Reset(header);
}

void
TcpListener::Reset(const TcpHeader& header) const
{
    const bool answers = (header.GetFlags() & TcpHeader::ACK) != 0;
    if (!answers || (header.GetFlags() & TcpHeader::RST) != 0) // a reset is not answered
    {
        return;
    }
    NS_LOG_INFO("node " << m_node->GetId() << " resets a connection of " << m_remote
                        << ", of which it knows nothing");
    TcpHeader reset;
    reset.SetFlags(TcpHeader::RST);
    reset.SetSourcePort(m_here.port);
    reset.SetDestinationPort(header.GetSourcePort());
    reset.SetSequenceNumber(header.GetAckNumber());
    m_node->GetObject<TcpL4Protocol>()->SendPacket(Create<Packet>(), reset, m_local, m_remote);
}

NS_OBJECT_ENSURE_REGISTERED(TcpTransport);

TypeId
TcpTransport::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<TcpTransport, Transport>("ns3::dlearn::TcpTransport")
            .AddAttribute("Port",
                          "TCP port on which the learner listens. Learners of one node need "
                          "different ones.",
                          UintegerValue(4660),
                          MakeFixedAccessor(MakeUintegerAccessor(&TcpTransport::m_port),
                                            &TcpTransport::IsSetUp),
                          MakeUintegerChecker<uint16_t>(1))
            .AddAttribute("FragmentSize",
                          "Most bytes of payload after one header, a multiple of 8; larger "
                          "ones from a peer are refused.",
                          UintegerValue(16384),
                          MakeFixedAccessor(MakeUintegerAccessor(&TcpTransport::m_fragmentSize),
                                            &TcpTransport::IsSetUp),
                          MakeUintegerChecker<uint32_t>(8, 1 << 20))
            .AddAttribute("SegmentSize",
                          "TCP segment size in bytes, at least 64; 0 fills the packets of the "
                          "node's devices: 1448 where the MTU is 1500.",
                          UintegerValue(0),
                          MakeFixedAccessor(MakeUintegerAccessor(&TcpTransport::m_segmentSize),
                                            &TcpTransport::IsSetUp),
                          MakeUintegerChecker<uint32_t>(0, 65483))
            .AddAttribute("QueueLimit",
                          "Messages that may wait for one peer.",
                          UintegerValue(8),
                          MakeUintegerAccessor(&TcpTransport::m_queueLimit),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("RetryInterval",
                          "Time between a broken or refused connection and the next call.",
                          TimeValue(MilliSeconds(500)),
                          MakeTimeAccessor(&TcpTransport::m_retryInterval),
                          MakeTimeChecker(MicroSeconds(1)))
            .AddAttribute("CallTimeout",
                          "Time without an answer after which a call is repeated; doubles "
                          "each time, and after the third time the call has failed. It begins "
                          "twice as large for each call in a row that failed, up to 64 times.",
                          TimeValue(MilliSeconds(500)),
                          MakeTimeAccessor(&TcpTransport::m_callTimeout),
                          MakeTimeChecker(MicroSeconds(1)))
            .AddAttribute("ProbeInterval",
                          "Time without anything from the peer after which the caller makes "
                          "sure that the connection is alive; doubles each time.",
                          TimeValue(Seconds(1)),
                          MakeTimeAccessor(&TcpTransport::m_probeInterval),
                          MakeTimeChecker(MicroSeconds(1)));
    return tid;
}

TcpTransport::TcpTransport() = default;

TcpTransport::~TcpTransport() = default;

void
TcpTransport::DoDispose()
{
    NS_LOG_FUNCTION(this);
    // The node disposes its devices before its applications, and a segment would have to cross
    // them.
    m_open = false;
    m_listener.reset();
    for (const auto& caller : m_callers)
    {
        caller->Release();
    }
    m_callers.clear();
    for (auto& [peer, connection] : m_connections)
    {
        connection->Release();
    }
    m_connections.clear();
    m_lines.clear();
    Transport::DoDispose();
}

void
TcpTransport::CheckAttributes() const
{
    Require(m_fragmentSize % 8 == 0,
            "TcpTransport: FragmentSize must be a multiple of 8, got ",
            m_fragmentSize);
    Require(m_segmentSize == 0 || m_segmentSize >= LEAST_SEGMENT,
            "TcpTransport: SegmentSize must be at least 64, or 0, got ",
            m_segmentSize);
    const auto segment = FindChosenSize("SegmentSize");
    Require(!segment || m_segmentSize == 0,
            "TcpTransport: SegmentSize and ns3::TcpSocket::SegmentSize exclude each other, got {} "
            "and {}",
            m_segmentSize,
            segment.value_or(0));
    Require(!FindChosenDefault(TcpSocketBase::GetTypeId(), "ConnTimeout") ||
                !FindChosenDefault(GetInstanceTypeId(), "CallTimeout"),
            "TcpTransport: CallTimeout and ns3::TcpSocket::ConnTimeout exclude each other");
    const uint32_t least = segment.value_or(LEAST_SEGMENT);
    Require(least >= LEAST_SEGMENT,
            "ns3::TcpSocket::SegmentSize must be at least {}, got {}",
            LEAST_SEGMENT,
            least);
    Require(FindChosenSize("InitialCwnd").value_or(1) >= 1,
            "ns3::TcpSocket::InitialCwnd must be at least 1 segment, got 0");
    for (const char* buffer : {"SndBufSize", "RcvBufSize"})
    {
        const uint32_t size = FindChosenSize(buffer).value_or(least);
        Require(size >= least,
                "ns3::TcpSocket::{} must be at least a segment, {} bytes, got {}",
                buffer,
                least,
                size);
    }
}

uint32_t
TcpTransport::GetPacketSize() const
{
    // Of IP, of TCP, and the options of most segments.
    const uint32_t headers = GetIpHeaderSize(IsIpv6()) + 20 + 12;
    const uint32_t fitting = GetSmallestMtu() - headers;
    return m_segmentSize > 0 ? m_segmentSize : FindChosenSize("SegmentSize").value_or(fitting);
}

Ptr<Socket>
TcpTransport::CreateSocket(uint32_t failures) const
{
    const bool host = m_node->GetObject<HostTcpSocketFactory>() != nullptr;
    const Ptr<Socket> socket = Socket::CreateSocket(m_node,
                                                    host ? HostTcpSocketFactory::GetTypeId()
                                                         : TcpSocketFactory::GetTypeId());
    const uint32_t segment = GetPacketSize();
    socket->SetAttribute("SegmentSize", UintegerValue(segment));
    if (!DynamicCast<HostTcpSocket>(socket))
    {
        // Three segments have to follow a lost one before ns-3 sends it again without a timeout.
        const uint32_t buffer = std::max<uint32_t>(1 << 17, 8 * segment);
        SetOwnDefault(socket, "SndBufSize", UintegerValue(buffer));
        SetOwnDefault(socket, "RcvBufSize", UintegerValue(buffer));
        TimeValue least;
        socket->GetAttribute("MinRto", least);
        SetOwnDefault(socket, "MinRto", TimeValue(Max(least.Get(), GetWindowTime())));
    }
    // With time stamps ns-3 measures the time of a segment that was sent again from its first
    // copy on; so one loss makes the retransmission timeout longer, for good, until it is minutes.
    SetOwnDefault(socket, "Timestamp", BooleanValue(false));
    // A TCP of ns-3 that calls does not take "refused" for an answer; with its own defaults it
    // would wait up to 96 s before it asks a peer that has come back.
    const auto timeout = SetOwnDefault(socket, "ConnTimeout", TimeValue(m_callTimeout));
    const Time first = dynamic_cast<const TimeValue&>(*timeout).Get();
    socket->SetAttribute("ConnTimeout", TimeValue(first * (1 << std::min(failures, 6U))));
    SetOwnDefault(socket, "ConnCount", UintegerValue(3));
    return socket;
}

Time
TcpTransport::GetWindowTime() const
{
    const uint32_t segment = GetPacketSize();
    Time longest;
    for (uint32_t index = 0; index < m_node->GetNDevices(); ++index)
    {
        const auto device = m_node->GetDevice(index);
        longest = Max(longest, GetFrameTime(*device, segment + 40) * (2 * FIRST_WINDOW));
    }
    return longest;
}

Ptr<Socket>
TcpTransport::CreateListener() const
{
    const Ptr<Socket> socket = CreateSocket(0);
    // Each copy of a call that comes before the caller has the answer takes one of these.
    SetOwnDefault(socket, "ConnCount", UintegerValue(8));
    return socket;
}

void
TcpTransport::Open()
{
    NS_LOG_FUNCTION(this);
    m_segment = GetPacketSize();
    m_open = true;
    m_finished = false;
    m_samePorts = std::all_of(m_peers.begin(), m_peers.end(), [this](const auto& peer) {
        return peer.second.port == m_port;
    });
    if (!m_listener)
    {
        m_listener = std::make_unique<TcpListener>(
            m_node,
            Endpoint::AtAny(IsIpv6(), m_port),
            [this] { return CreateListener(); },
            MakeCallback(&TcpTransport::HandleRequest, this),
            MakeCallback(&TcpTransport::HandleAccept, this));
    }
    m_listener->Open();
    for (const auto& [peer, address] : m_peers)
    {
        auto& connection = m_connections[peer];
        if (!connection)
        {
            connection = std::make_unique<TcpPeerConnection>(*this, peer, m_self > peer);
        }
        connection->Connect();
    }
}

void
TcpTransport::Close()
{
    NS_LOG_FUNCTION(this);
    m_open = false;
    if (m_listener)
    {
        m_listener->Close();
    }
    m_callers.clear();
    for (auto& [interface, line] : m_lines)
    {
        line->Clear();
    }
    for (auto& [peer, connection] : m_connections)
    {
        connection->Close();
    }
}

bool
TcpTransport::HandleRequest(Ptr<Socket> /* socket */, const Address& from)
{
    const IpAddress caller = Endpoint::Find(from)->ip;
    return m_open && std::any_of(m_peers.begin(), m_peers.end(), [&](const auto& peer) {
               return FindPeer({caller, peer.second.port}).has_value();
           });
}

void
TcpTransport::HandleAccept(Ptr<Socket> socket, const Address& from)
{
    NS_LOG_FUNCTION(this << socket << from);
    const IpAddress address = Endpoint::Find(from)->ip;
    if (m_samePorts)
    {
        m_connections.at(FindPeer({address, m_port}).value())->Adopt(socket);
        return;
    }
    if (m_callers.size() >= m_peers.size()) // more than peers: one of them does not greet
    {
        m_callers.pop_front();
    }
    m_callers.push_back(
        std::make_unique<TcpCaller>(socket,
                                    address,
                                    m_port,
                                    MakeCallback(&TcpTransport::HandleGreeting, this)));
}

void
TcpTransport::HandleGreeting(TcpCaller& caller, std::optional<uint16_t> port)
{
    const auto peer = port ? FindPeer({caller.GetAddress(), *port}) : std::nullopt;
    const Ptr<Socket> socket = caller.Release();
    m_callers.remove_if([&caller](const auto& other) { return other.get() == &caller; });
    if (!peer)
    {
        NS_LOG_INFO("learner " << m_self << ": a call from " << caller.GetAddress()
                               << " is not from a peer");
        ++m_broken;
        socket->Close();
        return;
    }
    TcpPeerConnection& connection = *m_connections.at(*peer);
    connection.Adopt(socket);
    connection.HandleRead(socket); // bytes that arrived with the greeting
}

void
TcpTransport::Send(const Message& message, const std::vector<LearnerId>& recipients)
{
    NS_LOG_FUNCTION(this << message->GetRound() << recipients.size());
    Require(m_open, "TcpTransport: Send() needs Open() first");
    for (const LearnerId recipient : recipients)
    {
        GetAddress(recipient); // refuses strangers
        m_connections.at(recipient)->Enqueue(message);
    }
}

bool
TcpTransport::Settle(uint32_t round)
{
    NS_LOG_FUNCTION(this << round);
    const bool sent =
        std::any_of(m_connections.begin(), m_connections.end(), [round](const auto& connection) {
            return connection.second->GetQueue().HasSent(round);
        });
    for (auto& [peer, connection] : m_connections)
    {
        if (!sent)
        {
            connection->GetQueue().Withdraw(round);
        }
        connection->GetQueue().Forget(round);
    }
    return sent;
}

bool
TcpTransport::IsWaitingForTurn(uint32_t round) const
{
    // Where only the newest counts, the next round's message goes instead.
    bool waits = false;
    for (const auto& [peer, connection] : m_connections)
    {
        if (m_newestOnly || connection->GetQueue().HasSent(round))
        {
            return false;
        }
        waits = waits || (connection->IsConnected() && connection->GetQueue().HasUnsent(round));
    }
    return waits;
}

InterfaceLine&
TcpTransport::GetLine(LearnerId peer)
{
    const auto device = FindOutputDevice(*m_node, GetAddress(peer).ip);
    auto& line = m_lines[device ? device->GetIfIndex() : NO_DEVICE];
    if (!line)
    {
        line = std::make_unique<InterfaceLine>(device, m_segment, [this](LearnerId next) {
            m_connections.at(next)->Flush();
        });
    }
    return *line;
}

double
TcpTransport::CountRoundTrips(uint64_t bytes) const
{
    // The caller's first segment after the handshake ends it, and windows double (slow start).
    const uint32_t segment = m_segmentSize > 0 ? m_segmentSize : USUAL_SEGMENT;
    const double segments = static_cast<double>(bytes) / segment;
    const double windows = std::ceil(std::log2(segments / FIRST_WINDOW + 1));
    return 1.5 + std::max(windows - 1, 0.0);
}

void
TcpTransport::Count(std::map<std::string, uint64_t>& totals) const
{
    Transport::Count(totals);
    totals["broken_connections"] += m_broken;
}

} // namespace ns3::dlearn
