/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-udp-broadcast-transport.h"

#include "dlearn-interface-link.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-number-parser.h"
#include "ns3/dlearn-state-archive.h"
#include "ns3/ipv4.h"
#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <set>

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnUdpBroadcastTransport");

NS_OBJECT_ENSURE_REGISTERED(UdpBroadcastTransport);
DLEARN_STATE_ENSURE_REGISTERED(UdpBroadcastTransport);

namespace
{

/** @return the time for which a poll keeps others quiet at most, however many it names */
Time
GetLongestReports()
{
    return MilliSeconds(100);
}

} // namespace

TypeId
UdpBroadcastTransport::GetTypeId()
{
    static TypeId tid = AddLimits(
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
            .AddAttribute("Unicast",
                          "Whether messages go to each recipient by unicast, as those of a client "
                          "do, which are for its server alone; they are repaired all the same.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&UdpBroadcastTransport::m_unicast),
                          MakeBooleanChecker())
            .AddAttribute(
                "TurnSpread",
                "A learner waits for a random time below this, while the medium is quiet, "
                "before it sends a message; at least the time of 24 frames where the medium has a "
                "rate. Not with Reliability none.",
                TimeValue(MilliSeconds(16)),
                MakeTimeAccessor(&UdpBroadcastTransport::m_turnSpread),
                MakeTimeChecker(MicroSeconds(1), Seconds(10)))
            .AddAttribute("TurnGap",
                          "Time after a fragment of another learner at which the medium counts as "
                          "quiet; at least that of 4 frames where the medium has a rate.",
                          TimeValue(MilliSeconds(4)),
                          MakeTimeAccessor(&UdpBroadcastTransport::m_turnGap),
                          MakeTimeChecker(MicroSeconds(1), Seconds(10)))
            .AddAttribute("ReportSlot",
                          "Time between the reports of two recipients; at least half that of "
                          "a frame where the medium has a rate.",
                          TimeValue(MicroSeconds(300)),
                          MakeTimeAccessor(&UdpBroadcastTransport::m_reportSlot),
                          MakeTimeChecker(MicroSeconds(1), Seconds(1))));
    return tid;
}

TypeId
UdpBroadcastTransport::AddLimits(TypeId tid)
{
    return tid
        .AddAttribute("PollLimit",
                      "Polls of a message, after which all recipients are given up.",
                      UintegerValue(32),
                      MakeUintegerAccessor(&UdpBroadcastTransport::m_pollLimit),
                      MakeUintegerChecker<uint32_t>(1))
        .AddAttribute("SilenceLimit",
                      "Polls in a row that a recipient leaves unanswered before it is given up.",
                      UintegerValue(10),
                      MakeUintegerAccessor(&UdpBroadcastTransport::m_silenceLimit),
                      MakeUintegerChecker<uint32_t>(1))
        .AddAttribute("RequestLimit",
                      "Bytes that a recipient may ask for again before it is given up, in "
                      "lengths of the message.",
                      UintegerValue(4),
                      MakeUintegerAccessor(&UdpBroadcastTransport::m_requestLimit),
                      MakeUintegerChecker<uint32_t>(1))
        .AddAttribute("NewerLimit",
                      "Newer messages of a channel to a recipient after which nothing more of "
                      "an older one is sent to it.",
                      UintegerValue(2),
                      MakeUintegerAccessor(&UdpBroadcastTransport::m_newerLimit),
                      MakeUintegerChecker<uint32_t>(1));
}

UdpBroadcastTransport::UdpBroadcastTransport()
    : m_decoder({[this](auto... args) { return FindMissing(args...); },
                 [this](auto... args) { return CopyBytes(args...); }}),
      m_queue({[this](const Message& message, Ptr<Packet> packet, const InetSocketAddress& to) {
                   SendPart(message, packet, to);
               },
               [this](const std::vector<uint8_t>& bytes, const InetSocketAddress& to) {
                   if (GetSocket())
                   {
                       SendControl(bytes, to);
                   }
               }})
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

