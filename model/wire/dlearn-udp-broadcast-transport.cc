/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-udp-broadcast-transport.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-number-parser.h"
#include "ns3/dlearn-state-archive.h"
#include "ns3/ipv4.h"
#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnUdpBroadcastTransport");

NS_OBJECT_ENSURE_REGISTERED(UdpBroadcastTransport);
DLEARN_STATE_ENSURE_REGISTERED(UdpBroadcastTransport);

namespace
{

/// Datagrams in the queue of the device: as many as keep it busy, so that a turn can be given up.
constexpr uint32_t QUEUED = 2;

/** @return the time for which a poll keeps others quiet at most, however many it names */
Time
GetLongestReports()
{
    return MilliSeconds(100);
}

/** @return the time that reports may take besides their slots */
Time
GetReportMargin()
{
    return MilliSeconds(20);
}

} // namespace

TypeId
UdpBroadcastTransport::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::UdpBroadcastTransport")
            .SetParent<UdpTransport>()
            .SetGroupName("Dlearn")
            .AddConstructor<UdpBroadcastTransport>()
            .AddAttribute("Reliability",
                          "What is done about lost fragments: none; nack: receivers report what "
                          "they miss, and it is broadcast again; fec:RATE: so much parity is sent "
                          "for each fragment; both or both:RATE: parity is what repairs.",
                          StringValue("none"),
                          MakeStringAccessor(&UdpBroadcastTransport::m_reliability),
                          MakeStringChecker())
            .AddAttribute(
                "TurnSpread",
                "A learner waits for a random time below this, while the medium is quiet, "
                "before it sends a message. Not with Reliability none, as all that "
                "follow.",
                TimeValue(MilliSeconds(16)),
                MakeTimeAccessor(&UdpBroadcastTransport::m_turnSpread),
                MakeTimeChecker(MicroSeconds(1), Seconds(10)))
            .AddAttribute("TurnGap",
                          "Time after a fragment of another learner at which the medium counts as "
                          "quiet.",
                          TimeValue(MilliSeconds(4)),
                          MakeTimeAccessor(&UdpBroadcastTransport::m_turnGap),
                          MakeTimeChecker(MicroSeconds(1), Seconds(10)))
            .AddAttribute("ReportSlot",
                          "Time between the reports of two recipients.",
                          TimeValue(MicroSeconds(300)),
                          MakeTimeAccessor(&UdpBroadcastTransport::m_reportSlot),
                          MakeTimeChecker(MicroSeconds(1), Seconds(1)))
            .AddAttribute("PollLimit",
                          "Polls of a message, after which all recipients are given up.",
                          UintegerValue(32),
                          MakeUintegerAccessor(&UdpBroadcastTransport::m_pollLimit),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute(
                "SilenceLimit",
                "Polls in a row that a recipient leaves unanswered before it is given up.",
                UintegerValue(10),
                MakeUintegerAccessor(&UdpBroadcastTransport::m_silenceLimit),
                MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("RequestLimit",
                          "Bytes that a recipient may ask for again before it is given up, in "
                          "lengths of the message.",
                          UintegerValue(4),
                          MakeUintegerAccessor(&UdpBroadcastTransport::m_requestLimit),
                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

UdpBroadcastTransport::UdpBroadcastTransport()
    : m_decoder({[this](auto... args) { return FindMissing(args...); },
                 [this](auto... args) { return CopyBytes(args...); }}),
      m_turn([this] { BeginTurn(); })
{
}

void
UdpBroadcastTransport::CheckAttributes() const
{
    UdpTransport::CheckAttributes();
    const auto method = FindMethod();
    Require(
        method.has_value(),
        "UdpBroadcastTransport: Reliability must be none, nack, fec:RATE, both or both:RATE with "
        "a RATE from 0.001 to 4, got '",
        m_reliability,
        "'");
    Require(!method->parity || ErasureCode::IsAvailable(),
            "UdpBroadcastTransport: Reliability ",
            m_reliability,
            " needs ISA-L, which this build does not have (Debian: libisal-dev)");
}

std::optional<UdpBroadcastTransport::Method>
UdpBroadcastTransport::FindMethod() const
{
    const size_t colon = m_reliability.find(':');
    const std::string name = m_reliability.substr(0, colon);
    Method method;
    method.polls = name == "nack" || name == "both";
    method.parity = name == "fec" || name == "both";
    if (colon != std::string::npos)
    {
        method.share = ParseNumber(m_reliability.substr(colon + 1)).value_or(0);
        const bool fits = method.parity && method.share >= 0.001 && method.share <= 4;
        return fits ? std::make_optional(method) : std::nullopt;
    }
    const bool known = name == "none" || method.polls;
    return known ? std::make_optional(method) : std::nullopt;
}

RepairProgress::Code
UdpBroadcastTransport::GetCode(uint32_t fragments) const
{
    const Method method = *FindMethod();
    RepairProgress::Code code;
    if (method.parity)
    {
        // Of repairs no one knows how many there will be.
        const double parity = std::max(method.share, method.polls ? 1.0 : 0.0);
        const auto most = static_cast<uint32_t>(ErasureCode::LARGEST_BLOCK / (1 + parity));
        const uint32_t blocks = (fragments - 1) / most + 1;
        code.blockFragments = (fragments - 1) / blocks + 1;
        code.share = method.share;
        code.repairs = method.polls;
    }
    return code;
}

bool
UdpBroadcastTransport::IsRepairing() const
{
    return m_reliability != "none";
}

bool
UdpBroadcastTransport::IsReliable() const
{
    return FindMethod().value_or(Method{}).polls;
}

int64_t
UdpBroadcastTransport::AssignStreams(int64_t stream)
{
    return IsRepairing() ? m_turn.AssignStreams(stream) : 0;
}

void
UdpBroadcastTransport::Close()
{
    NS_LOG_FUNCTION(this);
    m_turn.Cancel();
    m_decoder.Clear();
    m_silent.clear();
    m_current = nullptr;
    while (!m_sendings.empty())
    {
        Erase(m_sendings.begin());
    }
    for (auto& [whom, event] : m_reports)
    {
        event.Cancel();
    }
    m_reports.clear();
    m_backlog.reset();
    UdpTransport::Close();
}

std::vector<InetSocketAddress>
UdpBroadcastTransport::GetDestinations(const std::vector<LearnerId>& recipients) const
{
    if (recipients.empty())
    {
        return {};
    }
    const Ptr<Ipv4> ipv4 = m_node->GetObject<Ipv4>();
    const auto isShared = [&](uint32_t interface) {
        return ipv4->GetNAddresses(interface) > 0 &&
               std::all_of(recipients.begin(), recipients.end(), [&](LearnerId recipient) {
                   const Ipv4InterfaceAddress own = ipv4->GetAddress(interface, 0);
                   return own.GetMask().IsMatch(own.GetLocal(), GetAddress(recipient).GetIpv4());
               });
    };
    uint32_t medium = 1; // interface 0 is loopback
    while (medium < ipv4->GetNInterfaces() && !isShared(medium))
    {
        ++medium;
    }
    Require(medium < ipv4->GetNInterfaces(),
            "UdpBroadcastTransport: node ",
            m_node->GetId(),
            " must have all neighbours in the subnet of one network interface (a shared medium), "
            "it has not in any of ",
            ipv4->GetNInterfaces() - 1);
    std::set<uint16_t> ports;
    for (const LearnerId recipient : recipients)
    {
        ports.insert(GetAddress(recipient).GetPort());
    }
    std::vector<InetSocketAddress> destinations;
    for (const uint16_t port : ports)
    {
        destinations.emplace_back(ipv4->GetAddress(medium, 0).GetBroadcast(), port);
    }
    return destinations;
}

void
UdpBroadcastTransport::PrepareMedium(Ipv4Address destination)
{
    const auto ipv4 = m_node->GetObject<Ipv4>();
    const uint32_t interface = FindInterface(destination);
    const Ipv4Address own = ipv4->GetAddress(interface, 0).GetLocal();
    Require(!m_backlog || own == m_own,
            "UdpBroadcastTransport: Reliability ",
            m_reliability,
            " needs all neighbours of node ",
            m_node->GetId(),
            " on one medium, got ",
            m_own,
            " and ",
            own);
    if (!m_backlog)
    {
        m_own = own;
        m_turn.SetSpread(m_turnSpread);
        m_backlog = std::make_unique<InterfaceBacklog>(
            ipv4->GetNetDevice(interface),
            [this] { ContinueTurn(true); },
            QUEUED);
    }
}

void
UdpBroadcastTransport::Send(const Message& message, const std::vector<LearnerId>& recipients)
{
    NS_LOG_FUNCTION(this << message->GetRound() << recipients.size());
    if (!IsRepairing())
    {
        UdpTransport::Send(message, recipients);
        return;
    }
    Require(GetSocket() != nullptr, "UdpBroadcastTransport: Send() needs Open() first");
    auto destinations = GetDestinations(recipients);
    if (destinations.empty())
    {
        return;
    }
    PrepareMedium(destinations.front().GetIpv4());
    const auto channel = message->GetChannel();
    if (channel)
    {
        ReleaseOlder(*channel, recipients);
    }
    // Of bytes that only claim to be a message nothing is asked, and nothing computed.
    const bool polled = channel && IsReliable();
    RepairProgress progress(message->GetLength(),
                            message->GetFragmentSize(),
                            polled ? recipients : std::vector<LearnerId>{},
                            {m_pollLimit, m_silenceLimit, m_requestLimit},
                            channel ? GetCode(message->GetFragments()) : RepairProgress::Code{});
    for (const LearnerId silent : m_silent)
    {
        progress.Doubt(silent);
    }
    m_sendings.push_back(
        {message, std::move(destinations), std::move(progress), {}, {}, {}, 0, false});
    RequestTurn();
}

void
UdpBroadcastTransport::ReleaseOlder(ModelChannel channel, const std::vector<LearnerId>& recipients)
{
    for (auto sending = m_sendings.begin(); sending != m_sendings.end();)
    {
        const auto next = std::next(sending);
        if (sending->message->GetChannel() == channel)
        {
            bool released = false;
            for (const LearnerId recipient : recipients)
            {
                if (++sending->newer[recipient] == 2)
                {
                    sending->progress.Release(recipient);
                    released = true;
                }
            }
            if (released && !sending->progress.IsOpen())
            {
                Erase(sending);
            }
        }
        sending = next;
    }
}

UdpBroadcastTransport::Sendings::iterator
UdpBroadcastTransport::Erase(Sendings::iterator sending)
{
    sending->reports.Cancel();
    if (m_current == &*sending)
    {
        m_current = nullptr;
    }
    return m_sendings.erase(sending);
}

void
UdpBroadcastTransport::Erase(const Sending* sending)
{
    Erase(std::find_if(m_sendings.begin(), m_sendings.end(), [sending](const Sending& s) {
        return &s == sending;
    }));
}

bool
UdpBroadcastTransport::Settle(uint32_t round)
{
    const bool sent = UdpTransport::Settle(round);
    for (auto sending = m_sendings.begin(); sending != m_sendings.end();)
    {
        const bool withdrawn = !sent && sending->message->GetRound() == round;
        sending = withdrawn ? Erase(sending) : std::next(sending);
    }
    RequestTurn();
    return sent;
}

bool
UdpBroadcastTransport::IsWaitingForTurn(uint32_t round) const
{
    return std::any_of(m_sendings.begin(), m_sendings.end(), [round](const Sending& sending) {
        return !sending.begun && sending.message->GetRound() == round;
    });
}

UdpBroadcastTransport::Sendings::iterator
UdpBroadcastTransport::FindReady()
{
    std::map<std::optional<ModelChannel>, uint32_t> waiting; // rounds of those before, by channel
    return std::find_if(m_sendings.begin(), m_sendings.end(), [&waiting](const Sending& sending) {
        const uint32_t round = sending.message->GetRound();
        const auto before = waiting.try_emplace(sending.message->GetChannel(), round).first;
        return sending.reports.IsExpired() && before->second == round;
    });
}

void
UdpBroadcastTransport::RequestTurn()
{
    if (!m_current && FindReady() != m_sendings.end())
    {
        m_turn.Request();
    }
}

void
UdpBroadcastTransport::BeginTurn()
{
    NS_LOG_FUNCTION(this << m_sendings.size());
    const auto ready = FindReady();
    if (ready != m_sendings.end())
    {
        m_current = &*ready;
        ContinueTurn(false);
    }
}

void
UdpBroadcastTransport::ContinueTurn(bool patient)
{
    if (!m_current)
    {
        return; // it was given up meanwhile
    }
    const Sending* const sending = m_current;
    const auto destinations = sending->destinations;
    const Message message = sending->message;
    uint32_t room = std::max(m_backlog->GetRoom(), patient ? 1U : 0U);
    for (; m_current->progress.HasPart(); --room)
    {
        if (room == 0)
        {
            m_backlog->Wait();
            return;
        }
        m_current->begun = true;
        const auto packet = CreatePart(*m_current, m_current->progress.TakePart());
        for (const InetSocketAddress& destination : destinations)
        {
            SendPart(message, packet->Copy(), destination);
            if (m_current != sending)
            {
                return; // a listener of the trace closed the transport
            }
        }
    }
    EndTurn();
}

Ptr<Packet>
UdpBroadcastTransport::CreatePart(Sending& sending, const RepairProgress::Part& part)
{
    const EncodedMessage& message = *sending.message;
    if (!part.parity)
    {
        return message.CreateFragment(part.number);
    }
    ParityDatagram parity;
    parity.encoding = message.GetEncoding();
    parity.channel = *message.GetChannel();
    parity.row = static_cast<uint8_t>(part.row);
    parity.round = message.GetRound();
    parity.vectorLength = message.GetVectorLength();
    parity.messageLength = message.GetLength();
    parity.fragmentSize = static_cast<uint16_t>(message.GetFragmentSize());
    parity.blockFragments = static_cast<uint8_t>(sending.progress.GetCode().blockFragments);
    parity.block = part.number;
    if (sending.pieces.empty() || sending.block != part.number)
    {
        sending.pieces.clear();
        sending.block = part.number;
        for (uint32_t k = parity.GetFirst(); k < parity.GetEnd(); ++k)
        {
            const auto fragment = message.CreateFragment(k);
            fragment->RemoveAtStart(ModelHeader::SIZE);
            sending.pieces.emplace_back(parity.fragmentSize); // the last one is filled by zeros
            fragment->CopyData(sending.pieces.back().data(), fragment->GetSize());
        }
    }
    parity.piece = ErasureCode::Encode(sending.pieces, part.row);
    const auto bytes = parity.Write();
    return Create<Packet>(bytes.data(), bytes.size());
}

void
UdpBroadcastTransport::EndTurn()
{
    Sending& sending = *std::exchange(m_current, nullptr);
    const auto asked = sending.progress.BeginPoll();
    NS_LOG_FUNCTION(this << sending.message->GetRound() << asked.size());
    if (asked.empty())
    {
        Erase(&sending);
        RequestTurn();
        return;
    }
    RepairDatagram poll;
    poll.channel = *sending.message->GetChannel();
    poll.round = sending.message->GetRound();
    poll.messageLength = sending.message->GetLength();
    poll.words = asked;
    const Time span = m_reportSlot * static_cast<int64_t>(asked.size());
    sending.reports = Simulator::Schedule(span + GetReportMargin(),
                                          &UdpBroadcastTransport::EndReports,
                                          this,
                                          &sending);
    m_turn.SetBusy(span);
    const auto bytes = poll.Write();
    const Ptr<Socket> socket = GetSocket();
    for (const InetSocketAddress& destination : std::vector(sending.destinations))
    {
        SendControl(bytes, destination);
        if (GetSocket() != socket)
        {
            return;
        }
    }
    RequestTurn();
}

void
UdpBroadcastTransport::EndReports(Sending* sending)
{
    sending->reports.Cancel();
    for (const LearnerId silent : sending->progress.EndPoll())
    {
        m_silent.insert(silent);
    }
    if (!sending->progress.IsOpen())
    {
        Erase(sending);
    }
    RequestTurn();
}

void
UdpBroadcastTransport::Receive(std::optional<LearnerId> from,
                               const InetSocketAddress& source,
                               const uint8_t* bytes,
                               uint32_t size)
{
    if (from)
    {
        m_silent.erase(*from);
    }
    if (!IsRepairing())
    {
        UdpTransport::Receive(from, source, bytes, size);
    }
    else if (size > 0 && bytes[0] == RepairDatagram::VERSION)
    {
        HandleRepair(from, bytes, size);
    }
    else if (size > 0 && bytes[0] == ParityDatagram::VERSION)
    {
        YieldTo(source.GetIpv4());
        HandleParity(from, bytes, size);
    }
    else if (Deliver(from, bytes, size) && GetSocket()) // else a listener closed it
    {
        YieldTo(source.GetIpv4());
        ModelHeader header;
        header.Read(bytes);
        if (from)
        {
            DeliverAll(*from, m_decoder.Retry(*from, header));
        }
    }
}

void
UdpBroadcastTransport::HandleParity(std::optional<LearnerId> from,
                                    const uint8_t* bytes,
                                    uint32_t size)
{
    const auto parity = ParityDatagram::Read(bytes, size);
    if (!parity || !ErasureCode::IsAvailable())
    {
        ReportMalformed(size);
    }
    else if (from)
    {
        DeliverAll(*from, m_decoder.Add(*from, *parity));
    }
}

void
UdpBroadcastTransport::DeliverAll(LearnerId from, const ParityDecoder::Fragments& fragments)
{
    const Ptr<Socket> socket = GetSocket();
    for (const auto& fragment : fragments)
    {
        Deliver(from, fragment.data(), static_cast<uint32_t>(fragment.size()));
        if (GetSocket() != socket)
        {
            return; // the callback closed the transport
        }
    }
}

void
UdpBroadcastTransport::YieldTo(Ipv4Address other)
{
    m_turn.SetBusy(m_turnGap);
    if (m_current && other < m_own)
    {
        NS_LOG_INFO("learner " << m_self << " pauses for " << other);
        m_current = nullptr;
        RequestTurn();
    }
}

void
UdpBroadcastTransport::HandleRepair(std::optional<LearnerId> from,
                                    const uint8_t* bytes,
                                    uint32_t size)
{
    const auto datagram = RepairDatagram::Read(bytes, size);
    if (!datagram)
    {
        ReportMalformed(size);
    }
    else if (datagram->kind == RepairDatagram::Kind::POLL)
    {
        HandlePoll(from, *datagram);
    }
    else if (from)
    {
        HandleReport(*from, *datagram);
    }
}

void
UdpBroadcastTransport::HandlePoll(std::optional<LearnerId> from, const RepairDatagram& poll)
{
    const auto slots = [this](int64_t count) {
        return Min(m_reportSlot * count, GetLongestReports());
    };
    m_turn.SetBusy(slots(static_cast<int64_t>(poll.words.size())));
    const auto place = std::find(poll.words.begin(), poll.words.end(), m_self);
    if (!from || place == poll.words.end())
    {
        return;
    }
    EventId& event = m_reports[{*from, poll.channel}];
    event.Cancel(); // a newer poll
    event = Simulator::Schedule(slots(place - poll.words.begin()),
                                &UdpBroadcastTransport::SendReport,
                                this,
                                *from,
                                poll.channel,
                                poll.round,
                                poll.messageLength);
}

void
UdpBroadcastTransport::SendReport(LearnerId to,
                                  ModelChannel channel,
                                  uint32_t round,
                                  uint32_t length)
{
    RepairDatagram report;
    report.kind = RepairDatagram::Kind::REPORT;
    report.channel = channel;
    report.round = round;
    report.messageLength = length;
    const auto missing = FindMissing(to, channel, round, length);
    report.SetRanges(m_decoder.GetNeeds(to, channel, round, missing), GetFragmentSize());
    NS_LOG_FUNCTION(this << to << round << report.words.size() / 2);
    SendControl(report.Write(), GetAddress(to));
}

void
UdpBroadcastTransport::HandleReport(LearnerId from, const RepairDatagram& report)
{
    const auto ranges = report.GetRanges();
    for (Sending& sending : m_sendings)
    {
        const EncodedMessage& message = *sending.message;
        if (message.GetChannel() == report.channel && message.GetRound() == report.round &&
            message.GetLength() == report.messageLength &&
            sending.progress.TakeReport(from, ranges))
        {
            if (sending.progress.HasHeardAll())
            {
                EndReports(&sending);
            }
            return;
        }
    }
}

} // namespace ns3::dlearn
