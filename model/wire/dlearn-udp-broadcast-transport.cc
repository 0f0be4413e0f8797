/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-udp-broadcast-transport.h"

#include "dlearn-interface-line.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-fixed-accessor.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/ipv4.h"
#include "ns3/log.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <set>

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnUdpBroadcastTransport");

NS_OBJECT_ENSURE_REGISTERED(UdpBroadcastTransport);

namespace
{

/** @return probability that all of some fragments arrive or are computed from parity */
double
GetDecodedShare(const RepairMethod& method, uint32_t fragments, double loss)
{
    const auto code = BroadcastQueue::GetCode(method, fragments);
    const auto getShare = [&](uint32_t size) { // of a block
        // With fragments of one byte, it is the parity of a message of as many bytes.
        RepairProgress progress(size, 1, {}, {}, code);
        uint32_t packets = 0;
        for (; progress.HasPart(); ++packets)
        {
            progress.TakePart();
        }
        // Whichever are lost, the block is whole with as many as it has fragments.
        return boost::math::cdf(boost::math::binomial(packets, loss), packets - size);
    };
    const uint32_t before = (fragments - 1) / code.blockFragments; // blocks before the last one
    return std::pow(getShare(code.blockFragments), before) *
           getShare(fragments - before * code.blockFragments);
}

} // namespace

TypeId
UdpBroadcastTransport::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<UdpBroadcastTransport, UdpTransport>("ns3::dlearn::UdpBroadcastTransport")
            .AddAttribute(
                "Reliability",
                "Repair of lost fragments: none; nack: receivers report missing ranges, which are "
                "broadcast again; fec:RATE: RATE pieces of parity are sent for each fragment; both "
                "or both:RATE: parity repairs.",
                StringValue("none"),
                MakeFixedAccessor(MakeStringAccessor(&UdpBroadcastTransport::m_reliability),
                                  &UdpBroadcastTransport::IsSetUp),
                MakeStringChecker())
            .AddAttribute("Unicast",
                          "Whether messages go to each recipient by unicast, as those of a client "
                          "do, which are for its server alone; they are repaired all the same.",
                          BooleanValue(false),
                          MakeFixedAccessor(MakeBooleanAccessor(&UdpBroadcastTransport::m_unicast),
                                            &UdpBroadcastTransport::IsSetUp),
                          MakeBooleanChecker())
            .AddAttribute(
                "TurnSpread",
                "A learner waits for a random time below this, while the medium is quiet, "
                "before it sends a message; at least the time of 24 frames where the medium has a "
                "rate. Not with Reliability none.",
                TimeValue(MilliSeconds(16)),
                MakeFixedAccessor(MakeTimeAccessor(&UdpBroadcastTransport::m_turnSpread),
                                  &UdpBroadcastTransport::IsSetUp),
                MakeTimeChecker(MicroSeconds(1), Seconds(10)))
            .AddAttribute("TurnGap",
                          "Time after a fragment of another learner at which the medium counts as "
                          "quiet; at least that of 4 frames where the medium has a rate.",
                          TimeValue(MilliSeconds(4)),
                          MakeFixedAccessor(MakeTimeAccessor(&UdpBroadcastTransport::m_turnGap),
                                            &UdpBroadcastTransport::IsSetUp),
                          MakeTimeChecker(MicroSeconds(1), Seconds(10)))
            .AddAttribute("ReportSlot",
                          "Time between the reports of two recipients; at least half that of "
                          "a frame where the medium has a rate.",
                          TimeValue(MicroSeconds(300)),
                          MakeFixedAccessor(MakeTimeAccessor(&UdpBroadcastTransport::m_reportSlot),
                                            &UdpBroadcastTransport::IsSetUp),
                          MakeTimeChecker(MicroSeconds(1), Seconds(1)))
            .AddAttribute(
                "PollLimit",
                "Polls of a message, after which all recipients are given up.",
                UintegerValue(32),
                MakeFixedAccessor(MakeUintegerAccessor(&UdpBroadcastTransport::m_pollLimit),
                                  &UdpBroadcastTransport::IsSetUp),
                MakeUintegerChecker<uint32_t>(1))
            .AddAttribute(
                "SilenceLimit",
                "Polls in a row that a recipient leaves unanswered before it is given up.",
                UintegerValue(10),
                MakeFixedAccessor(MakeUintegerAccessor(&UdpBroadcastTransport::m_silenceLimit),
                                  &UdpBroadcastTransport::IsSetUp),
                MakeUintegerChecker<uint32_t>(1))
            .AddAttribute(
                "RequestLimit",
                "Bytes that a recipient may ask for again before it is given up, in "
                "lengths of the message.",
                UintegerValue(4),
                MakeFixedAccessor(MakeUintegerAccessor(&UdpBroadcastTransport::m_requestLimit),
                                  &UdpBroadcastTransport::IsSetUp),
                MakeUintegerChecker<uint32_t>(1))
            .AddAttribute(
                "NewerLimit",
                "Newer messages of a channel to a recipient after which nothing more of "
                "an older one is sent to it.",
                UintegerValue(2),
                MakeFixedAccessor(MakeUintegerAccessor(&UdpBroadcastTransport::m_newerLimit),
                                  &UdpBroadcastTransport::IsSetUp),
                MakeUintegerChecker<uint32_t>(1));
    return tid;
}