std::string
UdpBroadcastTransport::ExplainIdle(const std::string& attribute) const
{
    static const std::set<std::string> ofTurns{"TurnSpread", "TurnGap", "NewerLimit"};
    static const std::set<std::string> ofPolls{"ReportSlot",
                                               "PollLimit",
                                               "SilenceLimit",
                                               "RequestLimit"};
    if (attribute == "PacingRate" && IsRepairing())
    {
        return "a sender that repairs what is lost follows its device's queue";
    }
    const bool idle = (ofTurns.count(attribute) > 0 && !IsRepairing()) ||
                      (ofPolls.count(attribute) > 0 && !IsReliable());
    return idle ? "Reliability is " + m_reliability : "";
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

bool
UdpBroadcastTransport::RepeatsFragments() const
{
    return IsRepairing();
}

int64_t
UdpBroadcastTransport::AssignStreams(int64_t stream)
{
    return IsRepairing() ? m_queue.AssignStreams(stream) : 0;
}

void
UdpBroadcastTransport::Close()
{
    NS_LOG_FUNCTION(this);
    m_queue.Clear();
    m_decoder.Clear();
    m_own.reset();
    for (auto& [receiver, event] : m_reports)
    {
        event.Cancel();
    }
    m_reports.clear();
    UdpTransport::Close();
}

std::vector<InetSocketAddress>
UdpBroadcastTransport::GetDestinations(const std::vector<LearnerId>& recipients) const
{
    if (recipients.empty() || m_unicast)
    {
        return UdpTransport::GetDestinations(recipients);
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
    const uint32_t interface = FindInterface(*ipv4, destination);
    const Ipv4Address own = ipv4->GetAddress(interface, 0).GetLocal();
    Require(own == m_own.value_or(own),
            "UdpBroadcastTransport: Reliability ",
            m_reliability,
            " needs all neighbours of node ",
            m_node->GetId(),
            " on one medium, got addresses ",
            m_own.value_or(own),
            " and ",
            own);
    if (!m_own)
    {
        m_own = own;
        const Method method = *FindMethod();
        const Times times = GetTimes(destination);
        m_queue.UseMedium({method.polls,
                           method.parity,
                           method.share,
                           {m_pollLimit, m_silenceLimit, m_requestLimit},
                           times.turnSpread,
                           times.turnGap,
                           times.reportSlot,
                           times.reportMargin,
                           m_newerLimit,
                           m_unicast ? InterfaceBacklog::LIMIT : BroadcastQueue::QUEUED},
                          ipv4->GetNetDevice(interface),
                          own);
    }
}

UdpBroadcastTransport::Times
UdpBroadcastTransport::GetTimes(Ipv4Address address) const
{
    const auto ipv4 = m_node->GetObject<Ipv4>();
    const auto device = ipv4->GetNetDevice(FindInterface(*ipv4, address));
    const Time frame = GetFrameTime(*device, device->GetMtu());
    // In frames, at least about what the attributes are for Wi-Fi. Some learners may have begun at
    // the same time, each with a few full frames in its queue, which reports wait for.
    return {Max(m_turnSpread, frame * 24),
            Max(m_turnGap, frame * 4),
            Max(m_reportSlot, frame / 2),
            Max(MilliSeconds(20), frame * 32)};
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
    const auto destinations = GetDestinations(recipients);
    if (!destinations.empty())
    {
        PrepareMedium(destinations.front().GetIpv4());
        m_queue.Add(message, recipients, destinations);
    }
}

bool
UdpBroadcastTransport::Settle(uint32_t round)
{
    const bool sent = UdpTransport::Settle(round);
    if (!sent)
    {
        m_queue.Withdraw(round);
    }
    return sent;
}

bool
UdpBroadcastTransport::IsWaitingForTurn(uint32_t round) const
{
    return m_queue.IsWaitingForTurn(round);
}

void
UdpBroadcastTransport::Receive(std::optional<LearnerId> from,
                               const InetSocketAddress& source,
                               const uint8_t* bytes,
                               uint32_t size)
{
    if (from)
    {
        m_queue.NoteHeard(*from);
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
        m_queue.YieldTo(source.GetIpv4());
        HandleParity(from, bytes, size);
    }
    else if (Deliver(from, bytes, size) && GetSocket()) // else a listener closed it
    {
        m_queue.YieldTo(source.GetIpv4());
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
        m_queue.HandleReport(*from, *datagram);
    }
}

void
UdpBroadcastTransport::HandlePoll(std::optional<LearnerId> from, const RepairDatagram& poll)
{
    const Time slot = from ? GetTimes(GetAddress(*from).GetIpv4()).reportSlot : m_reportSlot;
    const auto slots = [slot](int64_t count) { return Min(slot * count, GetLongestReports()); };
    m_queue.SetBusy(slots(static_cast<int64_t>(poll.words.size())));
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

} // namespace ns3::dlearn