UdpBroadcastTransport::UdpBroadcastTransport()
    : m_decoder({[this](auto... args) { return FindMissing(args...); },
                 [this](auto... args) { return CopyBytes(args...); }}),
      m_queue({[this](const Message& message, Ptr<Packet> packet, const Endpoint& to) {
                   SendPart(message, packet, to);
               },
               [this](const std::vector<uint8_t>& bytes, const Endpoint& to) {
                   if (GetSocket())
                   {
                       SendControl(bytes, to);
                   }
               }}),
      m_reports([this](LearnerId to, const RepairDatagram& report) { SendReport(to, report); })
{
}

void
UdpBroadcastTransport::CheckAttributes() const
{
    UdpTransport::CheckAttributes();
    const auto method = RepairMethod::Parse(m_reliability);
    Require(method.has_value(),
            "UdpBroadcastTransport: Reliability must be none, nack, fec:RATE, both or both:RATE "
            "with a RATE from 0.001 to 4, got '{}'",
            m_reliability);
    Require(!method->parity || ErasureCode::IsAvailable(),
            "UdpBroadcastTransport: Reliability {} needs ISA-L, which this build does not have "
            "(Debian: libisal-dev)",
            m_reliability);
}

bool
UdpBroadcastTransport::IsReliable() const
{
    return RepairMethod::Parse(m_reliability).value_or(RepairMethod()).polls;
}

double
UdpBroadcastTransport::GetWholeShare(uint64_t packets, double loss) const
{
    const auto method = RepairMethod::Parse(m_reliability).value_or(RepairMethod());
    return method.parity && !method.polls ? GetDecodedShare(method, packets, loss)
                                          : UdpTransport::GetWholeShare(packets, loss);
}

int64_t
UdpBroadcastTransport::AssignStreams(int64_t stream)
{
    return IsRepairing() ? m_queue.AssignStreams(stream) : 0;
}

void
UdpBroadcastTransport::Open()
{
    Require(!IsIpv6(),
            "UdpBroadcastTransport: broadcasts are of IPv4, but the neighbours of learner {} have "
            "addresses of IPv6; use UdpTransport or TcpTransport",
            m_self);
    UdpTransport::Open();
}

void
UdpBroadcastTransport::Close()
{
    NS_LOG_FUNCTION(this);
    m_queue.Clear();
    m_decoder.Clear();
    m_own.reset();
    m_reports.Clear();
    UdpTransport::Close();
}

std::vector<Endpoint>
UdpBroadcastTransport::GetDestinations(const std::vector<LearnerId>& recipients) const
{
    if (recipients.empty() || m_unicast)
    {
        return UdpTransport::GetDestinations(recipients);
    }
    const Ptr<Ipv4> ipv4 = m_node->GetObject<Ipv4>();
    std::vector<Ipv4Address> addresses;
    std::set<uint16_t> ports;
    for (const LearnerId recipient : recipients)
    {
        addresses.push_back(GetAddress(recipient).ip.GetIpv4());
        ports.insert(GetAddress(recipient).port);
    }
    const uint32_t medium = FindSharedInterface(*ipv4, addresses);
    Require(medium > 0,
            "UdpBroadcastTransport: node {} must have all neighbours in the subnet of one network "
            "interface (a shared medium), it does not in any of {}",
            m_node->GetId(),
            ipv4->GetNInterfaces() - 1);
    std::vector<Endpoint> destinations;
    for (const uint16_t port : ports)
    {
        destinations.push_back({ipv4->GetAddress(medium, 0).GetBroadcast(), port});
    }
    return destinations;
}

void
UdpBroadcastTransport::PrepareMedium(const IpAddress& destination)
{
    const auto ipv4 = m_node->GetObject<Ipv4>();
    const auto device = FindDevice(destination);
    const Ipv4Address own = ipv4->GetAddress(ipv4->GetInterfaceForDevice(device), 0).GetLocal();
    Require(own == m_own.value_or(own),
            "UdpBroadcastTransport: Reliability {} needs all neighbours of node {} on one medium, "
            "got addresses {} and {}",
            m_reliability,
            m_node->GetId(),
            m_own.value_or(own),
            own);
    if (!m_own)
    {
        m_own = own;
        m_queue.UseMedium({*RepairMethod::Parse(m_reliability),
                           {m_pollLimit, m_silenceLimit, m_requestLimit},
                           GetTimes(destination),
                           m_newerLimit,
                           m_unicast ? InterfaceBacklog::LIMIT : BroadcastQueue::QUEUED},
                          device,
                          own);
    }
}

MediumTimes
UdpBroadcastTransport::GetTimes(const IpAddress& address) const
{
    return MediumTimes{m_turnSpread, m_turnGap, m_reportSlot}.StretchFor(*FindDevice(address));
}

Ptr<NetDevice>
UdpBroadcastTransport::FindDevice(const IpAddress& address) const
{
    const auto device = FindOutputDevice(*m_node, address);
    return device ? device : m_node->GetObject<Ipv4>()->GetNetDevice(0); // loopback
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
        PrepareMedium(destinations.front().ip);
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

void
UdpBroadcastTransport::Receive(std::optional<LearnerId> from,
                               const Endpoint& source,
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
        m_queue.YieldTo(source.ip);
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
    else if (Deliver(from, bytes, size) && GetSocket()) // else a listener closed it
    {
        m_queue.YieldTo(source.ip);
        ModelHeader header;
        header.Read(bytes);
        if (from)
        {
            DeliverAll(*from, m_decoder.Retry(*from, header));
        }
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
        // Leave the medium to the learners that report, and report when it is this one's turn.
        const Time slot = from ? GetTimes(GetAddress(*from).ip).reportSlot : m_reportSlot;
        m_queue.SetBusy(RepairReports::GetSpan(*datagram, slot));
        if (from)
        {
            m_reports.Schedule(m_self, *from, *datagram, slot);
        }
    }
    else if (from)
    {
        m_queue.HandleReport(*from, *datagram);
    }
}

void
UdpBroadcastTransport::SendReport(LearnerId to, RepairDatagram report)
{
    const auto missing = FindMissing(to, report.channel, report.round, report.messageLength);
    report.SetRanges(m_decoder.GetNeeds(to, report.channel, report.round, missing),
                     GetFragmentSize());
    NS_LOG_FUNCTION(this << to << report.round << report.words.size() / 2);
    SendControl(report.Write(), GetAddress(to));
}

} // namespace ns3::dlearn
